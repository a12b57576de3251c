import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { reasonOf } from '../../../core/storage/record/append-faults.js';
import type { FileLogDefaults } from '../../../generated/settings.js';
import type { CheckpointFile } from './checkpoint-file.js';
import { type PendingRecord, toPendingRecord } from './file-record.js';
import type { FollowedFiles } from './followed-files.js';
import type { OnceWarner } from './once-warner.js';
import type { RecordDelivery } from './record-delivery.js';
import { RoundRobinReader } from './round-robin-reader.js';

/** The components of a running receiver. */
interface RunningFileLogOptions {
  readonly files: FollowedFiles;
  readonly delivery: RecordDelivery;
  readonly checkpointFile: CheckpointFile;
  readonly defaults: FileLogDefaults;
  readonly pollMs: number;
  readonly flushMs: number;
  /** Ends the loop and all waiting. */
  readonly stop: AbortController;
  readonly warner: OnceWarner;
  readonly logger: Logger;
}

/** Shortest interval between checkpoints without failures. */
const CHECKPOINT_INTERVAL_MS = 200;
/** Largest share of time spent on scanning for files. */
const MAX_SCAN_SHARE = 0.1;

/** The loop of a receiver: scan, read, forward. While the consumer refuses it only scans, so that no renamed file is missed. */
export class RunningFileLog {
  readonly #options: RunningFileLogOptions;
  readonly #reader: RoundRobinReader;
  readonly #loop: Promise<void>;
  #isCheckpointStale = false;
  #nextScanMs = 0;
  #nextCheckpointMs = 0;
  #isCheckpointRefused = false;

  constructor(options: RunningFileLogOptions) {
    this.#options = options;
    this.#reader = new RoundRobinReader(options.warner);
    this.#loop = this.#run();
  }

  /** Ends the loop, waits for the running delivery, and writes the checkpoint. */
  async close(): Promise<void> {
    const { stop, delivery, files } = this.#options;
    stop.abort();
    await this.#loop;
    await delivery.running;
    // Pending records are already on disk with the offsets that belong to them.
    if (delivery.pending.length === 0) await this.#writeCheckpoint(this.#drainRecords());
    await files.close();
  }

  async #run(): Promise<void> {
    const { stop, delivery, logger } = this.#options;
    let lastReason: string | undefined;
    while (!stop.signal.aborted) {
      let hasMore = false;
      try {
        hasMore = await this.#runRound();
      } catch (error) {
        const reason = reasonOf(error);
        if (reason !== lastReason) logger.error({ err: error }, 'following log files failed; it goes on');
        lastReason = reason;
      }
      if (hasMore && delivery.running === undefined) await nextTurn();
      else await this.#wait(hasMore);
    }
  }

  async #runRound(): Promise<boolean> {
    const { files, delivery, defaults } = this.#options;
    if (performance.now() >= this.#nextScanMs) await this.#scan();
    if (delivery.running !== undefined) return true;
    const { found, isChanged, hasMore } = await this.#reader.readRound(files.inReadingOrder);
    if (isChanged) this.#isCheckpointStale = true;
    if (found.length > 0) {
      delivery.begin(
        found.map((failure) => toPendingRecord(failure, defaults)),
        files.checkpoints(),
      );
    } else if (
      this.#isCheckpointStale &&
      delivery.pending.length === 0 &&
      performance.now() >= this.#nextCheckpointMs
    ) {
      await this.#writeCheckpoint([]);
    }
    return hasMore;
  }

  async #scan(): Promise<void> {
    const beganMs = performance.now();
    try {
      if (await this.#options.files.scan()) this.#isCheckpointStale = true;
    } finally {
      const endedMs = performance.now();
      const restMs = (endedMs - beganMs) * (1 / MAX_SCAN_SHARE - 1);
      this.#nextScanMs = Math.max(beganMs + this.#options.pollMs, endedMs + restMs);
    }
  }

  /** Waits until the next scan, until a partial trace is due, or until the delivery ends if there is more to read. */
  async #wait(hasMore: boolean): Promise<void> {
    const { files, delivery, flushMs, pollMs, stop } = this.#options;
    const untilMs = Math.max(1, this.#nextScanMs - performance.now());
    const isAnyWaiting = files.inReadingOrder.some((file) => file.hasPartial);
    const waitMs =
      isAnyWaiting || this.#isCheckpointStale ? Math.min(untilMs, flushMs, CHECKPOINT_INTERVAL_MS, pollMs) : untilMs;
    const rest = sleep(waitMs, undefined, { signal: stop.signal }).catch(() => undefined);
    await (hasMore && delivery.running !== undefined ? Promise.race([rest, delivery.running]) : rest);
  }

  /** Returns what was found and not forwarded. */
  #drainRecords(): PendingRecord[] {
    const { files, defaults } = this.#options;
    const found = files.inReadingOrder.flatMap((file) => file.drainFound());
    return found.map((failure) => toPendingRecord(failure, defaults));
  }

  async #writeCheckpoint(pending: readonly PendingRecord[]): Promise<void> {
    const { files, checkpointFile, logger } = this.#options;
    this.#nextCheckpointMs = performance.now() + CHECKPOINT_INTERVAL_MS;
    try {
      await checkpointFile.write({ files: files.checkpoints(), pending });
      this.#isCheckpointStale = false;
      this.#isCheckpointRefused = false;
    } catch (error) {
      if (!this.#isCheckpointRefused)
        logger.warn({ err: error }, 'the checkpoint of the log files cannot be written; it is tried again');
      this.#isCheckpointRefused = true;
    }
  }
}
