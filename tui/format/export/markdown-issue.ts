import { caseSentence } from '../../../core/explain/explained-line.js';
import type { EventDetail, IssueDetail } from '../../../generated/reader-answers.js';
import { fullCount } from '../../text/counts.js';
import { clockTime } from '../../text/moments.js';
import { suspectText } from '../issue/issue-head.js';
import { datedStateWords } from '../issue/state-words.js';
import { eventSections } from './markdown-event.js';
import { markdownInline, markdownTable } from './markdown-text.js';

/** UTF-16 units of a value of the basis. */
const MAX_BASIS_VALUE = 600;
/** More than any basis has. */
const MAX_PARTS = 8;

/** Markdown of an issue and optionally an event, below 65,536 characters; untrusted text cannot become markup, mentions or references. */
export function issueMarkdown(issue: IssueDetail, event?: EventDetail): string {
  const sections = [
    `# ${markdownInline(issue.title)}`,
    markdownTable(['', ''], summaryRows(issue)).trimEnd(),
    `## Why its events are one issue\n\n${basisLines(issue).join('\n')}`,
    ...(event === undefined ? [] : [`## Event ${event.event_id}`, ...eventSections(event)]),
  ];
  return `${sections.join('\n\n')}\n`;
}

function summaryRows(issue: IssueDetail): [string, string | null][] {
  const removed = issue.removed_events === 0 ? '' : `, and ${fullCount(issue.removed_events)} removed by retention`;
  return [
    ['Issue', issue.issue_id],
    ['Opened by', `faultline browse ${issue.issue_id}`],
    ['State', datedStateWords(issue)],
    ['Assignee', issue.assignee],
    ['Events', `${fullCount(issue.count)}${removed}`],
    ['Users', fullCount(issue.users)],
    ['First seen', `${clockTime(issue.first_seen, 'full')} UTC`],
    ['Last seen', `${clockTime(issue.last_seen, 'full')} UTC`],
    ['App', issue.app],
    ['Service', issue.service],
    ['Environments', issue.environments.join(', ') || null],
    ['Releases', issue.releases.join(', ') || null],
    ['First release', issue.first_release],
    ['Last release', issue.last_release],
    ['Regressed in', issue.regressed_in],
    ['Level', issue.level],
    ['Culprit', issue.culprit],
    ['Suspect commit', suspectText(issue)],
    ['Fingerprint', `${issue.fingerprint} (version ${issue.fingerprint_version})`],
  ];
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
