import { resolve } from 'node:path';
import { Fault } from '../event/fault.js';
import type { RawPayload } from '../event/raw-payload.js';
import type { Fingerprint } from '../fingerprint/fingerprint.js';
import type { FailureReader } from '../reader.js';
import { nodeFiles } from './files/node-files.js';
import type { StoreFiles } from './files/store-files.js';
import { openFollowingActions } from './following-actions.js';
import { openFollowingIndex } from './index/following-index.js';
import type { ReplayProgress } from './index/replay-record.js';
import { openRecordReader } from './record/record-reader.js';
import { createRecordMeter } from './record-size.js';
import { createRejectedMeter } from './rejected/rejected-meter.js';
import { openLedgerHistory } from './retention/ledger-history.js';
import { createStoreReader } from './store-reader.js';

/** How a folder is read without its writer. */
export interface FolderReaderOptions {
  /** The data folder; it must exist. */
  directory: string;
  /** Explains an issue's grouping, and groups what the index lacks; must be the function that the writer uses. */
  fingerprint: (payload: RawPayload) => Fingerprint;
  files?: StoreFiles;
  /** Called while the record is replayed in memory. */
  onProgress?: (progress: ReplayProgress) => void;
  /** Called for damage that was met. */
  onFault?: (fault: Error) => void;
}

/**
 * Reads a data folder, beside a running writer or without one, and follows what is appended to it. Writes nothing, takes no lock.
 * Fault `FOLDER_NOT_FOUND`.
 */
export async function openFolderReader(options: FolderReaderOptions): Promise<FailureReader> {
  const { files = nodeFiles, fingerprint, onFault, onProgress } = options;
  const directory = resolve(options.directory);
  if ((await files.stat(directory))?.kind !== 'folder') {
    throw new Fault('FOLDER_NOT_FOUND', `${directory} is no folder; name the collector's data folder with --data.`);
  }
  const record = await openRecordReader({ directory, files });
  try {
    const history = openLedgerHistory(files, directory);
    const index = await openFollowingIndex({ directory, files, record, history, fingerprint, onProgress, onFault });
    const actions = await openFollowingActions({ directory, files, onFault });
    const removedBeforeMicros = (): number => index.content.removed.beforeMicros;
    const recordSize = createRecordMeter({ directory, files, record, nowMs: Date.now, removedBeforeMicros });
    const deadLetters = createRejectedMeter({ directory, files });
    const reader = createStoreReader({
      directory,
      index,
      record,
      actions,
      fingerprint,
      recordSize,
      deadLetters,
      onFault,
    });
    return {
      ...reader,
      close: async () => {
        await reader.close();
        await index.close();
        await record.close();
      },
    };
  } catch (error) {
    await record.close();
    throw error;
  }
}
