import type { IssueDetail, IssueHistoryEntry } from '../../../generated/reader-answers.js';
import { countOf } from '../../text/counts.js';
import { type Line, type Span, span, words } from '../../text/line.js';
import { clockTime, type Zone } from '../../text/time-words.js';
import { neutralise } from '../../text/visible.js';
import { wrapLine } from '../../text/wrapped-line.js';
import { stateWords } from './state-words.js';

const PAST_TENSE: ReadonlyMap<string, string> = new Map([
  ['resolve', 'resolved it'],
  ['reopen', 'opened it again'],
  ['ignore', 'ignored it'],
  ['assign', 'assigned it'],
  ['comment', 'said'],
  ['merge', 'merged into it'],
  ['split', 'split from it'],
  ['undo', 'undid'],
]);
/** Entries that are listed, and UTF-16 units of a text among them. */
const MAX_ENTRIES = 500;
const MAX_TEXT = 2_000;
const ID_LENGTH = 8;
const MARGIN = 2;
/** Where what was done begins, behind the time. */
const TEXT_AT = 23;

/** What was done to an issue and what happened to it by itself, the latest first, wrapped to a width. */
export function historyLines(issue: IssueDetail, { cells, zone }: { cells: number; zone: Zone }): Line[] {
  const { history, first_seen, last_seen } = issue;
  const listed = history.slice(-MAX_ENTRIES).toReversed();
  const left = history.length - listed.length;
  const rows: Line[] = [
    ...automaticChanges(issue).map((said) => entry(last_seen, zone, [words(said, 'warning')])),
    ...listed.map((one) => entry(one.at, zone, entryWords(one, issue))),
    ...(left === 0 ? [] : [[words('  and '), span(countOf(left, 'earlier action'))]]),
    entry(first_seen, zone, [words('first event')]),
  ];
  return rows.flatMap((row) => wrapLine(row, cells, TEXT_AT));
}

/** What events made of it without anybody's doing: told by the issue's state, for the history has actions only. */
function automaticChanges(issue: IssueDetail): string[] {
  if (issue.status !== 'open') return [];
  return [
    ...(issue.regressed ? ['latest event; it came back after it had been resolved'] : []),
    ...(issue.spiking ? ['latest event; more of them in the last hour than its past explains'] : []),
  ];
}

function entry(at: string, zone: Zone, text: readonly Span[]): Line {
  return [words(' '.repeat(MARGIN)), span(clockTime(at, 'full', zone), 'muted'), words('  '), ...text];
}

function entryWords(one: IssueHistoryEntry, issue: IssueDetail): Span[] {
  const meaning = one.undone ? 'muted' : 'plain';
  const past = PAST_TENSE.get(one.action);
  return [
    one.actor === null ? words('somebody', 'muted') : span(neutralise(one.actor), one.undone ? 'muted' : 'strong'),
    words(' '),
    past === undefined ? span(neutralise(cut(one.action)), meaning) : words(past, meaning),
    ...detailWords(one, issue),
    ...(one.reason === null ? [] : [words(', because: ', 'muted'), span(neutralise(cut(one.reason)), meaning)]),
    ...(one.issue_id === issue.issue_id ? [] : [span(neutralise(`  (on issue ${one.issue_id.slice(0, ID_LENGTH)})`))]),
    ...(one.undone ? [words('  (undone)', 'warning')] : []),
  ];
}

function detailWords({ action, detail, undone }: IssueHistoryEntry, issue: IssueDetail): Span[] {
  if (detail === null) return action === 'assign' ? [words(' to nobody')] : [];
  const meaning = undone ? 'muted' : 'plain';
  if (action === 'undo') {
    const target = issue.history.find(({ id }) => id === detail);
    const name = target === undefined ? detail.slice(0, ID_LENGTH) : target.action;
    return [words(': '), span(neutralise(name), meaning)];
  }
  const joint = PREPOSITIONS.get(action) ?? ': ';
  return [words(joint, 'muted'), span(neutralise(cut(detailText(action, detail))), meaning)];
}

const PREPOSITIONS: ReadonlyMap<string, string> = new Map([
  ['assign', ' to '],
  ['resolve', ' in '],
  ['ignore', ' '],
]);

function detailText(action: string, detail: string): string {
  if (action !== 'ignore') return detail;
  const state = { status: 'ignored', regressed: false, is_new: false, spiking: false, resolved_in: null } as const;
  return stateWords({ ...state, snooze: detail }).slice('ignored '.length);
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
