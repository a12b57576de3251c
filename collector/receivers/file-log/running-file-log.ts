import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { reasonOf } from '../../../core/storage/record/append-faults.js';
import type { FileLogDefaults } from '../../../generated/settings.js';
import type { Checkpoint } from './checkpoint.js';
import type { CheckpointFile } from './checkpoint-file.js';
import { fileRecordOf, type PendingRecord } from './file-record.js';
import type { FollowedFiles } from './followed-files.js';
import type { HandOver } from './hand-over.js';
import type { ReadTurns } from './read-turns.js';

/** What a running receiver is made of. */
export interface RunningFileLogOptions {
  readonly files: FollowedFiles;
  readonly turns: ReadTurns;
  readonly handOver: HandOver;
  readonly checkpointFile: CheckpointFile;
  readonly defaults: FileLogDefaults;
  readonly pollMs: number;
  readonly flushMs: number;
  /** Ends the loop and all waiting. */
  readonly stop: AbortController;
  readonly logger: Logger;
}

/** A checkpoint without failures is written no more often. */
const CHECKPOINT_INTERVAL_MS = 200;
/** Looking at the files takes at most this share of the time. */
const LARGEST_LOOKING_SHARE = 0.1;

/** The loop of a receiver: look at the files, read, hand on, and while the line refuses only look, so that no renamed file is missed. */
export class RunningFileLog {
  readonly #options: RunningFileLogOptions;
  readonly #loop: Promise<void>;
  /** The checkpoint on the disk is behind. */
  #isBehind = false;
  #nextLookMs = 0;
  #nextCheckpointMs = 0;
  #isCheckpointRefused = false;

  constructor(options: RunningFileLogOptions) {
    this.#options = options;
    this.#loop = this.#run();
  }

  /** Ends the loop, waits for the set that the line has in hand, and writes where reading goes on. */
  async close(): Promise<void> {
    const { stop, handOver, files } = this.#options;
    stop.abort();
    await this.#loop;
    await handOver.running;
    // What is pending lies on the disk together with the places that belong to it.
    if (handOver.pending.length === 0) await this.#writeCheckpoint(this.#recordsLeft());
    await files.close();
  }

  async #run(): Promise<void> {
    const { stop, handOver, logger } = this.#options;
    let lastReason: string | undefined;
    while (!stop.signal.aborted) {
      let hasMore = false;
      try {
        hasMore = await this.#turn();
      } catch (error) {
        const reason = reasonOf(error);
        if (reason !== lastReason) logger.error({ err: error }, 'following log files failed; it goes on');
        lastReason = reason;
      }
      if (hasMore && handOver.running === undefined) await nextTurn();
      else await this.#rest(hasMore);
    }
  }

  async #turn(): Promise<boolean> {
    const { files, turns, handOver, defaults } = this.#options;
    if (performance.now() >= this.#nextLookMs) await this.#look();
    if (handOver.running !== undefined) return true;
    const { found, isChanged, hasMore } = await turns.take(files.inReadingOrder);
    if (isChanged) this.#isBehind = true;
    if (found.length > 0) {
      handOver.begin(
        found.map((failure) => fileRecordOf(failure, defaults)),
        files.checkpoints(),
      );
    } else if (this.#isBehind && handOver.pending.length === 0 && performance.now() >= this.#nextCheckpointMs) {
      await this.#writeCheckpoint([]);
    }
    return hasMore;
  }

  async #look(): Promise<void> {
    const beganMs = performance.now();
    try {
      if (await this.#options.files.look()) this.#isBehind = true;
    } finally {
      const endedMs = performance.now();
      const restMs = (endedMs - beganMs) * (1 / LARGEST_LOOKING_SHARE - 1);
      this.#nextLookMs = Math.max(beganMs + this.#options.pollMs, endedMs + restMs);
    }
  }

  /** Until the next look, until a trace is due that waits, or until the running set is taken when there is more to read. */
  async #rest(hasMore: boolean): Promise<void> {
    const { files, handOver, flushMs, pollMs, stop } = this.#options;
    const woken = new AbortController();
    const untilMs = Math.max(1, this.#nextLookMs - performance.now());
    const isAnyWaiting = files.inReadingOrder.some((file) => file.isWaiting);
    const waitMs =
      isAnyWaiting || this.#isBehind ? Math.min(untilMs, flushMs, CHECKPOINT_INTERVAL_MS, pollMs) : untilMs;
    const rest = sleep(waitMs, undefined, { signal: AbortSignal.any([stop.signal, woken.signal]) }).catch(
      () => undefined,
    );
    await (hasMore && handOver.running !== undefined ? Promise.race([rest, handOver.running]) : rest);
    woken.abort();
  }

  /** What was found and not handed on any more. */
  #recordsLeft(): PendingRecord[] {
    const { files, defaults } = this.#options;
    const found = files.inReadingOrder.flatMap((file) => file.takeFound());
    return found.map((failure) => fileRecordOf(failure, defaults));
  }

  async #writeCheckpoint(pending: readonly PendingRecord[]): Promise<void> {
    const { files, checkpointFile, logger } = this.#options;
    const checkpoint: Checkpoint = { files: files.checkpoints(), pending };
    this.#nextCheckpointMs = performance.now() + CHECKPOINT_INTERVAL_MS;
    try {
      await checkpointFile.write(checkpoint);
      this.#isBehind = false;
      this.#isCheckpointRefused = false;
    } catch (error) {
      if (!this.#isCheckpointRefused)
        logger.warn({ err: error }, 'the checkpoint of the log files cannot be written; it is tried again');
      this.#isCheckpointRefused = true;
    }
  }
}
