import type { JsonValue } from '../../event/json.js';
import { DocumentFields } from '../index/documents/document-fields.js';
import { formatMicros, hourOfMicros, MICROS_PER_HOUR, type Uptime } from '../record/partitions/arrival-clock.js';
import { parseMicrosField } from './issue-line.js';

interface RecordAgesOptions {
  readonly uptime: Uptime;
  /** A document in the data folder. If it is missing or unusable, everything counts as received now. */
  readonly note: { read(): Promise<JsonValue | undefined>; write(json: string): Promise<void> };
  /** The newest receipt time of the folder. */
  readonly lastMicros: number;
  /** Called if the note cannot be read or written. */
  readonly onFault: (fault: Error) => void;
}

/** Time that a power loss may subtract from ages. */
const SAVE_MS = 3_600_000;

/**
 * The ages of the record's hours, those included that an earlier store saved. They are in observed time, without the wall clock, so an age is
 * never more than the real one. Time is observed while a store is open, and between two stores if the machine was not rebooted.
 */
export class RecordAges {
  readonly #options: RecordAgesOptions;
  /** End of each hour since the epoch, in observed time. */
  readonly #ends = new Map<number, number>();
  /** Observed time minus uptime. */
  #offsetMs: number;
  #throughMicros: number;
  #savedAtMs = Number.NEGATIVE_INFINITY;
  #savedThroughMicros: number | undefined;

  private constructor(options: RecordAgesOptions) {
    this.#options = options;
    this.#offsetMs = -options.uptime.ms();
    this.#throughMicros = options.lastMicros;
  }

  /** Reads the note; without a usable one, everything counts as received now. */
  static async open(options: RecordAgesOptions): Promise<RecordAges> {
    const ages = new RecordAges(options);
    try {
      ages.#load(await options.note.read());
    } catch (error) {
      options.onFault(error instanceof Error ? error : new Error(String(error)));
    }
    return ages;
  }

  /** Observed time since the folder was created. */
  get nowMs(): number {
    // Negative if the uptime goes back, for example on a machine restored from a snapshot.
    return Math.max(0, this.#options.uptime.ms() + this.#offsetMs);
  }

  /** Called for every commit. */
  observeCommit(receivedAtMicros: number): void {
    this.#throughMicros = receivedAtMicros;
    const hour = hourOfMicros(receivedAtMicros);
    this.#ends.set(hour, this.nowMs + ((hour + 1) * MICROS_PER_HOUR - receivedAtMicros) / 1000);
  }

  /** Returns the least time since the hour ended; 0 on the first call for an unknown hour. */
  ageMs(hour: number): number {
    const { nowMs } = this;
    const endMs = this.#ends.get(hour) ?? nowMs;
    this.#ends.set(hour, endMs);
    return nowMs - endMs;
  }

  /** Discards hours before `fromHour`, and writes the note if the last write was more than an hour ago. */
  async save(fromHour: number): Promise<void> {
    for (const hour of this.#ends.keys()) if (hour < fromHour) this.#ends.delete(hour);
    if (this.nowMs - this.#savedAtMs >= SAVE_MS) await this.#write();
  }

  /** Writes the note if events arrived since the last write; reports failures to `onFault`. */
  async close(): Promise<void> {
    if (this.#throughMicros !== this.#savedThroughMicros) await this.#write().catch(this.#options.onFault);
  }

  #load(saved: JsonValue | undefined): void {
    if (saved === undefined) return;
    const { uptime, lastMicros } = this.#options;
    const fields = new DocumentFields('The note of retention', saved);
    const bootId = fields.textOrNull('boot_id');
    const savedMicros = parseMicrosField(fields, 'through');
    const hours = fields.integers('hours');
    const endMs = fields.integers('end_ms', hours.length);
    const passedMs = uptime.ms() - fields.count('uptime_ms');
    const isSameBoot = bootId !== null && bootId === uptime.bootId;
    this.#offsetMs += fields.count('seen_ms') + (isSameBoot ? Math.max(0, passedMs) : 0);
    // Hours that got events after the note was written have unknown ages.
    const unknownFrom = savedMicros === lastMicros ? Infinity : hourOfMicros(Math.min(savedMicros, lastMicros));
    for (const [index, hour] of hours.entries()) if (hour < unknownFrom) this.#ends.set(hour, endMs[index] ?? 0);
    this.#savedThroughMicros = savedMicros;
  }

  async #write(): Promise<void> {
    const { uptime, note } = this.#options;
    const seenMs = this.nowMs;
    // Rounded so that ages are never too large.
    const json = JSON.stringify({
      seen_ms: Math.floor(seenMs),
      uptime_ms: Math.ceil(uptime.ms()),
      boot_id: uptime.bootId ?? null,
      through: formatMicros(this.#throughMicros),
      hours: [...this.#ends.keys()],
      end_ms: Array.from(this.#ends.values(), Math.ceil),
    });
    await note.write(json);
    this.#savedAtMs = seenMs;
    this.#savedThroughMicros = this.#throughMicros;
  }
}
