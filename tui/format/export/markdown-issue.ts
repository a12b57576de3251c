import { caseSentence } from '../../../core/explain/grouping-cases.js';
import type { EventDetail, IssueDetail } from '../../../generated/reader-answers.js';
import { fullCount } from '../../text/counts.js';
import { clockTime } from '../../text/time-words.js';
import { stateWords } from '../issue/state-words.js';
import { eventSections } from './markdown-event.js';
import { markdownInline, markdownTable } from './markdown-text.js';

/** UTF-16 units of a value that decided a grouping. */
const MAX_BASIS_VALUE = 600;
/** More parts than any grouping has. */
const MAX_PARTS = 8;

/**
 * An issue for an issue tracker, with one of its events where there is one. Everything that came from outside stands as code: it makes no markup, mentions nobody and closes nothing.
 * Shorter than the 65,536 characters that trackers take, whatever stands in it; ended by a newline.
 */
export function issueMarkdown(issue: IssueDetail, event?: EventDetail): string {
  const sections = [
    `# ${markdownInline(issue.title)}`,
    markdownTable(['', ''], summaryRows(issue)).trimEnd(),
    `## Why its events are one issue\n\n${basisLines(issue).join('\n')}`,
    ...(event === undefined ? [] : [`## Event ${event.event_id}`, ...eventSections(event)]),
  ];
  return `${sections.join('\n\n')}\n`;
}

function summaryRows(issue: IssueDetail): [string, string][] {
  const removed = issue.removed_events === 0 ? '' : `, and ${fullCount(issue.removed_events)} removed by retention`;
  const rows: [string, string | null][] = [
    ['Issue', issue.issue_id],
    ['State', stateWords(issue)],
    ['Assignee', issue.assignee],
    ['Events', `${fullCount(issue.count)}${removed}`],
    ['Users', fullCount(issue.users)],
    ['First seen', `${clockTime(issue.first_seen, 'full')} UTC`],
    ['Last seen', `${clockTime(issue.last_seen, 'full')} UTC`],
    ['App', issue.app],
    ['Service', issue.service],
    ['Environments', issue.environments.join(', ') || null],
    ['Releases', issue.releases.join(', ') || null],
    ['Level', issue.level],
    ['Culprit', issue.culprit],
    ['Fingerprint', `${issue.fingerprint} (version ${issue.fingerprint_version})`],
  ];
  return rows.flatMap(([label, value]): [string, string][] => (value === null ? [] : [[label, value]]));
}

function basisLines({ basis }: IssueDetail): string[] {
  const parts = basis.parts
    .filter(({ used }) => used)
    .slice(0, MAX_PARTS)
    .map(({ part, value, reason }) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return `- ${markdownInline(part)}: ${markdownInline(text, MAX_BASIS_VALUE)}. ${markdownInline(reason)}`;
    });
  return [`${markdownInline(caseSentence(basis.rule))}.`, ...(parts.length === 0 ? [] : ['', ...parts])];
}
