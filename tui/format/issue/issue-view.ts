import type { IssueDetail, IssueHistoryEntry } from '../../../generated/reader-answers.js';
import { clockTime } from '../../text/time-words.js';
import { neutralise } from '../../text/visible.js';
import { stateWords } from './state-words.js';

const LABEL_CELLS = 13;
const MAX_VALUE_LENGTH = 500;

/** One issue as neutralised text with a trailing newline: fields, merged issues, history, grouping, related issues. */
export function issueText(issue: IssueDetail): string {
  const sections = [
    [`Issue ${issue.issue_id}`, issue.title],
    summaryRows(issue).map(([label, value]) => `${label.padEnd(LABEL_CELLS)}${value}`),
    section('Merged into it', issue.merged),
    section('History', issue.history.map(historyLine)),
    section('Why its events are grouped', basisLines(issue)),
    section('The same failure in other services', issue.related),
  ];
  const lines = sections.filter((one) => one.length > 0).map((one) => one.map(neutralise).join('\n'));
  return `${lines.join('\n\n')}\n`;
}

function summaryRows(issue: IssueDetail): [string, string][] {
  const removed = issue.removed_events === 0 ? '' : ` (and ${issue.removed_events} removed by retention)`;
  const storedEvents = issue.count - issue.sampled;
  const stored =
    issue.sampled === 0 ? '' : `, ${storedEvents} ${issue.sampled > 0 ? 'of them stored' : 'reports stored'}`;
  const rows: [string, string | null][] = [
    ['State', stateWords(issue)],
    ['Assignee', issue.assignee],
    ['Events', `${issue.count}${stored}${removed}`],
    ['First seen', clockTime(issue.first_seen, 'full')],
    ['Last seen', clockTime(issue.last_seen, 'full')],
    ['App', issue.app],
    ['Service', issue.service],
    ['Environments', issue.environments.join(', ')],
    ['Releases', issue.releases.join(', ') || null],
    ['Level', issue.level],
    ['Culprit', issue.culprit],
    ['Fingerprint', issue.fingerprints.join(', ')],
  ];
  return rows.flatMap(([label, value]): [string, string][] => (value === null ? [] : [[label, value]]));
}

function section(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [heading, ...lines.map((line) => `  ${line}`)];
}

function historyLine({ id, at, action, actor, detail, reason, undone }: IssueHistoryEntry): string {
  const texts = [detail, reason].filter((one) => one !== null).map(cut);
  const what = texts.length === 0 ? action : `${action} ${texts.join(' · ')}`;
  return `${clockTime(at, 'full')}  ${actor ?? '-'}  ${what}${undone ? '  (undone)' : ''}  [${id}]`;
}

function basisLines({ basis, fingerprint_version: version }: IssueDetail): string[] {
  const parts = basis.parts.map(({ part, used, value, reason }) => {
    const shown = typeof value === 'string' ? value : JSON.stringify(value);
    return `${used ? '+' : '-'} ${part}: ${cut(shown)} (${reason})`;
  });
  return [`rule ${basis.rule}, version ${version}; + decided, - did not`, ...parts];
}

function cut(text: string): string {
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}
