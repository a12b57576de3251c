import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FingerprintedEvent, SenderOrigin } from '../../../contract/stages.js';
import { Fault } from '../../../event/fault.js';
import { encodeRawLine } from '../../../event/raw-line.js';
import { MAX_COMMIT_BATCHES, MAX_COMMIT_LINES, MAX_COMMIT_RAW_BYTES } from '../commits/commit-record.js';
import type { CommittedEvent } from '../commits/committed-event.js';
import type { FolderId } from '../partitions/folder-id.js';
import { type Partition, partitionOf } from '../partitions/partition-path.js';

const NEWLINE = 0x0a;
/** Bytes encoded before yielding to the event loop: about a millisecond of JSON. */
const TURN_BYTES = 256 * 1024;

/** One append that waits for its commit. */
export class PendingAppend {
  readonly events: readonly FingerprintedEvent[];
  readonly batchId: string | undefined;
  /** Undefined: unknown. */
  readonly origin: SenderOrigin | undefined;
  /** Filled by the commit, in the order of `events`. */
  readonly committed: CommittedEvent[];
  readonly #lines: Uint8Array[] = [];
  /** Encoded bytes, with newlines. */
  bytes = 0;

  constructor(events: readonly FingerprintedEvent[], batchId: string | undefined, origin: SenderOrigin | undefined) {
    this.events = events;
    this.batchId = batchId;
    this.origin = origin;
    this.committed = new Array<CommittedEvent>(events.length);
  }

  get isEncoded(): boolean {
    return this.#lines.length === this.events.length;
  }

  /** Encodes the next events. Throws Fault `RAW_LINE_INVALID` if an event's `encoded` bytes are not one line. */
  encodeSome(): void {
    const enough = this.bytes + TURN_BYTES;
    while (this.bytes < enough) {
      const event = this.events[this.#lines.length];
      if (event === undefined) return;
      const line = event.encoded === undefined ? encodeRawLine(event.payload) : checkedLine(event.encoded);
      this.#lines.push(line);
      this.bytes += line.length + 1;
    }
  }

  /** The raw line of an event, without newline. */
  lineAt(index: number): Uint8Array {
    const line = this.#lines[index];
    if (line === undefined) throw new RangeError(`Event ${index} of an append is not encoded yet.`);
    return line;
  }
}

function checkedLine(encoded: Uint8Array): Uint8Array {
  const bytes = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength);
  const flaw = bytes.length === 0 ? 'is empty' : bytes.includes(NEWLINE) ? 'holds a newline' : undefined;
  if (flaw === undefined) return encoded;
  throw new Fault(
    'RAW_LINE_INVALID',
    `The encoded form of an event must be one line, but it ${flaw}. Without it the store encodes the payload.`,
  );
}

/** One raw line of a commit, with its append. */
interface PlannedLine {
  readonly event: FingerprintedEvent;
  /** Without newline. */
  readonly rawLine: Uint8Array;
  readonly append: PendingAppend;
  /** Index in the append's batch. */
  readonly index: number;
}

/** One commit record to write, with its lines. */
export interface PlannedRecord {
  readonly lines: PlannedLine[];
  /** With newlines. */
  bytes: number;
  readonly batches: { readonly batchId: string; lines: number }[];
}

/** The commit records of one partition. */
export interface PlannedPartition {
  readonly partition: Partition;
  readonly records: PlannedRecord[];
  /** Lines of all records. */
  lines: number;
  /** Which of the commit's timestamps the partition gets, from zero. */
  timestampIndex: number;
}

/** What one commit writes, its partitions in order of arrival (folder). */
export interface CommitPlan {
  readonly partitions: readonly PlannedPartition[];
  /** Timestamps that the commit needs: one, or more if partition hashes collide. */
  readonly timestamps: number;
}

/** Events planned before yielding to the event loop. */
const TURN_EVENTS = 4096;

