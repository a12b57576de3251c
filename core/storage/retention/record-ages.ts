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

export type RecordAges = Awaited<ReturnType<typeof openRecordAges>>;

/** Time that a power loss may subtract from ages. */
const SAVE_MS = 3_600_000;

/**
 * Opens the ages of the record's hours, those included that an earlier store saved. They are in observed time, without the wall clock, so an
 * age is never more than the real one. Time is observed while a store is open, and between two stores if the machine was not rebooted.
 */
export async function openRecordAges({ uptime, note, lastMicros, onFault }: RecordAgesOptions) {
  /** End of each hour since the epoch, in observed time. */
  const ends = new Map<number, number>();
  /** Observed time minus uptime. */
  let offsetMs = -uptime.ms();
  let throughMicros = lastMicros;
  let savedAtMs = Number.NEGATIVE_INFINITY;
  let savedThroughMicros: number | undefined;

  // Negative if the uptime goes back, for example on a machine restored from a snapshot.
  const nowMs = (): number => Math.max(0, uptime.ms() + offsetMs);

  function load(saved: JsonValue | undefined): void {
    if (saved === undefined) return;
    const fields = new DocumentFields('The note of retention', saved);
    const bootId = fields.textOrNull('boot_id');
    const savedMicros = parseMicrosField(fields, 'through');
    const hours = fields.integers('hours');
    const endMs = fields.times('end_ms', hours.length);
    const passedMs = uptime.ms() - fields.count('uptime_ms');
    offsetMs += fields.count('seen_ms') + (bootId !== null && bootId === uptime.bootId ? Math.max(0, passedMs) : 0);
    // Hours that got events after the note was written have unknown ages.
    const unknownFrom = savedMicros === lastMicros ? Infinity : hourOfMicros(Math.min(savedMicros, lastMicros));
    for (const [index, hour] of hours.entries()) if (hour < unknownFrom) ends.set(hour, endMs[index] ?? 0);
    savedThroughMicros = savedMicros;
  }

  async function write(): Promise<void> {
    const seenMs = nowMs();
    // Rounded so that ages are never too large.
    const json = JSON.stringify({
      seen_ms: Math.floor(seenMs),
      uptime_ms: Math.ceil(uptime.ms()),
      boot_id: uptime.bootId ?? null,
      through: formatMicros(throughMicros),
      hours: [...ends.keys()],
      end_ms: Array.from(ends.values(), Math.ceil),
    });
    await note.write(json);
    savedAtMs = seenMs;
    savedThroughMicros = throughMicros;
  }

  await note.read().then(load).catch(onFault);
  return {
    /** Observed time since the folder was created. */
    get nowMs() {
      return nowMs();
    },
    /** Called for every commit. */
    observeCommit(receivedAtMicros: number): void {
      throughMicros = receivedAtMicros;
      const hour = hourOfMicros(receivedAtMicros);
      ends.set(hour, nowMs() + ((hour + 1) * MICROS_PER_HOUR - receivedAtMicros) / 1000);
    },
    /** Returns the least time since the hour ended; 0 on the first call for an unknown hour. */
    ageMs(hour: number): number {
      const now = nowMs();
      const endMs = ends.get(hour) ?? now;
      ends.set(hour, endMs);
      return now - endMs;
    },
    /** Discards hours before `fromHour`, and writes the note if the last write was more than an hour ago. */
    async save(fromHour: number): Promise<void> {
      for (const hour of ends.keys()) if (hour < fromHour) ends.delete(hour);
      if (nowMs() - savedAtMs >= SAVE_MS) await write();
    },
    /** Writes the note if events arrived since the last write; reports failures to `onFault`. */
    async close(): Promise<void> {
      if (throughMicros !== savedThroughMicros) await write().catch(onFault);
    },
  };
}
