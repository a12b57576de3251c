import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { GroupingPlan } from '../record/grouping-log-plan.js';
import type { CommitPlace } from './commit-bytes.js';
import { createDescribedIssues } from './described-issues.js';
import type { PackedLines } from './packed-lines.js';

/** What a thread is started with. */
export interface ThreadTask {
  readonly plan: GroupingPlan;
  /** From `createDescribedIssues`, the same for all threads of a replay. */
  readonly describedIssues: SharedArrayBuffer;
}

/** Commits that a thread is to read. */
export interface CommitsMessage {
  /** Place in the order in which all batches of a replay count, from 1. */
  readonly batch: number;
  readonly commits: readonly ThreadCommit[];
}

/** One commit, with what groups its lines: `VALUE_LENGTH` characters for each, undefined where the thread finds out. */
export interface ThreadCommit extends CommitPlace {
  readonly receivedAtMicros: number;
  /** Version of the rules that grouped its lines on arrival, undefined where the record does not say. */
  readonly storedVersion: number | undefined;
  readonly values: string | undefined;
}

/**
 * Threads that read commits from the disk, check them, and group lines without a fingerprint: it counts for those that have one. Answers come in any
 * order; what a thread could not read is unread in the answer, or the answer is undefined, and is read by whoever asked. Described is in each batch
 * every first event of an issue that no earlier one describes. `close` is safe twice; what is under way then is answered as undefined.
 */
export interface ReplayThreads {
  read(commits: readonly ThreadCommit[]): Promise<PackedLines | undefined>;
  close(): Promise<void>;
}

/** More do not help: one thread takes in what all of them read. */
const MAX_THREADS = 3;

/** Starts threads that group by a plan. One that fails is reported and its commits are left unread. */
export function openReplayThreads(plan: GroupingPlan, onFault: (fault: Error) => void): ReplayThreads {
  const count = Math.min(MAX_THREADS, availableParallelism());
  const task = { plan, describedIssues: createDescribedIssues() };
  const threads = Array.from({ length: count }, () => new ReplayThread(task, onFault));
  let batch = 0;
  return {
    read(commits) {
      const idlest = threads.reduce((least, thread) => (thread.waiting < least.waiting ? thread : least));
      batch += 1;
      return idlest.read(commits, batch);
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

/** One thread, which answers in the order in which it is asked. */
class ReplayThread {
  readonly #worker: Worker;
  readonly #waiting: ((packed: PackedLines | undefined) => void)[] = [];
  #hasEnded = false;

  constructor(task: ThreadTask, onFault: (fault: Error) => void) {
    this.#worker = new Worker(new URL('./replay-thread.js', import.meta.url), { workerData: task });
    this.#worker.on('message', (packed: PackedLines) => this.#waiting.shift()?.(packed));
    this.#worker.on('error', (cause) => onFault(cause));
    this.#worker.on('exit', () => this.#end());
  }

  /** Requests that are not answered yet. */
  get waiting(): number {
    return this.#hasEnded ? Number.POSITIVE_INFINITY : this.#waiting.length;
  }

  async read(commits: readonly ThreadCommit[], batch: number): Promise<PackedLines | undefined> {
    if (this.#hasEnded) return undefined;
    const message: CommitsMessage = { batch, commits };
    const answer = new Promise<PackedLines | undefined>((resolve) => this.#waiting.push(resolve));
    this.#worker.postMessage(message);
    return answer;
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
