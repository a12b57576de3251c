import { join, resolve } from 'node:path';
import { parseDuration } from '../../../config/values/duration.js';
import { parseSize } from '../../../config/values/size.js';
import { Fault } from '../../../core/event/fault.js';
import type { Closable } from '../../../core/storage/close-all.js';
import { nodeFiles } from '../../../core/storage/files/node-files.js';
import { openWriterLock } from '../../../core/storage/lock/writer-lock.js';
import { reasonOf } from '../../../core/storage/record/append-faults.js';
import { encodePartitionName } from '../../../core/storage/record/partitions/partition-name.js';
import type { FileLogReceiverSettings } from '../../../generated/settings.js';
import type { Component, Receiver, ReceiverFactory, ReceiverInternal } from '../../component/built-in.js';
import { createFailureLines } from '../../log-parsing/failure-lines.js';
import { Intake } from '../intake/intake.js';
import { CheckpointFile, NO_CHECKPOINT } from './checkpoint-file.js';
import { FollowedFiles } from './followed-files.js';
import { OnceWarner } from './once-warner.js';
import { RecordDelivery, type RetryWaits } from './record-delivery.js';
import { RunningFileLog } from './running-file-log.js';

/** Options of a `file_log` receiver. */
export interface FileLogReceiverOptions extends Pick<ReceiverInternal, 'consumer' | 'account' | 'logger' | 'reader'> {
  /** Component id, `file_log` or `file_log/name`. */
  readonly id: string;
  readonly settings: FileLogReceiverSettings;
  /** Retry delays while the consumer refuses; default 1,000 to 10,000 milliseconds. */
  readonly waits?: RetryWaits;
  /** How long a renamed file that no pattern matches is held open after its last growth, milliseconds; default 60,000. */
  readonly rotatedQuietMs?: number;
}

const CHECKPOINT_NAME = 'checkpoint.json';
const DEFAULT_WAITS: RetryWaits = { firstMs: 1_000, longestMs: 10_000 };
const DEFAULT_ROTATED_QUIET_MS = 60_000;

/** Receiver `file_log`: failures in log files. */
export const fileLogReceiver: ReceiverFactory<FileLogReceiverSettings> = {
  stability: 'beta',
  signals: ['logs'],
  create: (settings, { id, internal }) => new FileLogReceiver({ ...internal, id, settings }),
};

/** Its `urls` are the patterns of the files that it follows. */
export class FileLogReceiver implements Component, Receiver {
  readonly urls: readonly string[];
  readonly #options: FileLogReceiverOptions;
  readonly #intake: Intake;
  #lock: Closable | undefined;
  #running: RunningFileLog | undefined;

  /** Throws `PAYLOAD_LIMIT_INVALID`. */
  constructor(options: FileLogReceiverOptions) {
    const { id, settings, consumer, account } = options;
    this.urls = settings.include;
    this.#options = options;
    // Records already have all names.
    this.#intake = new Intake({ receiver: id, consumer, account, defaults: {}, limits: settings.limits });
  }

  /** Faults `STORE_LOCKED`, `FILE_LOG_STORAGE_UNAVAILABLE`, `COLLECTOR_STOPPING`. */
  async start(stop?: AbortSignal): Promise<void> {
    const { id, settings, logger } = this.#options;
    const folder = join(resolve(settings.storage.directory), encodePartitionName(id));
    const lock = await openWriterLock({
      directory: folder,
      files: nodeFiles,
      onFault: (fault) => logger.error({ err: fault }, 'the lock of the checkpoint was repaired'),
    });
    this.#lock = lock;
    try {
      this.#running = await openFileLog(this.#options, this.#intake, folder, stop);
    } catch (error) {
      await lock.close();
      throw error;
    }
  }

  async shutdown(): Promise<void> {
    await this.#running?.close();
    await this.#lock?.close();
  }
}

/** Finds the files and starts to follow them. */
async function openFileLog(
  options: FileLogReceiverOptions,
  intake: Intake,
  folder: string,
  startStop: AbortSignal | undefined,
): Promise<RunningFileLog> {
  const { settings, logger, reader, waits = DEFAULT_WAITS } = options;
  const stop = new AbortController();
  const warner = new OnceWarner(logger);
  const checkpointFile = new CheckpointFile(join(folder, CHECKPOINT_NAME), logger);
  const delivery = new RecordDelivery({ intake, checkpointFile, reader, logger, waits, stop: stop.signal });
  const files = createFollowedFiles(options, warner);
  try {
    const checkpoint = await checkpointFile.load(Date.now());
    const { files: checkpoints, pending } = checkpoint ?? NO_CHECKPOINT;
    files.restore(checkpoints);
    await files.scanFirst(checkpoint === undefined ? settings.start_at : 'beginning');
    await checkpointFile.write({ files: files.checkpoints(), pending });
    if (startStop?.aborted === true) {
      throw new Fault('COLLECTOR_STOPPING', 'the collector was stopped while it started');
    }
    if (pending.length > 0) delivery.resume(pending);
  } catch (cause) {
    await files.close();
    throw cause instanceof Fault ? cause : storageUnavailable(folder, cause);
  }
  return new RunningFileLog({
    files,
    delivery,
    checkpointFile,
    defaults: settings.defaults,
    pollMs: parseDuration(settings.poll_interval),
    flushMs: parseDuration(settings.force_flush_period),
    stop,
    warner,
    logger,
  });
}

function createFollowedFiles(
  { settings, rotatedQuietMs = DEFAULT_ROTATED_QUIET_MS }: FileLogReceiverOptions,
  warner: OnceWarner,
): FollowedFiles {
  const { include, exclude, format, max_files: maxFiles, min_severity: minSeverity } = settings;
  return new FollowedFiles({
    include,
    exclude,
    format,
    maxFiles,
    rotatedQuietMs,
    flushMs: parseDuration(settings.force_flush_period),
    warner,
    maxLineBytes: parseSize(settings.max_log_size),
    createLines: () => createFailureLines(minSeverity),
    nowMs: Date.now,
  });
}

function storageUnavailable(folder: string, cause: unknown): Fault {
  const sentence = `How far log files were read cannot be kept in ${folder}: ${reasonOf(cause)}. Check that it can be written, or set \`storage.directory\`.`;
  return new Fault('FILE_LOG_STORAGE_UNAVAILABLE', sentence, { cause });
}
