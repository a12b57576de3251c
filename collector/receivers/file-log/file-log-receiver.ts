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
import type { Component, ReceiverFactory, ReceiverInternal } from '../../component/built-in.js';
import { createFailureLines } from '../../log-parsing/failure-lines.js';
import { Intake } from '../intake/intake.js';
import { createCheckpointFile, NO_CHECKPOINT } from './checkpoint-file.js';
import { FollowedFiles } from './followed-files.js';
import { createOnceWarner } from './once-warner.js';
import { createRecordDelivery, type RetryWaits } from './record-delivery.js';
import { runFileLog } from './running-file-log.js';

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
  create: (settings, { id, internal }) => createFileLogReceiver({ ...internal, id, settings }),
};

/** Builds the receiver, whose `urls` are the patterns of the files that it follows. Faults of `start`: `STORE_LOCKED`, `FILE_LOG_STORAGE_UNAVAILABLE`, `COLLECTOR_STOPPING`. Throws `PAYLOAD_LIMIT_INVALID`. */
export function createFileLogReceiver(
  options: FileLogReceiverOptions,
): Component & { readonly urls: readonly string[] } {
  const { id, settings, consumer, account } = options;
  // Records already have all names.
  const intake = new Intake({ receiver: id, consumer, account, defaults: {}, limits: settings.limits });
  let lock: Closable | undefined;
  let running: ReturnType<typeof runFileLog> | undefined;
  return {
    urls: settings.include,
    async start(stop) {
      const folder = join(resolve(settings.storage.directory), encodePartitionName(id));
      lock = await openWriterLock({
        directory: folder,
        files: nodeFiles,
        onFault: (fault) => options.logger.error({ err: fault }, 'the lock of the checkpoint was repaired'),
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

/** Finds the files and starts to follow them. */
async function openFileLog(
  options: FileLogReceiverOptions,
  intake: Intake,
  folder: string,
  startStop: AbortSignal | undefined,
): Promise<ReturnType<typeof runFileLog>> {
  const { settings, logger, reader, waits = DEFAULT_WAITS, rotatedQuietMs = DEFAULT_ROTATED_QUIET_MS } = options;
  const stop = new AbortController();
  const flushMs = parseDuration(settings.force_flush_period);
  const warner = createOnceWarner(logger);
  const checkpointFile = createCheckpointFile(join(folder, CHECKPOINT_NAME), logger);
  const delivery = createRecordDelivery({ intake, checkpointFile, reader, logger, waits, stop: stop.signal });
  const { include, exclude, format, max_files: maxFiles } = settings;
  const files = new FollowedFiles({
    ...{ include, exclude, format, maxFiles, rotatedQuietMs, flushMs, warner },
    maxLineBytes: parseSize(settings.max_log_size),
    createLines: () => createFailureLines(settings.min_severity),
    nowMs: Date.now,
  });
  try {
    const before = await checkpointFile.load(Date.now());
    const { files: known, pending } = before ?? NO_CHECKPOINT;
    files.restore(known);
    await files.scanFirst(before === undefined ? settings.start_at : 'beginning');
    await checkpointFile.write({ files: files.checkpoints(), pending });
    if (startStop?.aborted === true)
      throw new Fault('COLLECTOR_STOPPING', 'the collector was stopped while it started');
    if (pending.length > 0) delivery.resume(pending);
  } catch (cause) {
    await files.close();
    if (cause instanceof Fault) throw cause;
    const sentence = `How far log files were read cannot be kept in ${folder}: ${reasonOf(cause)}. Check that it can be written, or set \`storage.directory\`.`;
    throw new Fault('FILE_LOG_STORAGE_UNAVAILABLE', sentence, { cause });
  }
  const pollMs = parseDuration(settings.poll_interval);
  const { defaults } = settings;
  return runFileLog({ files, delivery, checkpointFile, defaults, pollMs, flushMs, stop, warner, logger });
}
