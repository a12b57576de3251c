import type { EventId } from '../../../../core/event/ids.js';
import { encodeRawLine } from '../../../../core/event/raw-line.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import type { Fingerprint } from '../../../../core/fingerprint/fingerprint.js';
import type {
  CommittedEvent,
  ReplayedCommit,
  ReplayedLine,
} from '../../../../core/storage/record/commits/committed-event.js';
import { hourOfMicros } from '../../../../core/storage/record/partitions/arrival-clock.js';
import { createEventIds } from '../../../../core/storage/record/partitions/event-id.js';
import { type Partition, partitionOf } from '../../../../core/storage/record/partitions/partition-path.js';
import { computeFingerprint } from '../../fingerprint/compute-fingerprint.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';

export const TEN_O_CLOCK_MICROS = TEN_O_CLOCK_MS * 1000;

const fingerprints = new Map<string, Fingerprint>();

/** `computeFingerprint` with a cache, because tests replay the same few failures very often. */
export function cachedFingerprint(payload: RawPayload): Fingerprint {
  const key = `${payload.error_name} ${payload.message}`;
  const fingerprint = fingerprints.get(key) ?? computeFingerprint(payload);
  fingerprints.set(key, fingerprint);
  return fingerprint;
}

/** A record in memory that is durable at once and replays like the real one. */
export class MemoryRecord {
  readonly commits: ReplayedCommit[] = [];
  readonly #byId = new Map<EventId, Partition>();
  readonly #stores: boolean;
  readonly #ends = new Map<string, { line: number; offset: number }>();

  /** `storesFingerprints` is false for a record of an older version; default true. */
  constructor({ storesFingerprints = true } = {}) {
    this.#stores = storesFingerprints;
  }

  /** Stores payloads as one commit and returns the events for the index. */
  commit(payloads: readonly RawPayload[], receivedAtMicros: number): CommittedEvent[] {
    const hour = hourOfMicros(receivedAtMicros);
    const placed = payloads.map((payload) => ({
      payload,
      partition: partitionOf(payload, hour),
    }));
    placed.sort((a, b) =>
      a.partition.folder < b.partition.folder ? -1 : Number(a.partition.folder > b.partition.folder),
    );
    const lines: ReplayedLine[] = [];
    const committed = placed.map(({ payload, partition }) => {
      const rawLine = encodeRawLine(payload);
      const { line, offset } = this.#ends.get(partition.folder) ?? { line: 0, offset: 0 };
      this.#ends.set(partition.folder, { line: line + 1, offset: offset + rawLine.length + 1 });
      const location = { partition, line, offset, bytes: rawLine.length };
      const eventId = createEventIds(partition, receivedAtMicros)(line);
      this.#byId.set(eventId, partition);
      const fingerprint = cachedFingerprint(payload);
      const { value, version } = fingerprint;
      lines.push({ ...location, rawLine, fingerprint: this.#stores ? { value, version } : undefined });
      return { ...location, eventId, event: { payload, fingerprint }, receivedAtMicros };
    });
    this.commits.push({ receivedAtMicros, events: lines });
    return committed;
  }

  copy(): MemoryRecord {
    const copy = new MemoryRecord({ storesFingerprints: this.#stores });
    copy.commits.push(...this.commits);
    for (const [eventId, partition] of this.#byId) copy.#byId.set(eventId, partition);
    for (const [folder, end] of this.#ends) copy.#ends.set(folder, end);
    return copy;
  }

  /** Loses the last commits, as an unsynced disk does. */
  lose(count: number): void {
    this.commits.length -= count;
    this.#byId.clear();
    for (const { receivedAtMicros, events } of this.commits) {
      for (const { partition, line } of events)
        this.#byId.set(createEventIds(partition, receivedAtMicros)(line), partition);
    }
  }

  async partitionOfId(eventId: EventId): Promise<Partition | undefined> {
    return this.#byId.get(eventId);
  }

  async readLine(partition: Partition, line: number): Promise<Buffer | undefined> {
    const lines = this.commits.flatMap(({ events }) => events);
    const found = lines.find((one) => one.partition.folder === partition.folder && one.line === line);
    return found && Buffer.from(found.rawLine);
  }

  async *replay({ afterMicros }: { afterMicros: number }): AsyncGenerator<ReplayedCommit> {
    for (const commit of this.commits) if (commit.receivedAtMicros > afterMicros) yield commit;
  }
}
