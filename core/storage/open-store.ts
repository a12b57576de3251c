import { join } from 'node:path';
import { Fault, messageOf } from '../event/fault.js';
import { createCachedGrouper } from '../fingerprint/grouper.js';
import { IssueActions } from './actions/action-history.js';
import { ACTION_LOG, openActionLog } from './actions/action-log.js';
import { AppendGate } from './append-gate.js';
import { IssueChanges } from './changes/issue-changes.js';
import type { Closable } from './close-all.js';
import { DEFAULT_DEAD_LETTER_BOUNDS } from './dead-letters/dead-letter-files.js';
import { openDeadLetterLog } from './dead-letters/dead-letter-log.js';
import type { EventStoreOptions } from './event-store-options.js';
import { type DataFolder, removeTree } from './files/store-files.js';
import { createRetentionGate } from './following/retention-gate.js';
import { createStoreFollowing } from './following/store-following.js';
import { openGroupingLog } from './groupings/grouping-log.js';
import { followSteps } from './groupings/grouping-log-plan.js';
import { type KnownActions, knownActionsOf, lackOfActions, readKnownActions } from './index/checkpoint/manifest.js';
import { indexFolder } from './index/documents/index-folder.js';
import { openIssueIndex } from './index/open-issue-index.js';
import { createLifecycles } from './issue-queries/issue-lifecycles.js';
import { type OriginLog, openOriginLog } from './origins/origin-log.js';
import type { CommittedEvent } from './record/commits/committed-event.js';
import { HourSizes, type MeasuredHour } from './record/hour-sizes.js';
import { createArrivalClock, hourOfMicros, machineUptime } from './record/partitions/arrival-clock.js';
import { openFolderId } from './record/partitions/folder-id.js';
import { RAW_FOLDER } from './record/partitions/partition-path.js';
import { openRecordReader } from './record/reader/record-reader.js';
import { recoverRecord } from './record/recover-record.js';
import { openRecordWriter, type RecordWriter } from './record/writer/record-writer.js';
import { createRegrouper } from './regroup/regrouper.js';
import { createStoreGroupings } from './regroup/store-groupings.js';
import { openReleaseLog } from './releases/release-log.js';
import { UNBOUNDED } from './retention/choose-removal.js';
import { openRetentionLedger } from './retention/open-ledger.js';
import { openRecordAges } from './retention/record-ages.js';
import { RecordHours, recoverAfter } from './retention/record-hours.js';
import { startRetainer } from './retention/retainer.js';
import type { StoreFence } from './store-fence.js';
import { createStoreReader } from './store-reader.js';
import {
  createSuggestionDecisions,
  readDecided,
  SUGGESTIONS_FILE,
  type SuggestionDecisions,
  withAccepted,
} from './suggestions/suggestion-decisions.js';
import { createIssueActing } from './triage/apply-action.js';
import { createRateSnoozes } from './triage/rate-snoozes.js';

/** The open components of a store. */
export type StoreComponents = Awaited<ReturnType<typeof openComponents>>;

const RETENTION_INTERVAL_MS = 60_000;

