import type { ActionName, ActionRequest } from '../../../generated/reader-answers.js';
import { Fault } from '../../event/fault.js';
import type { IssueId } from '../../event/ids.js';
import type { JsonObject } from '../../event/json.js';
import { invalid } from '../../issues/action-request.js';
import { parseSnooze } from '../../issues/snooze.js';
import type { NewAction } from '../actions/action-log.js';
import type { IssueState } from '../index/content/issue-state.js';
import type { IssueLifecycles } from '../issue-queries/issue-lifecycles.js';

/** Most releases and characters of them in an action, which may have 256 KiB. */
const MAX_RELEASES = 1_000;
const MAX_CHARACTERS = 64 * 1024;

interface Target {
  readonly lifecycles: IssueLifecycles;
  readonly members: readonly IssueState[];
  readonly survivor: IssueState;
}

/** Data of each action beside its reason. */
const DATA: Readonly<Record<ActionName, (request: ActionRequest, target: Target) => JsonObject>> = {
  resolve: resolveData,
  reopen: () => ({}),
  ignore: ignoreData,
  assign: ({ assignee = null }) => ({ assignee }),
  comment: ({ text = '' }) => ({ text }),
  merge: mergeData,
  split: splitData,
  undo: undoData,
};

/** Throws `ISSUE_NOT_FOUND`, `ACTION_INVALID`, `SNOOZE_INVALID`, `ACTION_NOT_FOUND`, `ISSUES_NOT_MERGED`. */
export function planAction(lifecycles: IssueLifecycles, issueId: IssueId, request: ActionRequest): NewAction {
  const members = lifecycles.membersOf(issueIn(lifecycles, issueId));
  const [survivor = issueIn(lifecycles, issueId)] = members;
  const data = DATA[request.action](request, { lifecycles, members, survivor });
  const { reason = null, actor = null } = request;
  if (reason !== null) data['reason'] = reason;
  return { action: request.action, issueId: survivor.issueId, actor, data };
}

/** As `planAction`; a resolution also has what it counted, so that other stores find the same regressions. */
export function planSharedAction(lifecycles: IssueLifecycles, issueId: IssueId, request: ActionRequest): NewAction {
  const action = planAction(lifecycles, issueId, request);
  if (action.action !== 'resolve') return action;
  const { count, removed, firstSeenMs } = lifecycles.shownAs(issueIn(lifecycles, issueId));
  const counted = [...lifecycles.idsOf(action)];
  return { ...action, data: { ...action.data, seen: count + removed, first_seen_ms: firstSeenMs, counted } };
}

function issueIn({ issues }: IssueLifecycles, issueId: IssueId): IssueState {
  const issue = issues.get(issueId);
  if (issue !== undefined) return issue;
  throw new Fault('ISSUE_NOT_FOUND', `Issue ${issueId} does not exist; a list of issues names the existing ones.`);
}

function resolveData(request: ActionRequest, { lifecycles, members }: Target): JsonObject {
  const { in_next_release: isInNext = false, in_release: release } = request;
  if (!isInNext && release === undefined) return {};
  const known_releases = knownReleases(lifecycles.issues.inOrder, members);
  return release === undefined ? { in_next_release: true, known_releases } : { in_release: release, known_releases };
}

function ignoreData({ snooze = '' }: ActionRequest, { lifecycles, members }: Target): JsonObject {
  const data: JsonObject = { ...parseSnooze(snooze, lifecycles.nowMs) };
  const counted = members.map(({ issueId }) => issueId);
  if (data['count'] !== undefined && counted.length > 1) data['counted'] = counted;
  if (data['count'] !== undefined && data['per_ms'] === undefined) {
    data['count_at'] = members.reduce((events, { count, removed }) => events + count + removed, 0);
  }
  return data;
}

function mergeData({ issues = [] }: ActionRequest, { lifecycles, members, survivor }: Target): JsonObject {
  const shown = new Set(issues.map((issueId) => lifecycles.shownAs(issueIn(lifecycles, issueId)).issueId));
  shown.delete(survivor.issueId);
  if (shown.size > 0) return { issues: [...shown] };
  const here = members.map(({ issueId }) => issueId).join(', ');
  throw invalid(`\`issues\` names only what is in this issue already (${here}).`, 'issues');
}

function splitData({ issues, fingerprints }: ActionRequest, { members, survivor }: Target): JsonObject {
  const [, ...merged] = members.map(({ issueId }) => issueId);
  const byFingerprint = fingerprints?.map(
    (value) => members.find(({ fingerprint }) => fingerprint === value)?.issueId ?? value,
  );
  const named =
    issues === undefined && byFingerprint === undefined ? merged : [...(issues ?? []), ...(byFingerprint ?? [])];
  const stranger = named.find((name) => !merged.some((issueId) => issueId === name));
  if (stranger === undefined && named.length > 0) return { issues: [...new Set(named)] };
  const why = stranger === survivor.issueId ? 'is the issue that stays' : 'is not merged into this issue';
  const there = merged.length === 0 ? 'none' : merged.join(', ');
  const what = stranger === undefined ? 'nothing is merged into this issue' : `${stranger} ${why}`;
  throw new Fault('ISSUES_NOT_MERGED', `${what}; name some of those that are merged: ${there}.`);
}

function undoData({ undoes }: ActionRequest, { lifecycles, survivor }: Target): JsonObject {
  const { actions } = lifecycles;
  const history = lifecycles.actionsOf(survivor);
  const action =
    undoes === undefined
      ? history.findLast((entry) => entry.action !== 'undo' && !actions.isUndone(entry.id))
      : history.find(({ id }) => id === undoes.toLowerCase());
  if (action === undefined) {
    const what = undoes === undefined ? 'no action that could be undone' : `no action ${JSON.stringify(undoes)}`;
    throw new Fault(
      'ACTION_NOT_FOUND',
      `Issue ${survivor.issueId} has ${what}; its history names the ids of its actions.`,
    );
  }
  if (actions.isUndone(action.id))
    throw invalid(`\`undoes\`: ${action.id} is undone already; undo its undo to bring it back.`, 'undoes');
  return { undoes: action.id };
}

/** Releases of the issues' services in order of first arrival; if there are too many, those received last. */
function knownReleases(issues: readonly IssueState[], members: readonly IssueState[]): string[] {
  const receipts = new Map<string, number>();
  for (const { app, service, releases, releasesReceivedAtMicros } of issues) {
    if (!members.some((member) => member.service === service && member.app === app)) continue;
    for (const [index, release] of releases.entries()) {
      receipts.set(release, Math.max(receipts.get(release) ?? 0, releasesReceivedAtMicros[index] ?? 0));
    }
  }
  const fitting = new Set<string>();
  let characters = 0;
  for (const [release] of [...receipts].sort(([, left], [, right]) => right - left).slice(0, MAX_RELEASES)) {
    characters += release.length;
    if (characters <= MAX_CHARACTERS) fitting.add(release);
  }
  return [...receipts.keys()].filter((release) => fitting.has(release));
}
