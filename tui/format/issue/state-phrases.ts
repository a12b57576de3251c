import type {
  AutomaticChange,
  IssueDetail,
  IssueHistoryEntry,
  IssueSummary,
} from '../../../generated/reader-answers.js';
import { countWithNoun } from '../../text/counts.js';
import { ago, type Clock, momentWords } from '../../text/moments.js';
import { textOf } from './fit-title.js';
import { fitTitles } from './issue-titles.js';

/** As far as it is loaded. */
type History = Pick<IssueDetail, 'history' | 'automatic_history' | 'members'> | undefined;
/** Cells of the title of a merged issue. */
const MERGED_CELLS = 48;
/** Merged issues that are named. */
const MAX_MERGED = 32;

/** The state of an issue in sentences, with who and when as far as its history says; the text is not neutralised. */
export function stateSentences(issue: IssueSummary, history: History, clock: Clock): readonly string[] {
  const { regressed, spiking, assignee, merged } = issue;
  const resolve = regressed ? standing(history, 'resolve') : undefined;
  const phrases = openPhrases(issue, history, clock);
  return [
    ...(issue.status === 'open'
      ? phrases.length === 0
        ? ['open']
        : phrases
      : [closedPhrase(issue, history, clock)]
    ).map((phrase) => `${capital(phrase)}${spiking && phrase.startsWith('spiking') ? `: ${spikeWords(issue)}` : ''}.`),
    ...(resolve === undefined ? [] : [`Resolved ${whenAndWho(resolve, clock)}${reasonOf(resolve)}.`]),
    assignee === null ? 'Nobody is assigned.' : `Assigned to ${assignee}.`,
    ...(merged.length === 0 ? [] : [`Merged: ${mergedNames(issue, history)}.`]),
  ];
}

/** The titles and ids of merged issues as far as they are loaded: `CardDeclinedError: issuer … do not honour (9f27f73a)`. */
export function mergedNames({ merged }: IssueSummary, history: History): string {
  const known = history?.members ?? [];
  const titles = fitTitles(
    known.map((one) => ({ ...one, culprit: null, merged: [] })),
    MERGED_CELLS,
  );
  const names = merged.slice(0, MAX_MERGED).map((id) => {
    const at = known.findIndex(({ issue_id }) => issue_id === id);
    return at < 0 ? id.slice(0, 8) : `${textOf(titles[at] ?? [])} (${id.slice(0, 8)})`;
  });
  const left = merged.length - names.length;
  return `${names.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

/** The state and the assignee in one line: `Open, spiking since 20:14 · nobody assigned`. */
export function stateLine(issue: IssueSummary, history: History, clock: Clock): string {
  const { assignee } = issue;
  const state = capital(statePhrase(issue, history, clock));
  return `${state} · ${assignee === null ? 'nobody assigned' : `assigned to ${assignee}`}`;
}

/** `open, spiking since 20:14`. */
export function statePhrase(issue: IssueSummary, history: History, clock: Clock): string {
  if (issue.status !== 'open') return closedPhrase(issue, history, clock);
  return ['open', ...openPhrases(issue, history, clock)].join(', ');
}

function openPhrases(issue: IssueSummary, history: History, clock: Clock): string[] {
  const { regressed, spiking, is_new: isNew, first_release, regressed_in } = issue;
  const back = lastChange(history, 'regressed');
  const spike = lastChange(history, 'spike_began');
  const release = back === undefined ? regressed_in : back.detail;
  const inRelease = release === null ? '' : ` in ${release}`;
  return [
    ...(regressed
      ? [back === undefined ? `came back${inRelease}` : `came back ${ago(back.at, clock.nowMs)}${inRelease}`]
      : []),
    ...(spiking ? [spike === undefined ? 'spiking' : `spiking since ${momentWords(spike.at, clock)}`] : []),
    ...(isNew && !regressed ? [first_release === null ? 'new' : `new in ${first_release}`] : []),
  ];
}

function closedPhrase({ status, snooze, resolved_in: release }: IssueSummary, history: History, clock: Clock): string {
  const entry = standing(history, status === 'ignored' ? 'ignore' : 'resolve');
  const who = entry === undefined ? '' : ` ${whenAndWho(entry, clock)}`;
  const reason = entry === undefined ? '' : reasonOf(entry);
  if (status === 'ignored') return `ignored${who} ${snoozeWords(snooze, clock)}${reason}`;
  const awaited = release === null ? '' : release === 'next' ? ' in the next release' : ` in ${release}`;
  return `resolved${awaited}${who}${reason}`;
}

/** What ends an ignored state: `until 29 Nov 20:34`, `for 100 events`, `until 100 events arrive within 1h`, `until reopened`. */
export function snoozeWords(snooze: string | null, clock: Clock): string {
  if (snooze === null) return 'until reopened';
  if (snooze.startsWith('until:')) return `until ${momentWords(snooze.slice('until:'.length), clock)}`;
  const rate = /^(\d+)x(?:\/(\w+))?$/.exec(snooze);
  if (rate === null) return snooze;
  const events = countWithNoun(Number(rate[1]), 'event');
  return rate[2] === undefined ? `for ${events}` : `until ${events} arrive within ${rate[2]}`;
}

function standing(history: History, action: string): IssueHistoryEntry | undefined {
  return history?.history.findLast((entry) => entry.action === action && !entry.undone);
}

function lastChange(history: History, kind: AutomaticChange['kind']): AutomaticChange | undefined {
  return history?.automatic_history.findLast((change) => change.kind === kind);
}

function whenAndWho({ at, actor }: IssueHistoryEntry, { nowMs }: Clock): string {
  return `${ago(at, nowMs)}${actor === null ? '' : ` by ${actor}`}`;
}

/** The reason of an action, quoted. */
export function reasonOf({ reason }: IssueHistoryEntry): string {
  return reason === null ? '' : `: "${reason}"`;
}

/** Events of the busier of the last two hours, and of the hours before: `401 events in the last hour, 2 to 5 before`. */
export function spikeWords({ trend }: IssueSummary, hour = 'in the last hour'): string {
  const [before, latest] = [trend.at(-2) ?? 0, trend.at(-1) ?? 0];
  const past = trend.slice(0, latest >= before ? -1 : -2);
  const [least, most] = [Math.min(...past), Math.max(...past)];
  const usual = least === most ? `${most}` : `${least} to ${most}`;
  return `${countWithNoun(Math.max(before, latest), 'event')} ${hour}, ${usual} before`;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