/** Recovers the record, then opens the index, then the writer; each resource is added to `opened`, which closes in reverse order. */
export async function openComponents(
  options: EventStoreOptions & DataFolder & { onFault: (fault: Error) => void; fence: StoreFence },
  opened: Closable[],
) {
  const { directory, files, fence, onFault, nowMs = Date.now, retention = UNBOUNDED } = options;
  const folder = { directory, files, onFault };
  const { createGrouper = createCachedGrouper, groupingRules } = options;
  const followsWall = options.nowMs && { bootId: 'of nowMs', ms: options.nowMs };
  const uptime = options.uptime ?? followsWall ?? machineUptime();
  const clock = createArrivalClock({ nowMs, uptimeMs: () => uptime.ms(), onFault });
  const keep = <Resource extends Closable>(resource: Resource): Resource => {
    opened.push(resource);
    return resource;
  };
  const record = keep(await openRecordReader({ directory, files }));
  const ledger = keep(await openRetentionLedger(folder));
  // Even without events left: new timestamps must come after removed ones.
  clock.holdAbove(ledger.totals.beforeMicros - 1);
  const groupingLog = keep(await openGroupingLog({ ...folder, clock }));
  const groupings = createStoreGroupings({ log: groupingLog, clock, createGrouper });
  await groupings.begin(groupingRules);
  let writer: RecordWriter | undefined;
  const actionsAtCheckpoint = await readKnownActions(files, directory);
  let knownActions = (): KnownActions | undefined => actionsAtCheckpoint;
  keep({ close: () => dropStaleIndex(directory, fence) });
  const sizes = new HourSizes();
  let inspectedFrom = 0;
  const index = keep(
    await openIssueIndex({
      ...folder,
      record,
      history: ledger.history,
      grouping: { plan: groupings.plan, createGrouper },
      signal: options.signal,
      checkpointIntervalMs: options.checkpointIntervalMs,
      closeTimeoutMs: options.checkpointTimeoutMs,
      timers: options.timers,
      // Under `os` the index must not count what a power failure can still remove from the record.
      beforeManifest: async () => writer?.flush(),
      knownActions: () => knownActions(),
      beforeReplay: async (cursorMicros, { closed, inspected }) => {
        const afterMicros = recoverAfter(cursorMicros, inspected);
        const recovered = await recoverRecord({ ...folder, afterMicros, inspected });
        clock.holdAbove(recovered.lastReceivedAtMicros);
        sizes.begin(closed.hours, recovered.inspected);
        inspectedFrom = closed.beforeHour;
        return recovered;
      },
      onProgress: options.onProgress,
    }),
  );
  const actionLog = keep(await openActionLog({ ...folder, clock }));
  const releaseLog = keep(await openReleaseLog({ ...folder, nowMs }));
  const actions = new IssueActions();
  for (const action of actionLog.actionsAtOpen) actions.add(action);
  const lack = lackOfActions(actionsAtCheckpoint, actions.log);
  if (lack !== undefined) onFault(actionsMissing(directory, lack));
  // Missing actions are reported at every start until the next action.
  const actionsAtOpen = actions.log.length;
  knownActions = () =>
    lack !== undefined && actions.log.length === actionsAtOpen ? actionsAtCheckpoint : knownActionsOf(actions.log);
  actions.followEvents(followSteps(groupings.lines));
  // Last: events that arrived before were grouped by the rules from before.
  const decided = await readDecided({ ...folder, isWriter: true });
  const accepted = groupingRules && { ...groupingRules, rules: withAccepted(groupingRules.rules, decided) };
  await groupings.configure(accepted).catch(async (error: unknown) => {
    await groupings.configure(groupingRules);
    onFault(acceptedRulesInvalid(directory, error));
  });
  let rateSnoozes: ReturnType<typeof createRateSnoozes> | undefined;
  const following = createStoreFollowing({ ...folder, index, record, clock, nowMs });
  const { lastReceivedAtMicros: lastMicros } = index.content;
  const ages = keep(await openRecordAges({ uptime, note: following.note('retention'), lastMicros, onFault }));
  const removedBeforeMicros = (): number => ledger.totals.beforeMicros;
  let originLog: Promise<OriginLog> | undefined;
  const origins = keep({
    open(): Promise<OriginLog> {
      originLog ??= openOriginLog({ ...folder, clock, record, removedBeforeMicros });
      return originLog;
    },
    close: async () => (await originLog?.catch(() => undefined))?.close(),
  });
  const onCommitted = (events: readonly CommittedEvent[]): void => {
    for (const { receivedAtMicros } of events.slice(0, 1)) ages.observeCommit(receivedAtMicros);
    index.apply(events);
    rateSnoozes?.check();
    following.committed(events);
  };
  const { durability = 'fsync', rejected: bounds = DEFAULT_DEAD_LETTER_BOUNDS } = options;
  const lastHour = lastMicros === 0 ? undefined : hourOfMicros(lastMicros);
  const folderId = await openFolderId({ ...folder, lastHour });
  const holdsFolder = () => fence.check();
  const hours = new RecordHours({ ...folder, sizes, inspectedFrom, index, plan: () => groupings.plan, ledger });
  const onGrown = (added: MeasuredHour) => sizes.add(added);
  const { checkpointIntervalMs: syncIntervalMs, timers } = options;
  const syncing = { durability, syncIntervalMs, timers };
  writer = keep(await openRecordWriter({ ...folder, ...syncing, folderId, clock, onCommitted, onGrown, holdsFolder }));
  const rejected = keep(await openDeadLetterLog({ ...folder, bounds, nowMs }));
  const lifecycles = createLifecycles(actions, nowMs);
  const reader: ReturnType<typeof createStoreReader> = keep(
    createStoreReader({
      ...folder,
      index,
      record,
      actions,
      lifecycles,
      access: { actions: true },
      plan: () => groupings.plan,
      createGrouper,
      measure: async (fromHour) => sizes.sumFrom(fromHour),
      rejected,
      releases: async () => releaseLog.states,
      decided: async () => decisions.decided,
    }),
  );
  const gate = new AppendGate();
  const acting = keep(createIssueActing({ index, gate, actions, actionLog, reader, lifecycles }));
  rateSnoozes = keep(createRateSnoozes({ index, actions, acting, onFault }));
  rateSnoozes.check();
  const retainer = keep(
    startRetainer({
      ...folder,
      ledger,
      index,
      clock,
      ages,
      hours,
      isWriterIdle: () => writer.isIdle,
      bounds: retention,
      holdBack: createRetentionGate({ ages, maxAgeMs: retention.maxAgeMs, slowConsumers: () => following.followers }),
      removeBefore: (beforeMs) => releaseLog.removeHours(beforeMs),
      intervalMs: options.retentionIntervalMs ?? RETENTION_INTERVAL_MS,
      nowMs,
    }),
  );
  // Closed first, because a removal waits for its survey.
  keep(hours).begin();
  const { history } = ledger;
  const regrouper = createRegrouper({ ...folder, record, index, history, createGrouper, groupings, actions, gate });
  const decisions: SuggestionDecisions = keep(
    createSuggestionDecisions({ ...folder, decided, groupings, index, regroup: regrouper, reader, nowMs }),
  );
  // Closed before the decisions, which wait for their regrouping.
  keep(regrouper);
  keep(following);
  const changes = keep(new IssueChanges({ index, actions, lifecycles, grouping: () => groupings.plan.id, nowMs }));
  return {
    directory,
    files,
    record,
    index,
    releaseLog,
    acting,
    changes,
    writer,
    hours,
    rejected,
    reader,
    retainer,
    following,
    origins,
    groupings,
    /** Admits events and actions. */
    gate,
    regrouper,
    decisions,
  };
}

/** If raw files were removed, the index may count lost events; without it the next opening rebuilds it. */
async function dropStaleIndex(directory: string, fence: StoreFence): Promise<void> {
  const isStale = fence.lost?.path.startsWith(join(directory, RAW_FOLDER)) === true;
  if (isStale && (await fence.holdsFolder())) await removeTree(fence.unfenced, indexFolder(directory));
}

function acceptedRulesInvalid(directory: string, cause: unknown): Fault {
  const sentence = `The rules of accepted suggestions in ${join(directory, SUGGESTIONS_FILE)} are invalid, and new events are grouped without them: ${messageOf(cause)}`;
  return new Fault('SUGGESTIONS_UNUSABLE', sentence, { cause });
}

function actionsMissing(directory: string, lack: string): Fault {
  return new Fault(
    'ACTIONS_MISSING',
    `${join(directory, ACTION_LOG.name)}: ${lack} Stop the collector and restore the file from a backup. The next action, or \`faultline rebuild\`, accepts the log as it is and ends this message.`,
  );
}
