import { join } from 'node:path';
import { Fault, messageOf } from '../event/fault.js';
import { createCachedGrouper } from '../fingerprint/grouper.js';
import { IssueActions } from './actions/action-history.js';
import { ACTIONS_FILE, openActionLog } from './actions/action-log.js';
import { IssueChanges } from './changes/issue-changes.js';
import type { Closable } from './close-all.js';
import { DEFAULT_DEAD_LETTER_BOUNDS } from './dead-letters/dead-letter-files.js';
import { openDeadLetterLog } from './dead-letters/dead-letter-log.js';
import { createDeadLetterMeter } from './dead-letters/dead-letter-meter.js';
import type { EventStoreOptions } from './event-store-options.js';
import type { StoreFiles } from './files/store-files.js';
import { createRetentionGate } from './following/retention-gate.js';
import { createStoreFollowing } from './following/store-following.js';
import { openGroupingLog } from './groupings/grouping-log.js';
import { activeGrouping, followSteps } from './groupings/grouping-log-plan.js';
import { type KnownActions, knownActionsOf, lackOfActions, readKnownActions } from './index/checkpoint/manifest.js';
import type { FindStored } from './index/content/find-events.js';
import { openIssueIndex } from './index/open-issue-index.js';
import { createRejectedList } from './list-rejected.js';
import { createRecordMeter } from './measure-store.js';
import { findStoredId } from './origins/find-stored-id.js';
import { type OriginLog, openOriginLog } from './origins/origin-log.js';
import type { CommittedEvent } from './record/commits/committed-event.js';
import { createArrivalClock, machineUptime } from './record/partitions/arrival-clock.js';
import { openRecordReader } from './record/reader/record-reader.js';
import { recoverRecord } from './record/recover-record.js';
import { openRecordWriter, type RecordWriter } from './record/writer/record-writer.js';
import { Regrouper } from './regroup/regrouper.js';
import { AppendGate, groupingStats, StoreGroupings } from './regroup/store-groupings.js';
import { openReleaseLog } from './releases/release-log.js';
import { UNBOUNDED } from './retention/choose-removal.js';
import { openRetentionLedger } from './retention/open-ledger.js';
import { RecordAges } from './retention/record-ages.js';
import { recoverAfter } from './retention/record-hours.js';
import { startRetainer } from './retention/retainer.js';
import { StoreReader } from './store-reader.js';
import {
  readDecided,
  SUGGESTIONS_FILE,
  SuggestionDecisions,
  withAccepted,
} from './suggestions/suggestion-decisions.js';
import { IssueActing } from './triage/apply-action.js';
import { createRateSnoozes } from './triage/rate-snoozes.js';

/** The open components of a store. */
export type StoreComponents = Awaited<ReturnType<typeof openComponents>>;

const RETENTION_INTERVAL_MS = 60_000;

