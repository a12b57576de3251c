import type { FailureReader } from '../../core/contract/reader.js';
import type { IssueId } from '../../core/event/ids.js';
import type { EventDetail, IssueDetail, IssueHistoryEntry } from '../../generated/reader-answers.js';
import { issueMarkdown } from '../format/export/markdown-issue.js';
import { stateWords } from '../format/issue/state-words.js';
import { clockTime } from '../text/time-words.js';
import { neutralise } from '../text/visible.js';
import { findIssueId, issueNotFound } from './find-issue-id.js';
import { chooseFormat, type DetailFormat, type FormattedOptions, runPrinting } from './printing-command.js';
import { print, printJson, printJsonLines } from './text-output.js';

export interface IssueOptions extends FormattedOptions<DetailFormat> {
  reader: FailureReader;
  /** As typed: an id or the start of one. */
  issueId: string;
}

/** Prints one issue: as text, NDJSON, Markdown with its latest event, or the JSON of the reading API. Returns the exit code. */
export function runIssue(options: IssueOptions): Promise<number> {
  const { reader, stdout, stderr } = options;
  return runPrinting(stderr, async () => {
    const format = chooseFormat(options);
    const issueId = await findIssueId(reader, options.issueId);
    const issue = await reader.getIssue(issueId);
    if (issue === undefined) throw issueNotFound(issueId);
    if (format === 'document') await printJson(stdout, issue);
    else if (format === 'ndjson') await printJsonLines(stdout, [issue]);
    else if (format === 'markdown') await print(stdout, issueMarkdown(issue, await latestEvent(reader, issueId)));
    else await print(stdout, issueText(issue));
  });
}

/** Undefined if retention removed all events. */
async function latestEvent(reader: FailureReader, issueId: IssueId): Promise<EventDetail | undefined> {
  const latest = (await reader.listEvents(issueId, { limit: 1 }))?.events[0];
  return latest && (await reader.getEvent(latest.event_id));
}

const LABEL_CELLS = 13;
const MAX_VALUE_LENGTH = 500;

/** One issue as neutralised text with a trailing newline: fields, merged issues, history, grouping, related issues. */
function issueText(issue: IssueDetail): string {
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
    ['State', stateWords(issue, Date.now())],
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
