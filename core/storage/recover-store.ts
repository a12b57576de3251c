import { join } from 'node:path';
import { Fault, messageOf } from '../event/fault.js';
import { createCachedGrouper } from '../fingerprint/grouper.js';
import { IssueActions } from './actions/action-history.js';
import { type ActionLog, openActionLog } from './actions/action-log.js';
import type { EventStoreOptions } from './event-store-options.js';
import { openGroupingLog } from './groupings/grouping-log.js';
import { followSteps } from './groupings/grouping-log-plan.js';
import type { HeldFolder } from './held-folder.js';
import { readKnownActions } from './index/checkpoint/manifest.js';
import { openClosedHours } from './index/documents/hours-document.js';
import type { IssueIndex } from './index/issue-index.js';
import { openIssueIndex } from './index/open-issue-index.js';
import { HourSizes } from './record/hour-sizes.js';
import { ArrivalClock, machineUptime, type Uptime } from './record/partitions/arrival-clock.js';
import { openRecordReader, type RecordReader } from './record/reader/record-reader.js';
import { recoverRecord } from './record/recover-record.js';
import type { RecordWriter } from './record/writer/record-writer.js';
import { type GroupingRules, StoreGroupings } from './regroup/store-groupings.js';
import { openReleaseLog, type ReleaseLog } from './releases/release-log.js';
import { RecordHours, recoverAfter } from './retention/record-hours.js';
import { openRetentionLedger, type RetentionLedger } from './retention/retention-ledger.js';
import { acceptedRules, DecidedSuggestions, SUGGESTIONS_FILE } from './suggestions/decided-suggestions.js';
import { ActionLogCheck } from './triage/action-log-check.js';

/** The record of a folder, and what decides how its events are dated, removed and grouped. */
export interface OpenedRecord {
  readonly uptime: Uptime;
  /** Issues timestamps later than all in the folder. */
  readonly clock: ArrivalClock;
  readonly reader: RecordReader;
  readonly ledger: RetentionLedger;
  readonly groupings: StoreGroupings;
}

/** First phase: opens the record for reading, and the logs that the index needs. */
export async function openRecord(folder: HeldFolder, options: EventStoreOptions): Promise<OpenedRecord> {
  const { directory, files, onFault } = folder;
  const { nowMs = Date.now, createGrouper = createCachedGrouper } = options;
  const uptime = options.uptime ?? (options.nowMs ? { bootId: 'of nowMs', ms: options.nowMs } : machineUptime());
  const clock = new ArrivalClock({ nowMs, uptimeMs: () => uptime.ms(), onFault });
  const reader = folder.closeLater(await openRecordReader({ directory, files }));
  const ledger = folder.closeLater(await openRetentionLedger({ directory, files, onFault }));
  // Even without events left: new timestamps must come after removed ones.
  clock.holdAbove(ledger.totals.beforeMicros - 1);
  const log = folder.closeLater(await openGroupingLog({ directory, files, onFault, clock }));
  const groupings = new StoreGroupings({ log, clock, createGrouper });
  await groupings.begin(options.groupingRules);
  return { uptime, clock, reader, ledger, groupings };
}

/** The index of a folder, which is as new as its record. */
export interface OpenedIndex {
  readonly index: IssueIndex;
  /** Sizes of the record's hours; not surveyed yet. */
  readonly hours: RecordHours;
  /** Compares the action log, once it is open, with the last manifest. */
  readonly actionLogCheck: ActionLogCheck;
  /** Waits for the writer, once it is open. */
  readonly writerFlush: WriterFlush;
}

