import type { JsonValue } from '../../event/json.js';
import { DocumentFields } from '../index/documents/document-fields.js';
import { formatMicros, hourOfMicros, MICROS_PER_HOUR, type Uptime } from '../record/partitions/arrival-clock.js';
import { parseMicrosField } from './issue-line.js';

/** What ages are counted from and where they are kept. */
export interface RecordAgesOptions {
  readonly uptime: Uptime;
  /** A document in the data folder. Without it, or where it cannot be used, everything counts as received now. */
  readonly note: { read(): Promise<JsonValue | undefined>; write(json: string): Promise<void> };
  /** The newest receipt of the folder. */
  readonly lastMicros: number;
  /** Called where the note cannot be read. */
  readonly onFault?: ((fault: Error) => void) | undefined;
}

/** How much of an age a machine that loses power may forget. */
const SAVE_MS = 3_600_000;

/**
 * Knows how long ago each hour of the record ended, in time that was seen to pass. It never asks the wall clock, and what it did not see it does not count: an age is
 * at most the true one of the hour's newest event. It sees the time in which a store is open, and between two stores that in which the machine was not started again.
 */
export class RecordAges {
  readonly #options: RecordAgesOptions;
  /** By hour since the epoch, in seen time. */
  readonly #endMs = new Map<number, number>();
  /** Seen time less uptime. */
  #offsetMs: number;
  #throughMicros: number;
  #savedAtMs = Number.NEGATIVE_INFINITY;
  #savedThroughMicros: number | undefined;

  constructor(options: RecordAgesOptions) {
    this.#options = options;
    this.#offsetMs = -options.uptime.ms();
    this.#throughMicros = options.lastMicros;
  }

  /** Milliseconds that were seen to pass in the life of the folder. */
  get nowMs(): number {
    // Less than 0 where the uptime goes back, as that of a machine that was restored from a snapshot may.
    return Math.max(0, this.#options.uptime.ms() + this.#offsetMs);
  }

  /** Takes in what an earlier store saw; before anything else. */
  async load(): Promise<void> {
    const { note, uptime, lastMicros, onFault } = this.#options;
    try {
      const saved = await note.read();
      if (saved === undefined) return;
      const fields = new DocumentFields('The note of retention', saved);
      const bootId = fields.textOrNull('boot_id');
      const throughMicros = parseMicrosField(fields, 'through');
      const hours = fields.integers('hours');
      const endMs = fields.times('end_ms', hours.length);
      const passedMs = uptime.ms() - fields.count('uptime_ms');
      this.#offsetMs +=
        fields.count('seen_ms') + (bootId !== null && bootId === uptime.bootId ? Math.max(0, passedMs) : 0);
      // Of hours that got events after the note was written, it is unknown when.
      const unknownFrom = throughMicros === lastMicros ? Infinity : hourOfMicros(Math.min(throughMicros, lastMicros));
      for (const [place, hour] of hours.entries()) {
        if (hour < unknownFrom) this.#endMs.set(hour, endMs[place] ?? 0);
      }
      this.#savedThroughMicros = throughMicros;
    } catch (error) {
      onFault?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Hears of every commit. */
  arrived(receivedAtMicros: number): void {
    this.#throughMicros = receivedAtMicros;
    const hour = hourOfMicros(receivedAtMicros);
    this.#endMs.set(hour, this.nowMs + ((hour + 1) * MICROS_PER_HOUR - receivedAtMicros) / 1000);
  }

  /** How long ago the hour ended, at least; 0 the first time that it is asked for one of which nothing is known. */
  ageMs(hour: number): number {
    const { nowMs } = this;
    const endMs = this.#endMs.get(hour) ?? nowMs;
    this.#endMs.set(hour, endMs);
    return nowMs - endMs;
  }

  /** Writes down what is known, unless that was done less than an hour ago, and forgets earlier hours. */
  async save(fromHour: number): Promise<void> {
    for (const hour of this.#endMs.keys()) if (hour < fromHour) this.#endMs.delete(hour);
    if (this.nowMs - this.#savedAtMs >= SAVE_MS) await this.#write();
  }

  /** Writes down what is known, if the disk takes it; a store that got no events stays as it was. */
  async close(): Promise<void> {
    if (this.#throughMicros !== this.#savedThroughMicros) await this.#write().catch(this.#options.onFault);
  }

  async #write(): Promise<void> {
    const { note, uptime } = this.#options;
    const { nowMs } = this;
    // Rounded so that ages are never too high.
    const json = JSON.stringify({
      seen_ms: Math.floor(nowMs),
      uptime_ms: Math.ceil(uptime.ms()),
      boot_id: uptime.bootId ?? null,
      through: formatMicros(this.#throughMicros),
      hours: [...this.#endMs.keys()],
      end_ms: Array.from(this.#endMs.values(), Math.ceil),
    });
    await note.write(json);
    this.#savedAtMs = nowMs;
    this.#savedThroughMicros = this.#throughMicros;
  }
}
