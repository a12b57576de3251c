import { resolve } from 'node:path';
import type { FailureChanges, FailureReader } from '../contract/reader.js';
import { Fault } from '../event/fault.js';
import { createCachedGrouper } from '../fingerprint/grouper.js';
import { IssueActions } from './actions/action-history.js';
import { ACTION_LOG, type ActionRecord } from './actions/action-log.js';
import { IssueChanges } from './changes/issue-changes.js';
import { nodeFiles } from './files/node-files.js';
import { requireFolder } from './files/require-folder.js';
import type { StoreFiles } from './files/store-files.js';
import { followGroupings } from './groupings/grouping-log.js';
import type { GroupingLine } from './groupings/grouping-log-line.js';
import { followSteps } from './groupings/grouping-log-plan.js';
import type { CreateGrouper } from './index/event-groupers.js';
import { openFollowingIndex } from './index/index-tail.js';
import type { ReplayProgress } from './index/replay-into-index.js';
import { createLifecycles } from './issue-queries/issue-lifecycles.js';
import { followLog, type LogFolder } from './record/io/read-log.js';
import { openRecordReader } from './record/reader/record-reader.js';
import { followReleases } from './releases/release-log.js';
import { openLedgerHistory } from './retention/ledger-history.js';
import { createSizeMeter } from './retention/measure-hours.js';
import { createStoreReader } from './store-reader.js';
import { readDecided } from './suggestions/suggestion-decisions.js';

/**
 * Reads a data folder, with or without a running writer, and follows what is appended to it. Writes nothing, and needs no lock.
 * Fault `FOLDER_NOT_FOUND`, also of later reads if the folder was removed; `FOLDER_REPLACED` of later reads if another one is at its path.
 */
export async function openFolderReader(options: {
  /** The data folder; it must exist. */
  directory: string;
  /** Creates the grouper that explains issues and groups events that the index lacks; default: the built-in one. */
  createGrouper?: CreateGrouper;
  files?: StoreFiles;
  /** Wall clock in milliseconds since the epoch, default `Date.now`. */
  nowMs?: () => number;
  /** Called while the record is replayed in memory. */
  onProgress?: (progress: ReplayProgress) => void;
  /** Called for damage that was found. */
  onFault?: (fault: Error) => void;
}): Promise<FailureReader & FailureChanges> {
  const { files = nodeFiles, createGrouper = createCachedGrouper, nowMs = Date.now, onFault, onProgress } = options;
  const directory = resolve(options.directory);
  const { identity } = await requireFolder(files, directory);
  const record = await openRecordReader({ directory, files });
  try {
    const history = openLedgerHistory(files, directory);
    const groupings = followGroupings({ directory, files, onFault });
    let { plan } = await groupings();
    const readPlan = async () => {
      if ((await requireFolder(files, directory)).identity !== identity) throw folderReplaced(directory);
      ({ plan } = await groupings());
      return plan;
    };
    const index = await openFollowingIndex({
      directory,
      files,
      record,
      history,
      plan: readPlan,
      createGrouper,
      onProgress,
      onFault,
    });
    const actions = await openFollowingActions({ directory, files, groupings, onFault });
    const lifecycles = createLifecycles(actions, nowMs);
    const reader = createStoreReader({
      directory,
      files,
      index,
      record,
      actions,
      lifecycles,
      access: { actions: false },
      plan: () => plan,
      createGrouper,
      measure: createSizeMeter({ directory, files }),
      releases: followReleases({ directory, files, onFault }),
      decided: () => readDecided({ directory, files, onFault, isWriter: false }),
      onFault,
    });
    const changes = new IssueChanges({
      index,
      actions,
      lifecycles,
      grouping: () => plan.id,
      nowMs,
      refresh: () => Promise.all([index.refresh(), actions.refresh()]),
    });
    return {
      ...reader,
      changes: (options) => changes.changes(options),
      close: async () => {
        await changes.close();
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

function folderReplaced(directory: string): Fault {
  return new Fault(
    'FOLDER_REPLACED',
    `${directory} is not the folder that was opened: it was moved or removed, and another folder is at its path. Start again to read that one.`,
  );
}

/** Opens the actions of a folder that another process writes; `onFault` gets invalid lines of the first read. */
export async function openFollowingActions({
  groupings,
  ...folder
}: LogFolder & { readonly groupings: ReturnType<typeof followGroupings> }): Promise<IssueActions> {
  const read = followLog(folder, ACTION_LOG, (log) => log);
  let known: { readonly log: readonly ActionRecord[]; readonly lines: readonly GroupingLine[] } | undefined;
  const actions = new IssueActions(async () => {
    const { lines } = await groupings();
    const log = await read();
    if (log === known?.log && lines === known.lines) return;
    known = { log, lines };
    actions.replace(log, followSteps(lines));
  });
  await actions.refresh();
  return actions;
}