/** Second phase: opens the index, which recovers the record behind its cursor and replays it. Rejects with `STORE_CLOSING` after an abort. */
export async function openIndex(
  folder: HeldFolder,
  options: EventStoreOptions,
  { clock, reader, ledger, groupings }: OpenedRecord,
): Promise<OpenedIndex> {
  const { directory, files, onFault } = folder;
  const actionLogCheck = new ActionLogCheck(await readKnownActions(files, directory));
  const writerFlush = new WriterFlush();
  const closedHours = await openClosedHours(files, directory);
  const sizes = new HourSizes();
  let inspectedFrom = 0;
  folder.closeLater({ close: () => folder.removeStaleIndex() });
  const index = folder.closeLater(
    await openIssueIndex({
      directory,
      files,
      onFault,
      record: reader,
      closedHours,
      history: ledger.history,
      grouping: { plan: groupings.plan, createGrouper: groupings.createGrouper },
      signal: options.signal,
      checkpointIntervalMs: options.checkpointIntervalMs,
      closeTimeoutMs: options.checkpointTimeoutMs,
      timers: options.timers,
      beforeManifest: () => writerFlush.flush(),
      knownActions: () => actionLogCheck.current,
      beforeReplay: async (cursorMicros, { closed, inspected }) => {
        const afterMicros = recoverAfter(cursorMicros, inspected);
        const recovered = await recoverRecord({ directory, files, onFault, afterMicros, inspected });
        clock.holdAbove(recovered.lastReceivedAtMicros);
        sizes.begin(closed.hours, recovered.inspected);
        inspectedFrom = closed.beforeHour;
        return recovered;
      },
      onProgress: options.onProgress,
    }),
  );
  const plan = () => groupings.plan;
  const hours = new RecordHours({ directory, files, onFault, closedHours, sizes, inspectedFrom, index, plan, ledger });
  return { index, hours, actionLogCheck, writerFlush };
}

/**
 * Lets the checkpoints of the index wait for the writer, which is opened after it: under `os` the index must not count what a power failure can
 * still remove from the record.
 */
export class WriterFlush {
  #writer: Pick<RecordWriter, 'flush'> | undefined;

  begin(writer: Pick<RecordWriter, 'flush'>): void {
    this.#writer = writer;
  }

  async flush(): Promise<void> {
    await this.#writer?.flush();
  }
}

/** What people and tools said about issues, releases and suggestions. */
export interface OpenedLogs {
  readonly actions: IssueActions;
  readonly actionLog: ActionLog;
  readonly releaseLog: ReleaseLog;
  readonly decided: DecidedSuggestions;
}

/** Third phase: opens the logs of people and tools, and groups new events as they decided. */
export async function openLogs(
  folder: HeldFolder,
  options: EventStoreOptions,
  { clock, groupings }: OpenedRecord,
  { actionLogCheck }: OpenedIndex,
): Promise<OpenedLogs> {
  const { directory, files, onFault } = folder;
  const actionLog = folder.closeLater(await openActionLog({ directory, files, onFault, clock }));
  const releaseLog = folder.closeLater(
    await openReleaseLog({ directory, files, onFault, nowMs: options.nowMs ?? Date.now }),
  );
  const actions = new IssueActions();
  for (const action of actionLog.actionsAtOpen) actions.add(action);
  actions.followEvents(followSteps(groupings.lines));
  const missing = actionLogCheck.compare(actions, directory);
  if (missing !== undefined) onFault(missing);
  const decided = await DecidedSuggestions.open({ directory, files, onFault });
  await configureGroupings(folder, groupings, options.groupingRules, decided);
  return { actions, actionLog, releaseLog, decided };
}

/** Groups new events by the rules of the configuration and of accepted suggestions. Events that arrived before were grouped by the rules from before. */
async function configureGroupings(
  { directory, onFault }: HeldFolder,
  groupings: StoreGroupings,
  configured: GroupingRules | undefined,
  decided: DecidedSuggestions,
): Promise<void> {
  const withAccepted = configured && { ...configured, rules: [...configured.rules, ...acceptedRules(decided.all)] };
  try {
    await groupings.configure(withAccepted);
  } catch (cause) {
    await groupings.configure(configured);
    const sentence = `The rules of accepted suggestions in ${join(directory, SUGGESTIONS_FILE)} are invalid, and new events are grouped without them: ${messageOf(cause)}`;
    onFault(new Fault('SUGGESTIONS_UNUSABLE', sentence, { cause }));
  }
}
