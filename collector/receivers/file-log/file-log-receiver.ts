import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { parseDuration } from '../../../config/values/duration.js';
import { parseSize } from '../../../config/values/size.js';
import type { FailureReader } from '../../../core/contract/reader.js';
import { Fault } from '../../../core/event/fault.js';
import { nodeFiles } from '../../../core/storage/files/node-files.js';
import { openWriterLock, type WriterLock } from '../../../core/storage/lock/writer-lock.js';
import { reasonOf } from '../../../core/storage/record/append-faults.js';
import { encodePartitionName } from '../../../core/storage/record/partitions/partition-name.js';
import type { FileLogReceiverSettings } from '../../../generated/settings.js';
import type { Component } from '../../component/component.js';
import type { Consumer } from '../../component/consumer.js';
import { createFailureLines } from '../../log-parsing/failure-lines.js';
import type { ReceiverAccount } from '../../telemetry/ledger.js';
import { Intake } from '../intake/intake.js';
import { CheckpointFile } from './checkpoint-file.js';
import { FileFinder } from './file-finder.js';
import { FollowedFiles } from './followed-files.js';
import { HandOver, type RetryWaits } from './hand-over.js';
import { OnceWarner } from './once-warner.js';
import { ReadTurns } from './read-turns.js';
import { RunningFileLog } from './running-file-log.js';

/** What a file log receiver is built from. */
export interface FileLogReceiverOptions {
  /** Component id, `file_log` or `file_log/name`. */
  readonly id: string;
  readonly settings: FileLogReceiverSettings;
  readonly consumer: Consumer;
  readonly account: ReceiverAccount;
  readonly logger: Logger;
  /** Reads what the first exporter keeps; asked between `start` and `shutdown`. */
  readonly reader: () => FailureReader;
  /** Waiting times while the line refuses; default 1,000 to 10,000 milliseconds. */
  readonly waits?: RetryWaits;
  /** How long a renamed file that is not looked for is held open after it grew last, milliseconds; default 60,000. */
  readonly rotatedQuietMs?: number;
}

/** Receiver `file_log`: follows log files and collects the failures that are written to them. */
export interface FileLogReceiver extends Component {
  /** The patterns of the files it follows. */
  readonly urls: readonly string[];
}

const CHECKPOINT_NAME = 'checkpoint.json';
const DEFAULT_WAITS: RetryWaits = { firstMs: 1_000, longestMs: 10_000 };
const DEFAULT_ROTATED_QUIET_MS = 60_000;

/**
 * Builds the receiver. Files that are there when `start` returns are known, later ones are new. `start` throws `STORE_LOCKED` when another collector keeps
 * its checkpoints in the same folder, `FILE_LOG_STORAGE_UNAVAILABLE` when they cannot be kept there, `COLLECTOR_STOPPING`. Throws `PAYLOAD_LIMIT_INVALID`.
 */
export function createFileLogReceiver(options: FileLogReceiverOptions): FileLogReceiver {
  const { id, settings, consumer, account } = options;
  // A record has all its names already.
  const intake = new Intake({ receiver: id, consumer, account, defaults: {}, limits: settings.limits });
  let lock: WriterLock | undefined;
  let running: RunningFileLog | undefined;
  return {
    urls: settings.include,
    async start(stop) {
      const folder = join(resolve(settings.storage.directory), encodePartitionName(id));
      lock = await openWriterLock({
        directory: folder,
        files: nodeFiles,
        onFault: (fault) => options.logger.error({ err: fault }, 'the lock of the checkpoint was mended'),
      });
      try {
        running = await openFileLog(options, intake, folder, stop);
      } catch (error) {
        await lock.close();
        throw error;
      }
    },
    async shutdown() {
      await running?.close();
      await lock?.close();
    },
  };
}

/** Finds the files and begins to follow them. */
async function openFileLog(
  {
    settings,
    logger,
    reader,
    waits = DEFAULT_WAITS,
    rotatedQuietMs = DEFAULT_ROTATED_QUIET_MS,
  }: FileLogReceiverOptions,
  intake: Intake,
  folder: string,
  startStop: AbortSignal | undefined,
): Promise<RunningFileLog> {
  const stop = new AbortController();
  const flushMs = parseDuration(settings.force_flush_period);
  const warner = new OnceWarner(logger);
  const checkpointFile = new CheckpointFile(nodeFiles, join(folder, CHECKPOINT_NAME), logger);
  const handOver = new HandOver({ intake, checkpointFile, reader, logger, waits, stop: stop.signal });
  const files = new FollowedFiles({
    finder: new FileFinder(settings.include, settings.exclude),
    maxFiles: settings.max_files,
    rotatedQuietMs,
    flushMs,
    maxLineBytes: parseSize(settings.max_log_size),
    createLines: () => createFailureLines(settings.min_severity),
    warner,
    nowMs: Date.now,
  });
  try {
    const before = await checkpointFile.read(Date.now());
    const { files: known, pending } = before.kind === 'found' ? before.checkpoint : { files: [], pending: [] };
    files.restore(known);
    await files.lookFirst(before.kind === 'none' ? settings.start_at : 'beginning');
    await checkpointFile.write({ files: files.checkpoints(), pending });
    if (startStop?.aborted === true)
      throw new Fault('COLLECTOR_STOPPING', 'the collector was stopped while it started');
    if (pending.length > 0) handOver.resume(pending);
  } catch (cause) {
    await files.close();
    if (cause instanceof Fault) throw cause;
    const sentence = `How far log files were read cannot be kept in ${folder}: ${reasonOf(cause)}. Check that it can be written, or set \`storage.directory\`.`;
    throw new Fault('FILE_LOG_STORAGE_UNAVAILABLE', sentence, { cause });
  }
  const turns = new ReadTurns(({ path }, error) =>
    warner.warn(path, reasonOf(error), 'a log file cannot be read; it is tried again'),
  );
  const pollMs = parseDuration(settings.poll_interval);
  return new RunningFileLog({
    files,
    turns,
    handOver,
    checkpointFile,
    defaults: settings.defaults,
    pollMs,
    flushMs,
    stop,
    logger,
  });
}
