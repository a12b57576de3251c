import type { IssueDetail, IssueHistoryEntry } from '../../../generated/reader-answers.js';
import { countWithNoun } from '../../text/counts.js';
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
const MAX_ENTRIES = 500;
/** UTF-16 units of a text. */
const MAX_TEXT = 2_000;
const ID_LENGTH = 8;
const MARGIN = 2;
/** Column after the time, where the text starts. */
const TEXT_AT = 23;

/** The actions on an issue and its automatic changes, latest first, wrapped to `cells`. */
export function historyLines(issue: IssueDetail, { cells, zone }: { cells: number; zone: Zone }): Line[] {
  const { history, first_seen, last_seen } = issue;
  const listed = history.slice(-MAX_ENTRIES).toReversed();
  const left = history.length - listed.length;
  const rows: Line[] = [
    ...automaticChanges(issue).map((text) => entry(last_seen, zone, [words(text, 'warning')])),
    ...listed.map((one) => entry(one.at, zone, entryWords(one, issue))),
    ...(left === 0 ? [] : [[words('  and '), span(countWithNoun(left, 'earlier action'))]]),
    entry(first_seen, zone, [words('first event')]),
  ];
  return rows.flatMap((row) => wrapLine(row, cells, TEXT_AT));
}

/** Changes caused by events, derived from the state because the history has only actions. */
function automaticChanges(issue: IssueDetail): string[] {
  if (issue.status !== 'open') return [];
  return [
    ...(issue.regressed ? ['latest event; the issue was resolved before'] : []),
    ...(issue.spiking ? ['latest event; unusually many in the last hour'] : []),
  ];
}

function entry(at: string, zone: Zone, text: readonly Span[]): Line {
  return [words(' '.repeat(MARGIN)), span(clockTime(at, 'full', zone), 'muted'), words('  '), ...text];
}

function entryWords(one: IssueHistoryEntry, issue: IssueDetail): Span[] {
  const meaning = one.undone ? 'muted' : 'plain';
  const verb = PAST_TENSE.get(one.action);
  return [
    one.actor === null ? words('somebody', 'muted') : span(neutralise(one.actor), one.undone ? 'muted' : 'strong'),
    words(' '),
    verb === undefined ? span(neutralise(cut(one.action)), meaning) : words(verb, meaning),
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
  return [words(PREPOSITIONS.get(action) ?? ': ', 'muted'), span(neutralise(cut(detailText(action, detail))), meaning)];
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