/** Recovers the record, then opens the index, then the writer; each open resource is added to `opened`, for closing in reverse order. */
export async function openComponents(
  options: EventStoreOptions & { directory: string; files: StoreFiles; holdsFolder: () => Promise<void> },
  opened: Closable[],
) {
  const { directory, files, holdsFolder, onFault, nowMs = Date.now } = options;
  const { createGrouper = createCachedGrouper, groupingRules } = options;
  const reported = onFault === undefined ? {} : { onFault };
  const followsWall = options.nowMs && { bootId: 'of nowMs', ms: options.nowMs };
  const uptime = options.uptime ?? followsWall ?? machineUptime();
  const clock = createArrivalClock({ nowMs, uptimeMs: () => uptime.ms(), onFault });
  const record = await openRecordReader({ directory, files });
  opened.push(record);
  const ledger = await openRetentionLedger({ directory, files, onFault });
  opened.push(ledger);
  // Even without events left: new timestamps must come after removed ones.
  clock.holdAbove(ledger.totals.beforeMicros - 1);
  const groupingLog = await openGroupingLog({ directory, files, clock, onFault });
  opened.push(groupingLog);
  const groupings = new StoreGroupings({ log: groupingLog, clock, createGrouper });
  await groupings.begin(groupingRules);
  let writer: RecordWriter | undefined;
  const actionsAtCheckpoint = await readKnownActions(files, directory);
  let knownActions = (): KnownActions | undefined => actionsAtCheckpoint;
  const index = await openIssueIndex({
    directory,
    files,
    record,
    history: ledger.history,
    grouping: { plan: groupings.plan, createGrouper },
    signal: options.signal,
    checkpointIntervalMs: options.checkpointIntervalMs,
    // Under `os` the index must not count what a power failure can still remove from the record.
    beforeManifest: async () => writer?.flush(),
    knownActions: () => knownActions(),
    beforeReplay: async (cursorMicros) => {
      const afterMicros = await recoverAfter(files, directory, cursorMicros);
      const recovered = await recoverRecord({ directory, files, afterMicros, ...reported });
      clock.holdAbove(recovered.lastReceivedAtMicros);
      return recovered.adoptedAfterMicros;
    },
    onProgress: options.onProgress,
    onFault,
  });
  opened.push(index);
  const actionLog = await openActionLog({ directory, files, clock, ...reported });
  opened.push(actionLog);
  const releaseLog = await openReleaseLog({ directory, files, nowMs, onFault });
  opened.push(releaseLog);
  const actions = new IssueActions();
  for (const action of actionLog.actionsAtOpen) actions.add(action);
  const lack = lackOfActions(actionsAtCheckpoint, actions.log);
  if (lack !== undefined) onFault?.(actionsMissing(directory, lack));
  // Missing actions are reported at every start until the next action.
  const actionsAtOpen = actions.log.length;
  knownActions = () =>
    lack !== undefined && actions.log.length === actionsAtOpen ? actionsAtCheckpoint : knownActionsOf(actions.log);
  actions.followEvents(followSteps(groupings.lines));
  // Last: events that arrived before were grouped by the rules from before.
  const decided = await readDecided({ directory, files, onFault, isWriter: true });
  const accepted = groupingRules && { ...groupingRules, rules: withAccepted(groupingRules.rules, decided) };
  await groupings.configure(accepted).catch(async (error: unknown) => {
    await groupings.configure(groupingRules);
    onFault?.(acceptedRulesInvalid(directory, error));
  });
  const durability = options.durability ?? 'fsync';
  let rateSnoozes: ReturnType<typeof createRateSnoozes> | undefined;
  const following = createStoreFollowing({
    directory,
    files,
    index,
    record,
    clock,
    nowMs,
    onFault: onFault ?? (() => undefined),
  });
  const ages = new RecordAges({
    uptime,
    note: following.note('retention'),
    lastMicros: index.content.lastReceivedAtMicros,
    onFault,
  });
  await ages.load();
  const onCommitted = (events: readonly CommittedEvent[]): void => {
    for (const { receivedAtMicros } of events.slice(0, 1)) ages.observeCommit(receivedAtMicros);
    index.apply(events);
    rateSnoozes?.check();
    following.committed(events);
  };
  writer = await openRecordWriter({ directory, files, clock, durability, onCommitted, holdsFolder, ...reported });
  opened.push(writer);
  const bounds = options.rejected ?? DEFAULT_DEAD_LETTER_BOUNDS;
  const rejected = await openDeadLetterLog({ directory, files, bounds, nowMs, onFault });
  opened.push(rejected);
  const deadLetters = createDeadLetterMeter({ directory, files, writer: rejected });
  const removedBeforeMicros = (): number => ledger.totals.beforeMicros;
  const findStored: FindStored = (origin) => findStoredId({ directory, files }, origin);
  let originLog: Promise<OriginLog> | undefined;
  const origins = {
    open(): Promise<OriginLog> {
      originLog ??= openOriginLog({ directory, files, clock, record, removedBeforeMicros, onFault });
      return originLog;
    },
    close: async () => (await originLog?.catch(() => undefined))?.close(),
  };
  const recordSize = createRecordMeter({ directory, files, record, nowMs, removedBeforeMicros });
  const reader: StoreReader = new StoreReader({
    directory,
    index,
    record,
    actions,
    access: { actions: true },
    explain: (payload, receivedAtMicros, version) => groupings.explain(payload, receivedAtMicros, version),
    activeGrouping: () => activeGrouping(groupings.plan),
    grouping: () => groupingStats(groupings.plan, ledger.totals.beforeMicros),
    recordSize,
    deadLetters,
    listRejected: createRejectedList({ directory, files }),
    releases: async () => releaseLog.states,
    findStored,
    decided: async () => decisions.decided,
    nowMs,
    onFault,
  });
  const gate = new AppendGate();
  const acting = new IssueActing({ index, gate, actions, actionLog, reader, nowMs });
  const changes = new IssueChanges({
    index,
    actions,
    lifecycles: () => acting.lifecycles,
    grouping: () => groupings.plan.id,
    nowMs,
  });
  rateSnoozes = createRateSnoozes({ index, actions, acting, onFault: onFault ?? (() => undefined) });
  rateSnoozes.check();
  const retention = options.retention ?? UNBOUNDED;
  const retainer = startRetainer({
    directory,
    files,
    ledger,
    index,
    clock,
    ages,
    isWriterIdle: () => writer.isIdle,
    bounds: retention,
    holdBack: createRetentionGate({
      slowConsumers: () => following.followers,
      ages,
      maxAgeMs: retention.maxAgeMs,
    }),
    intervalMs: options.retentionIntervalMs ?? RETENTION_INTERVAL_MS,
    nowMs,
    onFault: onFault ?? (() => undefined),
  });
  const regrouper = new Regrouper({
    directory,
    files,
    record,
    index,
    history: ledger.history,
    createGrouper,
    groupings,
    actions,
    gate,
    onFault: onFault ?? (() => undefined),
  });
  const decisions: SuggestionDecisions = new SuggestionDecisions({
    directory,
    files,
    decided,
    groupings,
    index,
    regroup: regrouper,
    find: (isWanted) => reader.findSuggestions(isWanted),
    nowMs,
  });
  return {
    directory,
    record,
    index,
    actionLog,
    releaseLog,
    actions,
    acting,
    changes,
    rateSnoozes,
    writer,
    rejected,
    reader,
    ledger,
    ages,
    retainer,
    following,
    origins,
    findStored,
    groupingLog,
    groupings,
    /** Admits events and actions. */
    gate,
    regrouper,
    decisions,
  };
}

function acceptedRulesInvalid(directory: string, cause: unknown): Fault {
  const sentence = `The rules of accepted suggestions in ${join(directory, SUGGESTIONS_FILE)} are invalid, and new events are grouped without them: ${messageOf(cause)}`;
  return new Fault('SUGGESTIONS_UNUSABLE', sentence, { cause });
}

function actionsMissing(directory: string, lack: string): Fault {
  return new Fault(
    'ACTIONS_MISSING',
    `${join(directory, ACTIONS_FILE)}: ${lack} Stop the collector and restore the file from a backup. The next action, or \`faultline rebuild\`, accepts the log as it is and ends this message.`,
  );
}
