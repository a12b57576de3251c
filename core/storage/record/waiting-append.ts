import { encodeRawLine } from '../../event/encode-raw-line.js';
import { Fault } from '../../event/fault.js';
import type { FingerprintedEvent } from '../../event/stages.js';
import type { CommittedEvent } from '../committed-event.js';
import { COMMIT_SLICE_BYTES } from './commit-record.js';

const NEWLINE = 0x0a;
/** Bytes that are encoded before others have a turn: about a millisecond of JSON. */
const TURN_BYTES = 256 * 1024;

/** One append on its way into a commit. */
export class WaitingAppend {
  readonly events: readonly FingerprintedEvent[];
  /** The sender's name for the batch. */
  readonly mark: string | undefined;
  /** Filled when the commit is durable, in the order of `events`. */
  readonly committed: CommittedEvent[];
  readonly #lines: Uint8Array[] = [];
  #bytes = 0;

  constructor(events: readonly FingerprintedEvent[], mark: string | undefined) {
    this.events = events;
    this.mark = mark;
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

/** An encoded append that waits for its commit, and how it is answered. */
export interface QueuedAppend {
  readonly waiting: WaitingAppend;
  readonly resolve: (committed: readonly CommittedEvent[]) => void;
  readonly reject: (error: unknown) => void;
}

/** A commit takes in further appends up to here; a longer one is committed alone. */
const GROUP_EVENTS = 1000;
const GROUP_BYTES = COMMIT_SLICE_BYTES;

/** Removes the next group from the front of the queue: whole appends only, at least one. */
export function takeGroup(queue: QueuedAppend[]): QueuedAppend[] {
  let events = 0;
  let bytes = 0;
  const end = queue.findIndex(({ waiting }) => {
    events += waiting.events.length;
    bytes += waiting.bytes;
    return events > GROUP_EVENTS || bytes > GROUP_BYTES;
  });
  return queue.splice(0, end < 0 ? queue.length : Math.max(1, end));
}
