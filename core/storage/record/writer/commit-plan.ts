import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FingerprintedEvent } from '../../../contract/stages.js';
import { Fault } from '../../../event/fault.js';
import { encodeRawLine } from '../../../event/raw-line.js';
import { COMMIT_SLICE_BYTES, MAX_COMMIT_LINES, MAX_MARKS } from '../commits/commit-record.js';
import type { CommittedEvent } from '../commits/committed-event.js';
import { type Partition, partitionOf } from '../partitions/partition-path.js';

const NEWLINE = 0x0a;
/** Bytes that are encoded before others have a turn: about a millisecond of JSON. */
const TURN_BYTES = 256 * 1024;

/** One append on its way into a commit. */
export class PendingAppend {
  readonly events: readonly FingerprintedEvent[];
  /** The sender's name for the batch. */
  readonly batchId: string | undefined;
  /** Filled when the commit is durable, in the order of `events`. */
  readonly committed: CommittedEvent[];
  readonly #lines: Uint8Array[] = [];
  #bytes = 0;

  constructor(events: readonly FingerprintedEvent[], batchId: string | undefined) {
    this.events = events;
    this.batchId = batchId;
    this.committed = new Array<CommittedEvent>(events.length);
  }

  /** Bytes of what is encoded, with newlines. */
  get bytes(): number {
    return this.#bytes;
  }

  get isEncoded(): boolean {
    return this.#lines.length === this.events.length;
  }

  /** Encodes some more events. Throws Fault `RAW_LINE_INVALID` when the bytes that came with one are not a line. */
  encodeSome(): void {
    const enough = this.#bytes + TURN_BYTES;
    while (this.#bytes < enough) {
      const event = this.events[this.#lines.length];
      if (event === undefined) return;
      const line = event.encoded === undefined ? encodeRawLine(event.payload) : checkedLine(event.encoded);
      this.#lines.push(line);
      this.#bytes += line.length + 1;
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
  const flaw =
    encoded.length === 0 ? 'is empty' : Buffer.prototype.indexOf.call(encoded, NEWLINE) >= 0 ? 'holds a newline' : '';
  if (flaw === '') return encoded;
  throw new Fault(
    'RAW_LINE_INVALID',
    `The encoded form of an event must be one line, but it ${flaw}. Leave it out, and the store encodes the payload.`,
  );
}

/** One raw line of a commit, and whose it is. */
interface PlannedLine {
  readonly event: FingerprintedEvent;
  /** Without newline. */
  readonly rawLine: Uint8Array;
  readonly append: PendingAppend;
  /** Place in the append's batch. */
  readonly index: number;
}

/** Lines that one commit record covers. */
export interface PlannedSlice {
  readonly lines: PlannedLine[];
  /** With newlines. */
  bytes: number;
  readonly marks: { readonly mark: string; lines: number }[];
}

/** What a commit writes to one partition. */
export interface PlannedPartition {
  readonly partition: Partition;
  readonly slices: PlannedSlice[];
  /** Lines of all slices. */
  lines: number;
  /** Which of the commit's instants it gets, from zero. */
  instant: number;
}

/** What a commit writes, its partitions in order of arrival (folder). */
export interface CommitPlan {
  readonly partitions: readonly PlannedPartition[];
  /** Instants that the commit needs: one, or more where partition hashes collide. */
  readonly instants: number;
}

/** Events that are placed before others have a turn. */
const TURN_EVENTS = 4096;

/** Sorts the lines of some encoded appends into the partitions of one hour. */
export async function planCommit(
  appends: readonly PendingAppend[],
  hour: number,
  partitionFor: PartitionCache,
): Promise<CommitPlan> {
  const byFolder = new Map<string, PlannedPartition>();
  let placed = 0;
  for (const append of appends) {
    for (const [index, event] of append.events.entries()) {
      const { env, service, app } = event.payload;
      const partition = partitionFor(env, service, app, hour);
      let planned = byFolder.get(partition.folder);
      if (planned === undefined) {
        planned = { partition, slices: [], lines: 0, instant: 0 };
        byFolder.set(partition.folder, planned);
      }
      placeLine(planned, { event, rawLine: append.lineAt(index), append, index });
      placed += 1;
      if (placed % TURN_EVENTS === 0) await nextTurn();
    }
  }
  const partitions = [...byFolder.values()].sort((a, b) => (a.partition.folder < b.partition.folder ? -1 : 1));
  return { partitions, instants: placeInstants(partitions) };
}

function placeLine(planned: PlannedPartition, line: PlannedLine): void {
  const bytes = line.rawLine.length + 1;
  const slice = sliceFor(planned, bytes, line);
  slice.lines.push(line);
  slice.bytes += bytes;
  planned.lines += 1;
  if (line.append.batchId === undefined) return;
  const last = slice.marks.at(-1);
  if (last?.mark === line.append.batchId) last.lines += 1;
  else slice.marks.push({ mark: line.append.batchId, lines: 1 });
}

/** The last slice while it has room for this line and its batch id, and is grouped by the same rules; else a new one. */
function sliceFor(planned: PlannedPartition, bytes: number, { event, append: { batchId } }: PlannedLine): PlannedSlice {
  const last = planned.slices.at(-1);
  if (last !== undefined && last.bytes + bytes <= COMMIT_SLICE_BYTES && last.lines.length < MAX_COMMIT_LINES) {
    const hasRoom = batchId === undefined || last.marks.length < MAX_MARKS || last.marks.at(-1)?.mark === batchId;
    if (hasRoom && last.lines[0]?.event.fingerprint.version === event.fingerprint.version) return last;
  }
  const slice: PlannedSlice = { lines: [], bytes: 0, marks: [] };
  planned.slices.push(slice);
  return slice;
}

/**
 * Event ids hold the instant, the line and 32 bits of a hash, so partitions of the same hash must not share an instant.
 * Chance makes that rare; a sender may look for such names on purpose.
 */
function placeInstants(partitions: readonly PlannedPartition[]): number {
  const taken = new Map<number, number>();
  let instants = 1;
  for (const planned of partitions) {
    planned.instant = taken.get(planned.partition.hash) ?? 0;
    taken.set(planned.partition.hash, planned.instant + 1);
    instants = Math.max(instants, planned.instant + 1);
  }
  return instants;
}

/** Names in one hour are few; more than this come from a sender that invents them, and then the cache starts over. */
const MAX_CACHED = 10_000;

/** `partitionOf` that hashes and builds paths once per hour and names. */
export type PartitionCache = (env: string, service: string, app: string, hour: number) => Partition;

/** A cache for appends, which ask for one hour at a time. */
export function createPartitionCache(): PartitionCache {
  let cachedHour = Number.NaN;
  let size = 0;
  let services = new Map<string, Map<string, Map<string, Partition>>>();

  const remember = (env: string, service: string, app: string, partition: Partition): void => {
    if (size >= MAX_CACHED) {
      services = new Map();
      size = 0;
    }
    const ofService = services.get(service) ?? new Map<string, Map<string, Partition>>();
    const ofApp = ofService.get(app) ?? new Map<string, Partition>();
    services.set(service, ofService.set(app, ofApp.set(env, partition)));
    size += 1;
  };

  return (env, service, app, hour) => {
    if (hour !== cachedHour) {
      services = new Map();
      size = 0;
      cachedHour = hour;
    }
    const known = services.get(service)?.get(app)?.get(env);
    if (known !== undefined) return known;
    const partition = partitionOf(env, service, app, hour);
    remember(env, service, app, partition);
    return partition;
  };
}
