import { cutText } from '../../../core/event/text.js';
import type { AutomaticChange, IssueDetail, IssueHistoryEntry } from '../../../generated/reader-answers.js';
import { countWithNoun } from '../../text/counts.js';
import { type Clock, momentWords } from '../../text/moments.js';
import { reasonOf, snoozeWords } from './state-phrases.js';

/** One thing that people did, or that happened by itself; its text is not neutralised. */
export interface HistoryEntry {
  readonly at: string;
  /** Who did it; null if nobody did or gave a name. */
  readonly actor: string | null;
  /** With the actor. */
  readonly text: string;
  /** The action itself, or the one that undid it; undefined for what happened by itself. */
  readonly undoable: { readonly actionId: string; readonly issueId: IssueHistoryEntry['issue_id'] } | undefined;
  /** `undone 20:41 by jonas`; undefined if it stands. */
  readonly undone: string | undefined;
}

const MAX_ENTRIES = 500;
/** UTF-16 units of a text; longer ones would not fit the pane. */
const MAX_TEXT = 1_000;
const ID_LENGTH = 8;
const MINUTE_MS = 60_000;
const UNITS = [
  { noun: 'day', minutes: 1440 },
  { noun: 'hour', minutes: 60 },
  { noun: 'minute', minutes: 1 },
] as const;

/** The number of entries. */
export function historyCount({ history, automatic_history: automatic }: IssueDetail): number {
  return history.filter(({ action }) => action !== 'undo').length + automatic.length;
}

/** The history of an issue, newest first by time, the latest 500; an undone entry stays and says who undid it. */
export function historyEntries(issue: IssueDetail, clock: Clock): readonly HistoryEntry[] {
  const actions = issue.history.filter(({ action }) => action !== 'undo').slice(-MAX_ENTRIES);
  return [
    ...issue.automatic_history.toReversed().map((change) => automaticEntry(change, issue)),
    ...actions.toReversed().map((entry) => actionEntry(entry, issue, clock)),
  ]
    .sort((one, other) => Date.parse(other.at) - Date.parse(one.at))
    .slice(0, MAX_ENTRIES);
}

function actionEntry(entry: IssueHistoryEntry, issue: IssueDetail, clock: Clock): HistoryEntry {
  const undo = entry.undone
    ? issue.history.findLast(({ action, detail, undone }) => action === 'undo' && detail === entry.id && !undone)
    : undefined;
  const elsewhere = entry.issue_id === issue.issue_id ? '' : ` (on issue ${entry.issue_id.slice(0, ID_LENGTH)})`;
  const by = undo?.actor == null ? '' : ` by ${undo.actor}`;
  const { id, issue_id } = undo ?? entry;
  return {
    at: entry.at,
    actor: entry.actor,
    text: cut(textOf(entry, issue, clock)) + elsewhere,
    undoable: entry.undone && undo === undefined ? undefined : { actionId: id, issueId: issue_id },
    undone: entry.undone
      ? `undone${undo === undefined ? '' : ` ${momentWords(undo.at, { ...clock, nowMs: Date.parse(entry.at) || 0 })}${by}`}`
      : undefined,
  };
}

/** What each action did, after the name of who did it. */
const DEEDS: Readonly<Record<string, (detail: string, entry: IssueHistoryEntry, clock: Clock) => string>> = {
  resolve: (detail) =>
    `resolved it${detail === '' ? '' : detail === 'next' ? ' in the next release' : ` in ${detail}`}`,
  reopen: () => 'reopened it',
  ignore: (detail, { at }, clock) => `ignored it ${spanWords(detail, at) ?? snoozeWords(detail || null, clock)}`,
  assign: (detail) => (detail === '' ? 'unassigned it' : `assigned it to ${detail}`),
  merge: (detail) => `merged ${shortIds(detail)} into it`,
  split: (detail) => `split ${shortIds(detail)} from it`,
};

function textOf(entry: IssueHistoryEntry, issue: IssueDetail, clock: Clock): string {
  const { action, actor, detail } = entry;
  const ended = action === 'reopen' && detail !== null ? issue.history.find(({ id }) => id === detail) : undefined;
  if (ended !== undefined) return snoozeOver(ended.detail ?? '', ended.at);
  if (action === 'comment') return `${actor ?? '(no name given)'}: ${detail ?? ''}`;
  const deed = (DEEDS[action]?.(detail ?? '', entry, clock) ?? `${action} ${detail ?? ''}`.trim()) + reasonOf(entry);
  return actor === null ? `${deed.replace(' it', '')} (no name given)` : `${actor} ${deed}`;
}

function automaticEntry({ at, kind, detail, cause }: AutomaticChange, issue: IssueDetail): HistoryEntry {
  const ended = issue.history.find(({ id }) => id === cause);
  const texts: Readonly<Record<AutomaticChange['kind'], () => string>> = {
    first_event: () => `first event${detail === null ? '' : `: ${detail}`}`,
    regressed: () => `came back: an event${detail === null ? '' : ` of ${detail}`} arrived after it was resolved`,
    snooze_over: () => snoozeOver(detail ?? '', ended?.at ?? at),
    spike_began: () => `spiking: ${detail ?? 'unusually many events'}`,
    spike_ended: () => 'no longer spiking',
    events_removed: () => `${countWithNoun(Number(detail), 'older event')} removed by retention`,
  };
  const text = cut(Object.hasOwn(texts, kind) ? texts[kind]() : kind);
  return { at, actor: null, text, undoable: undefined, undone: undefined };
}

/** How an ignored state ended: `the 6 hours were over: open again`. */
function snoozeOver(snooze: string, ignoredAt: string): string {
  const span = spanWords(snooze, ignoredAt);
  if (span !== undefined) return `the ${span.slice('for '.length)} were over: open again`;
  const rate = /^(\d+)x(?:\/(\w+))?$/.exec(snooze);
  if (rate === null) return 'the time was over: open again';
  const within = rate[2] === undefined ? '' : ` within ${rate[2]}`;
  return `${countWithNoun(Number(rate[1]), 'event')} arrived${within}: open again`;
}

/** The length of a snooze in whole units: `for 6 hours`; undefined for other snoozes. */
function spanWords(snooze: string, at: string): string | undefined {
  if (!snooze.startsWith('until:')) return undefined;
  const minutes = Math.round((Date.parse(snooze.slice('until:'.length)) - Date.parse(at)) / MINUTE_MS);
  const unit = UNITS.find((one) => minutes >= one.minutes && minutes % one.minutes === 0);
  return unit === undefined || minutes / unit.minutes > 99
    ? undefined
    : `for ${countWithNoun(minutes / unit.minutes, unit.noun)}`;
}

function shortIds(detail: string): string {
  return detail
    .split(', ')
    .map((id) => id.slice(0, ID_LENGTH))
    .join(', ');
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${cutText(text, MAX_TEXT)}…` : text;
}