/** Distributes the lines of encoded appends over the partitions of one hour. */
export async function planCommit(
  appends: readonly PendingAppend[],
  hour: number,
  partitions: PartitionCache,
): Promise<CommitPlan> {
  const byFolder = new Map<string, PlannedPartition>();
  let planned = 0;
  for (const append of appends) {
    for (const [index, event] of append.events.entries()) {
      const { env, service, app } = event.payload;
      const partition = partitions.get(env, service, app, hour);
      let target = byFolder.get(partition.folder);
      if (target === undefined) {
        target = { partition, records: [], lines: 0, timestampIndex: 0 };
        byFolder.set(partition.folder, target);
      }
      addLine(target, { event, rawLine: append.lineAt(index), append, index });
      planned += 1;
      if (planned % TURN_EVENTS === 0) await nextTurn();
    }
  }
  const inOrder = [...byFolder.values()].sort((a, b) => (a.partition.folder < b.partition.folder ? -1 : 1));
  return { partitions: inOrder, timestamps: assignTimestamps(inOrder) };
}

function addLine(planned: PlannedPartition, line: PlannedLine): void {
  const bytes = line.rawLine.length + 1;
  const record = recordFor(planned, bytes, line);
  record.lines.push(line);
  record.bytes += bytes;
  planned.lines += 1;
  if (line.append.batchId === undefined) return;
  const last = record.batches.at(-1);
  if (last?.batchId === line.append.batchId) last.lines += 1;
  else record.batches.push({ batchId: line.append.batchId, lines: 1 });
}

/** The last record if it has room for this line and its batch id and has the same grouping version; else a new one. */
function recordFor(
  planned: PlannedPartition,
  bytes: number,
  { event, append: { batchId } }: PlannedLine,
): PlannedRecord {
  const last = planned.records.at(-1);
  if (last !== undefined && last.bytes + bytes <= MAX_COMMIT_RAW_BYTES && last.lines.length < MAX_COMMIT_LINES) {
    const hasRoom =
      batchId === undefined || last.batches.length < MAX_COMMIT_BATCHES || last.batches.at(-1)?.batchId === batchId;
    if (hasRoom && last.lines[0]?.event.fingerprint.version === event.fingerprint.version) return last;
  }
  const record: PlannedRecord = { lines: [], bytes: 0, batches: [] };
  planned.records.push(record);
  return record;
}

/**
 * Event ids hold the timestamp, the line and 32 bits of a hash, so partitions of the same hash must not share a timestamp.
 * Collisions are rare, but a sender can construct them.
 */
function assignTimestamps(partitions: readonly PlannedPartition[]): number {
  const usedByHash = new Map<number, number>();
  let timestamps = 1;
  for (const planned of partitions) {
    planned.timestampIndex = usedByHash.get(planned.partition.hash) ?? 0;
    usedByHash.set(planned.partition.hash, planned.timestampIndex + 1);
    timestamps = Math.max(timestamps, planned.timestampIndex + 1);
  }
  return timestamps;
}

/** One hour has few names; a sender that invents more makes the cache start over. */
const MAX_CACHED = 10_000;

/** The partitions of one hour by names, because each event looks one up and `partitionOf` hashes and builds paths. */
export class PartitionCache {
  readonly #folderId: FolderId | undefined;
  #hour = Number.NaN;
  #size = 0;
  /** By service, then app, then environment. */
  #services = new Map<string, Map<string, Map<string, Partition>>>();

  constructor(folderId?: FolderId) {
    this.#folderId = folderId;
  }

  get(env: string, service: string, app: string, hour: number): Partition {
    if (hour !== this.#hour) this.#beginAgain(hour);
    return this.#services.get(service)?.get(app)?.get(env) ?? this.#add(env, service, app);
  }

  #add(env: string, service: string, app: string): Partition {
    if (this.#size >= MAX_CACHED) this.#beginAgain(this.#hour);
    const partition = partitionOf({ env, service, app }, this.#hour, this.#folderId);
    const ofService = this.#services.get(service) ?? new Map<string, Map<string, Partition>>();
    const ofApp = ofService.get(app) ?? new Map<string, Partition>();
    this.#services.set(service, ofService.set(app, ofApp.set(env, partition)));
    this.#size += 1;
    return partition;
  }

  #beginAgain(hour: number): void {
    this.#services = new Map();
    this.#size = 0;
    this.#hour = hour;
  }
}
