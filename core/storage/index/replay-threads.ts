import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { VALUE_LENGTH } from '../record/commit-fingerprints.js';
import type { ReplayedLine } from '../record/record-reader.js';
import { createDescribedIssues } from './described-issues.js';
import type { DescribedFailure, IndexedFailure } from './indexed-event.js';
import { type PackedFailures, unpackFailures } from './packed-failures.js';

/** What a thread is started with. */
export interface ThreadTask {
  /** Address of the module that groups. */
  readonly fingerprintModule: string;
  /** From `createDescribedIssues`, the same for all threads of a replay. */
  readonly describedIssues: SharedArrayBuffer;
}

/** Lines on their way to a thread. */
export interface LinesMessage {
  /** Place in the order in which all batches of a replay count, from 1. */
  readonly batch: number;
  /** All of them, without their newlines. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where each of them ends. */
  readonly ends: Uint32Array<ArrayBuffer>;
  /** What groups each of them, `VALUE_LENGTH` characters; spaces where the thread finds out. */
  readonly values: string;
}

/** What a thread makes of lines, in their order, to be gone through once; described is every line that it groups itself, and the first one of each issue that it meets. */
type ReadLines = Iterable<IndexedFailure | DescribedFailure | undefined>;

/**
 * Threads that read lines, and group those without a fingerprint: it counts for those that have one. Answers come in any order; what a thread could not read is undefined, and is read by whoever asked.
 * `close` is safe twice; what is under way then is answered as unread.
 */
export interface ReplayThreads {
  read(lines: readonly ReplayedLine[]): Promise<ReadLines>;
  close(): Promise<void>;
}

const NO_VALUE = ' '.repeat(VALUE_LENGTH);

/** More do not help: one thread takes in what all of them read. */
const MAX_THREADS = 3;

/** Starts threads that group with `computeFingerprint` of a module. One that fails is reported and its lines are left unread. */
export function openReplayThreads(fingerprintModule: URL, onFault: (fault: Error) => void): ReplayThreads {
  const count = Math.min(MAX_THREADS, availableParallelism());
  const task = { fingerprintModule: fingerprintModule.href, describedIssues: createDescribedIssues() };
  const threads = Array.from({ length: count }, () => new ReplayThread(task, onFault));
  let batch = 0;
  return {
    read(lines) {
      const idlest = threads.reduce((least, thread) => (thread.waiting < least.waiting ? thread : least));
      batch += 1;
      return idlest.read(lines, batch);
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

/** One thread, which answers in the order in which it is asked. */
class ReplayThread {
  readonly #worker: Worker;
  readonly #waiting: ((packed: PackedFailures | undefined) => void)[] = [];
  #hasEnded = false;

  constructor(task: ThreadTask, onFault: (fault: Error) => void) {
    this.#worker = new Worker(new URL('./replay-thread.js', import.meta.url), { workerData: task });
    this.#worker.on('message', (packed: PackedFailures) => this.#waiting.shift()?.(packed));
    this.#worker.on('error', (cause) => onFault(cause));
    this.#worker.on('exit', () => this.#end());
  }

  /** Requests that are not answered yet. */
  get waiting(): number {
    return this.#hasEnded ? Number.POSITIVE_INFINITY : this.#waiting.length;
  }

  async read(lines: readonly ReplayedLine[], batch: number): Promise<ReadLines> {
    if (this.#hasEnded) return [];
    const message = messageOf(lines, batch);
    const answer = new Promise<PackedFailures | undefined>((resolve) => this.#waiting.push(resolve));
    this.#worker.postMessage(message, [message.bytes.buffer, message.ends.buffer]);
    const packed = await answer;
    if (packed === undefined) return [];
    return unpackFailures(packed, (place) => lines[place]?.fingerprint);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
    this.#end();
  }

  #end(): void {
    this.#hasEnded = true;
    for (const answer of this.#waiting.splice(0)) answer(undefined);
  }
}

/** A copy: the lines share the memory of a larger portion, which cannot be handed over. */
function messageOf(lines: readonly ReplayedLine[], batch: number): LinesMessage {
  const bytes = new Uint8Array(lines.reduce((sum, line) => sum + line.bytes, 0));
  const ends = new Uint32Array(lines.length);
  let at = 0;
  lines.forEach(({ rawLine }, index) => {
    bytes.set(rawLine, at);
    at += rawLine.length;
    ends[index] = at;
  });
  return { batch, bytes, ends, values: lines.map(({ fingerprint }) => fingerprint?.value ?? NO_VALUE).join('') };
}
