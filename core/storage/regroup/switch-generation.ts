import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RegroupResult } from '../../../generated/reader-answers.js';
import { Fault } from '../../event/fault.js';
import type { IssueId } from '../../event/ids.js';
import type { IssueActions } from '../actions/action-history.js';
import type { AppendGate } from '../append-gate.js';
import type { Follows } from '../groupings/grouping-log-line.js';
import { followSteps } from '../groupings/grouping-log-plan.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { WritingGeneration } from '../index/generation-writer.js';
import type { IssueIndex } from '../index/issue-index.js';
import { IssuePairs } from './issue-pairs.js';
import type { RegroupOptions } from './regrouping.js';
import type { RegroupDraft, StoreGroupings } from './store-groupings.js';

/** Inputs of a switch. */
export interface SwitchSource {
  index: IssueIndex;
  groupings: StoreGroupings;
  actions: IssueActions;
  /** All appends and actions pass through it. */
  gate: AppendGate;
}

type SwitchOptions = RegroupOptions & { signal: AbortSignal };

/** Rounds of catching up before appends must wait. */
const MAX_ROUNDS = 20;
/** Events that may be left for the time when appends wait. */
const MAX_EVENTS_LEFT = 1_000;

/** Brings a generation up to date, logs the draft and activates it; if it rejects before the log, nothing has changed. */
export async function switchGeneration(
  source: SwitchSource,
  next: WritingGeneration,
  draft: RegroupDraft,
  options: SwitchOptions,
): Promise<RegroupResult> {
  const { index, groupings, actions, gate } = source;
  const { signal } = options;
  let isWritten = false;
  try {
    await catchUp(index, next, options);
    const pairs = new IssuePairs(index.content, next.content);
    await pairs.add(false, signal);
    await next.writer.write({ seal: true });
    await catchUp(index, next, options);
    const open = await gate.hold();
    try {
      signal.throwIfAborted();
      const before = index.content;
      const throughMicros = before.lastReceivedAtMicros;
      await next.catchUp({ untilMicros: throughMicros, signal });
      if (next.content.isAheadOfRecord) throw aheadOfRecord();
      await pairs.add(true, signal);
      const follows = findFollows(actions, { before, after: next.content, pairs });
      const keptGrouping = draft.line.action === 'apply' ? groupings.plan.id : undefined;
      const commit = async (): Promise<void> => {
        await groupings.write(draft, throughMicros, follows);
        isWritten = true;
        actions.followEvents(followSteps(groupings.lines));
      };
      await index.activate(next, commit, keptGrouping);
      return {
        id: draft.line.id,
        events: next.content.segments.events,
        issues_before: before.issues.inOrder.length,
        issues_after: next.content.issues.inOrder.length,
      };
    } finally {
      open();
    }
  } catch (error) {
    // The next regrouping or start removes the rest.
    if (!isWritten) await next.discard().catch(() => undefined);
    throw error;
  }
}

/** Repeats until few new events are left. */
async function catchUp(index: IssueIndex, next: WritingGeneration, options: SwitchOptions): Promise<void> {
  const { signal, onProgress } = options;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { arrived, events: totalEvents } = index.content.segments;
    const report = (): void => onProgress?.({ doneEvents: next.content.segments.events, totalEvents });
    const untilMicros = index.content.lastReceivedAtMicros;
    await next.catchUp({ untilMicros, signal, onProgress: report });
    await nextTurn();
    if (index.content.segments.arrived - arrived <= MAX_EVENTS_LEFT) return;
  }
}

function aheadOfRecord(): Fault {
  const sentence =
    'The saved generation counts events that the record does not contain. It was removed; roll back again.';
  return new Fault('INDEX_UNUSABLE', sentence, { retryable: true });
}

/** Returns the new issues of each issue with actions. */
function findFollows(
  actions: IssueActions,
  { before, after, pairs }: { before: IndexContent; after: IndexContent; pairs: IssuePairs },
): Follows {
  const acted = new Set(actions.log.flatMap((action) => actions.issuesOf(action)));
  const follows = new Map<IssueId, IssueId[]>();
  if (acted.size === 0) return follows;
  for (const pair of pairs.all()) {
    const from = before.issues.inOrder[pair.before]?.issueId;
    const to = after.issues.inOrder[pair.after]?.issueId;
    if (from === undefined || to === undefined || !acted.has(from)) continue;
    const targets = follows.get(from) ?? [];
    targets.push(to);
    follows.set(from, targets);
  }
  // An issue that lost events to retention also keeps its own id.
  for (const [issueId, targets] of follows) {
    if (!targets.includes(issueId) && after.issues.get(issueId) !== undefined) targets.push(issueId);
    if (targets.length === 1 && targets[0] === issueId) follows.delete(issueId);
  }
  return follows;
}
