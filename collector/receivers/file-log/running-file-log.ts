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

/** Starts the loop of a receiver: scan, read, forward. While the consumer refuses it only scans, so that no renamed file is missed. */
export function runFileLog(options: RunningFileLogOptions) {
  const { files, delivery, checkpointFile, defaults, pollMs, flushMs, stop, warner, logger } = options;
  const readRound = createRoundReader(warner);
  let isCheckpointStale = false;
  let nextScanMs = 0;
  let nextCheckpointMs = 0;
  let isCheckpointRefused = false;

  /** Ends the loop, waits for the running delivery, and writes the checkpoint. */
  async function close(): Promise<void> {
    stop.abort();
    await loop;
    await delivery.running;
    // Pending records are already on disk with the offsets that belong to them.
    if (delivery.pending.length === 0) await writeCheckpoint(drainRecords());
    await files.close();
  }

  async function run(): Promise<void> {
    let lastReason: string | undefined;
    while (!stop.signal.aborted) {
      let hasMore = false;
      try {
        hasMore = await runRound();
      } catch (error) {
        const reason = reasonOf(error);
        if (reason !== lastReason) logger.error({ err: error }, 'following log files failed; it goes on');
        lastReason = reason;
      }
      if (hasMore && delivery.running === undefined) await nextTurn();
      else await wait(hasMore);
    }
  }

  async function runRound(): Promise<boolean> {
    if (performance.now() >= nextScanMs) await scan();
    if (delivery.running !== undefined) return true;
    const { found, isChanged, hasMore } = await readRound(files.inReadingOrder);
    if (isChanged) isCheckpointStale = true;
    if (found.length > 0) {
      delivery.begin(
        found.map((failure) => toPendingRecord(failure, defaults)),
        files.checkpoints(),
      );
    } else if (isCheckpointStale && delivery.pending.length === 0 && performance.now() >= nextCheckpointMs) {
      await writeCheckpoint([]);
    }
    return hasMore;
  }

  async function scan(): Promise<void> {
    const beganMs = performance.now();
    try {
      if (await files.scan()) isCheckpointStale = true;
    } finally {
      const endedMs = performance.now();
      const restMs = (endedMs - beganMs) * (1 / MAX_SCAN_SHARE - 1);
      nextScanMs = Math.max(beganMs + pollMs, endedMs + restMs);
    }
  }

  /** Waits until the next scan, until a partial trace is due, or until the delivery ends if there is more to read. */
  async function wait(hasMore: boolean): Promise<void> {
    const untilMs = Math.max(1, nextScanMs - performance.now());
    const isAnyWaiting = files.inReadingOrder.some((file) => file.hasPartial);
    const waitMs =
      isAnyWaiting || isCheckpointStale ? Math.min(untilMs, flushMs, CHECKPOINT_INTERVAL_MS, pollMs) : untilMs;
    const rest = sleep(waitMs, undefined, { signal: stop.signal }).catch(() => undefined);
    await (hasMore && delivery.running !== undefined ? Promise.race([rest, delivery.running]) : rest);
  }

  /** Returns what was found and not forwarded. */
  function drainRecords(): PendingRecord[] {
    const found = files.inReadingOrder.flatMap((file) => file.drainFound());
    return found.map((failure) => toPendingRecord(failure, defaults));
  }

  async function writeCheckpoint(pending: readonly PendingRecord[]): Promise<void> {
    nextCheckpointMs = performance.now() + CHECKPOINT_INTERVAL_MS;
    try {
      await checkpointFile.write({ files: files.checkpoints(), pending });
      isCheckpointStale = false;
      isCheckpointRefused = false;
    } catch (error) {
      if (!isCheckpointRefused)
        logger.warn({ err: error }, 'the checkpoint of the log files cannot be written; it is tried again');
      isCheckpointRefused = true;
    }
  }

  const loop = run();
  return { close };
}

/** Reads the followed files in bounded rounds, one after another. */
function createRoundReader(warner: OnceWarner) {
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  let last: FollowedFile | undefined;

  /** Continues after the file that the last round ended at; `isChanged`: something was read or flushed; `hasMore`: more can be read at once. A file waits until a renamed one that had its path is read to the end. */
  async function readRound(inOrder: readonly FollowedFile[]) {
    const begin = last === undefined ? 0 : inOrder.indexOf(last) + 1;
    const order = [...inOrder.slice(begin), ...inOrder.slice(0, begin)];
    const unfinished = new Set(inOrder.filter((file) => file.isGone && !file.isAtEnd).map((file) => file.path));
    const found: FoundFailure[] = [];
    let foundLength = 0;
    let readBytes = 0;
    let isChanged = false;
    let hasMore = false;
    for (const file of order) {
      if (readBytes >= MAX_TURN_BYTES || foundLength >= MAX_FOUND_LENGTH) {
        hasMore = true;
        break;
      }
      last = file;
      if (!file.isGone && unfinished.has(file.path)) {
        hasMore = true;
        continue;
      }
      const bytes = await read(file);
      const isFlushed = file.flushIfDue(performance.now());
      readBytes += bytes;
      isChanged ||= bytes > 0 || isFlushed;
      hasMore ||= bytes >= MAX_FILE_BYTES;
      for (const failure of file.drainFound()) {
        found.push(failure);
        foundLength += failure.failure.text.length;
      }
    }
    return { found, isChanged: isChanged || found.length > 0, hasMore };
  }

  async function read(file: FollowedFile): Promise<number> {
    try {
      return await file.read(buffer, MAX_FILE_BYTES, performance.now());
    } catch (error) {
      warner.warn(file.path, reasonOf(error), 'a log file cannot be read; retrying');
      return 0;
    }
  }

  return readRound;
}
