import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { reasonOf } from '../../../core/storage/record/append-faults.js';
import type { FileLogDefaults } from '../../../generated/settings.js';
import type { CheckpointFile } from './checkpoint-file.js';
import { type FoundFailure, type PendingRecord, toPendingRecord } from './file-record.js';
import type { FollowedFile } from './followed-file.js';
import type { FollowedFiles } from './followed-files.js';
import type { OnceWarner } from './once-warner.js';
import type { RecordDelivery } from './record-delivery.js';

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
const BUFFER_BYTES = 64 * 1024;
/** Per file and round, so that a fast-growing file does not delay the others. */
const MAX_FILE_BYTES = 256 * 1024;
const MAX_TURN_BYTES = 4 * 1024 * 1024;
/** UTF-16 units of found text in one round. */
const MAX_FOUND_LENGTH = 1024 * 1024;

/** The loop of a receiver: scan, read, forward. While the consumer refuses it only scans, so that no renamed file is missed. */
export class RunningFileLog {
  readonly #options: RunningFileLogOptions;
  readonly #reader: RoundReader;
  readonly #loop: Promise<void>;
  /** Whether something changed since the last checkpoint. */
  #isCheckpointStale = false;
  #isCheckpointRefused = false;
  #nextScanMs = 0;
  #nextCheckpointMs = 0;

  /** Starts the loop. */
  constructor(options: RunningFileLogOptions) {
    this.#options = options;
    this.#reader = new RoundReader(options.warner);
    this.#loop = this.#run();
  }

  /** Ends the loop, waits for the running delivery, and writes the checkpoint. */
  async close(): Promise<void> {
    const { files, delivery, stop } = this.#options;
    stop.abort();
    await this.#loop;
    await delivery.running;
    // Pending records are already on disk with the offsets that belong to them.
    if (delivery.pending.length === 0) {
      const found = files.inReadingOrder.flatMap((file) => file.drainFound());
      await this.#writeCheckpoint(this.#toRecords(found));
    }
    await files.close();
  }

  async #run(): Promise<void> {
    const { delivery, stop, logger } = this.#options;
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

  /** Returns whether more can be read at once. */
  async #runRound(): Promise<boolean> {
    const { files, delivery } = this.#options;
    if (performance.now() >= this.#nextScanMs) await this.#scan();
    if (delivery.running !== undefined) return true;
    const { found, isChanged, hasMore } = await this.#reader.read(files.inReadingOrder);
    if (isChanged) this.#isCheckpointStale = true;
    if (found.length > 0) delivery.begin(this.#toRecords(found), files.checkpoints());
    else if (this.#isCheckpointDue()) await this.#writeCheckpoint([]);
    return hasMore;
  }

  #isCheckpointDue(): boolean {
    const isUseful = this.#isCheckpointStale && this.#options.delivery.pending.length === 0;
    return isUseful && performance.now() >= this.#nextCheckpointMs;
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
    const { files, delivery, pollMs, flushMs, stop } = this.#options;
    const untilScanMs = Math.max(1, this.#nextScanMs - performance.now());
    const isAnythingDue = this.#isCheckpointStale || files.inReadingOrder.some((file) => file.hasPartial);
    const waitMs = isAnythingDue ? Math.min(untilScanMs, flushMs, CHECKPOINT_INTERVAL_MS, pollMs) : untilScanMs;
    const waited = sleep(waitMs, undefined, { signal: stop.signal }).catch(() => undefined);
    await (hasMore && delivery.running !== undefined ? Promise.race([waited, delivery.running]) : waited);
  }

  #toRecords(found: readonly FoundFailure[]): PendingRecord[] {
    return found.map((failure) => toPendingRecord(failure, this.#options.defaults));
  }

  async #writeCheckpoint(pending: readonly PendingRecord[]): Promise<void> {
    const { files, checkpointFile, logger } = this.#options;
    this.#nextCheckpointMs = performance.now() + CHECKPOINT_INTERVAL_MS;
    try {
      await checkpointFile.write({ files: files.checkpoints(), pending });
      this.#isCheckpointStale = false;
      this.#isCheckpointRefused = false;
    } catch (error) {
      if (!this.#isCheckpointRefused) {
        logger.warn({ err: error }, 'the checkpoint of the log files cannot be written; it is tried again');
      }
      this.#isCheckpointRefused = true;
    }
  }
}

/** What one round of reading found. */
interface Round {
  readonly found: FoundFailure[];
  /** UTF-16 units of their texts. */
  foundLength: number;
  readBytes: number;
  /** Whether something was read or flushed. */
  isChanged: boolean;
  /** Whether more can be read at once. */
  hasMore: boolean;
}

/** Reads the followed files in bounded rounds, one after another. */
class RoundReader {
  readonly #warner: OnceWarner;
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  /** The file that the last round ended at. */
  #last: FollowedFile | undefined;

  constructor(warner: OnceWarner) {
    this.#warner = warner;
  }

  /** Continues after the file that the last round ended at. A file waits until a renamed one that had its path is read to the end. */
  async read(inOrder: readonly FollowedFile[]): Promise<Readonly<Round>> {
    const begin = this.#last === undefined ? 0 : inOrder.indexOf(this.#last) + 1;
    const unfinished = new Set(inOrder.filter((file) => file.isGone && !file.isAtEnd).map((file) => file.path));
    const round: Round = { found: [], foundLength: 0, readBytes: 0, isChanged: false, hasMore: false };
    for (const file of [...inOrder.slice(begin), ...inOrder.slice(0, begin)]) {
      if (round.readBytes >= MAX_TURN_BYTES || round.foundLength >= MAX_FOUND_LENGTH) {
        round.hasMore = true;
        break;
      }
      this.#last = file;
      if (!file.isGone && unfinished.has(file.path)) round.hasMore = true;
      else await this.#readFile(file, round);
    }
    return round;
  }

  async #readFile(file: FollowedFile, round: Round): Promise<void> {
    const bytes = await this.#readBytes(file);
    const isFlushed = file.flushIfDue(performance.now());
    const found = file.drainFound();
    round.readBytes += bytes;
    round.found.push(...found);
    round.foundLength += found.reduce((sum, { failure }) => sum + failure.text.length, 0);
    round.isChanged ||= bytes > 0 || isFlushed || found.length > 0;
    round.hasMore ||= bytes >= MAX_FILE_BYTES;
  }

  async #readBytes(file: FollowedFile): Promise<number> {
    try {
      return await file.read(this.#buffer, MAX_FILE_BYTES, performance.now());
    } catch (error) {
      this.#warner.warn(file.path, reasonOf(error), 'a log file cannot be read; retrying');
      return 0;
    }
  }
}
