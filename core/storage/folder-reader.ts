import { resolve } from 'node:path';
import type { ChangeOptions, ChangePosition, FailureChanges, FailureReader, IssueChange } from '../contract/reader.js';
import { Fault } from '../event/fault.js';
import { createCachedGrouper } from '../fingerprint/grouper.js';
import { IssueActions } from './actions/action-history.js';
import { ACTION_LOG, type ActionRecord } from './actions/action-log.js';
import { IssueChanges } from './changes/issue-changes.js';
import { nodeFiles } from './files/node-files.js';
import { requireFolder } from './files/require-folder.js';
import type { StoreFiles } from './files/store-files.js';
import { type FollowedGroupings, followGroupings } from './groupings/grouping-log.js';
import type { GroupingLine } from './groupings/grouping-log-line.js';
import { followSteps, type GroupingPlan } from './groupings/grouping-log-plan.js';
import type { CreateGrouper } from './index/event-groupers.js';
import { openFollowingIndex } from './index/index-tail.js';
import type { ReplayProgress } from './index/replay-into-index.js';
import { createLifecycles } from './issue-queries/issue-lifecycles.js';
import { followLog, type LogFolder } from './record/io/read-log.js';
import { openRecordReader, type RecordReader } from './record/reader/record-reader.js';
import { followReleases } from './releases/release-log.js';
import { LedgerHistory } from './retention/ledger-history.js';
import { createSizeMeter } from './retention/measure-hours.js';
import { StoreReader, type StoreReaderOptions } from './store-reader.js';
import { followDecided } from './suggestions/decided-suggestions.js';

/** Options of `openFolderReader`. */
interface FolderReaderOptions {
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
}

/**
 * Reads a data folder, with or without a running writer, and follows what is appended to it. Writes nothing, and needs no lock.
 * Fault `FOLDER_NOT_FOUND`, also of later reads if the folder was removed; `FOLDER_REPLACED` of later reads if another one is at its path.
 */
export async function openFolderReader(options: FolderReaderOptions): Promise<FailureReader & FailureChanges> {
  const { files = nodeFiles } = options;
  const directory = resolve(options.directory);
  const { identity } = await requireFolder(files, directory);
  const record = await openRecordReader({ directory, files });
  try {
    return await openReader(record, { ...options, directory, files }, identity);
  } catch (error) {
    await record.close();
    throw error;
  }
}

async function openReader(
  record: RecordReader,
  options: FolderReaderOptions & LogFolder,
  identity: string,
): Promise<FolderReader> {
  const { directory, files, createGrouper = createCachedGrouper, nowMs = Date.now, onProgress, onFault } = options;
  const folder = { directory, files, onFault };
  const groupings = followGroupings(folder);
  const plan = new FollowedPlan(folder, identity, groupings, (await groupings()).plan);
  const index = await openFollowingIndex({
    ...folder,
    record,
    history: new LedgerHistory(files, directory),
    plan: () => plan.read(),
    createGrouper,
    onProgress,
  });
  const actions = await openFollowingActions({ ...folder, groupings });
  const lifecycles = createLifecycles(actions, nowMs);
  const changes = new IssueChanges({
    index,
    actions,
    lifecycles,
    grouping: () => plan.current.id,
    nowMs,
    refresh: () => Promise.all([index.refresh(), actions.refresh()]),
  });
  const sources: StoreReaderOptions = {
    ...folder,
    index,
    record,
    actions,
    lifecycles,
    access: { actions: false },
    plan: () => plan.current,
    createGrouper,
    measure: createSizeMeter(folder),
    releases: followReleases(folder),
    decided: followDecided(folder),
  };
  return new FolderReader(sources, changes, record);
}

/** A reader that owns what it reads. */
class FolderReader extends StoreReader implements FailureChanges {
  readonly #index: StoreReaderOptions['index'];
  readonly #record: RecordReader;
  readonly #changes: IssueChanges;

  constructor(sources: StoreReaderOptions, changes: IssueChanges, record: RecordReader) {
    super(sources);
    this.#index = sources.index;
    this.#record = record;
    this.#changes = changes;
  }

  changes(options?: ChangeOptions): AsyncIterable<IssueChange | ChangePosition> {
    return this.#changes.changes(options);
  }

  override async close(): Promise<void> {
    await this.#changes.close();
    await super.close();
    await this.#index.close();
    await this.#record.close();
  }
}

/** The grouping plan of a folder that another process writes. */
class FollowedPlan {
  /** As of the last `read`. */
  current: GroupingPlan;
  readonly #folder: LogFolder;
  readonly #identity: string;
  readonly #groupings: () => Promise<FollowedGroupings>;

  constructor(folder: LogFolder, identity: string, groupings: () => Promise<FollowedGroupings>, current: GroupingPlan) {
    this.#folder = folder;
    this.#identity = identity;
    this.#groupings = groupings;
    this.current = current;
  }

  /** Rejects with `FOLDER_NOT_FOUND` or `FOLDER_REPLACED` if the folder is not the one that was opened. */
  async read(): Promise<GroupingPlan> {
    const { files, directory } = this.#folder;
    if ((await requireFolder(files, directory)).identity !== this.#identity) throw folderReplaced(directory);
    this.current = (await this.#groupings()).plan;
    return this.current;
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
}: LogFolder & { readonly groupings: () => Promise<FollowedGroupings> }): Promise<IssueActions> {
  const readActions = followLog(folder, ACTION_LOG, (log) => log);
  let applied: { readonly log: readonly ActionRecord[]; readonly lines: readonly GroupingLine[] } | undefined;
  const actions = new IssueActions(async () => {
    const { lines } = await groupings();
    const log = await readActions();
    if (log === applied?.log && lines === applied.lines) return;
    applied = { log, lines };
    actions.replace(log, followSteps(lines));
  });
  await actions.refresh();
  return actions;
}
