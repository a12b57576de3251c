import { caseSentence } from '../../../core/explain/explained-line.js';
import type { EventDetail, IssueDetail } from '../../../generated/reader-answers.js';
import { fullCount } from '../../text/counts.js';
import { clockTime } from '../../text/moments.js';
import { suspectText } from '../issue/issue-head.js';
import { datedStateWords } from '../issue/state-words.js';
import { markdownFence, markdownInline, markdownTable } from './markdown-text.js';

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

/** Bounds that keep an issue below the 65,536 characters of a tracker. */
const MAX_MESSAGE = 4_000;
const MAX_STACK = 12_000;
const MAX_TAGS = 20;
const MAX_TAG_CELL = 120;

/** One event as Markdown, bounded and escaped like `issueMarkdown`. */
export function eventMarkdown(event: EventDetail): string {
  const { error_name: errorName, message } = event.normalized;
  return `${[`# ${markdownInline(`${errorName}: ${message}`, 256)}`, ...eventSections(event)].join('\n\n')}\n`;
}

/** The sections of an event: fields, message, stack trace, tags, position of the raw line. */
function eventSections(event: EventDetail): string[] {
  const { stack, message } = event.normalized;
  return [
    markdownTable(['', ''], eventRows(event)).trimEnd(),
    `### Message\n\n${markdownFence(message, MAX_MESSAGE)}`,
    ...(stack === null ? [] : [`### Stack trace\n\n${markdownFence(stack, MAX_STACK)}`]),
    ...tagSection(event.normalized.tags),
    `Raw line: ${markdownInline(event.raw.path)}, line ${event.raw.line}, counted from zero.`,
  ];
}

function eventRows({ event_id: eventId, normalized }: EventDetail): [string, string | null][] {
  const { method, route, status_code: status } = normalized;
  return [
    ['Event', eventId],
    ['Time', `${clockTime(normalized.timestamp, 'full')} UTC`],
    ['Level', normalized.level],
    ['App', normalized.app],
    ['Service', normalized.service],
    ['Environment', normalized.env],
    ['Release', normalized.release],
    ['Error', normalized.error_name],
    ['Route', method === null ? route : `${method} ${route}`],
    ['Status code', status === null ? null : String(status)],
    ['Request', normalized.request_id],
    ['User', normalized.user_id],
  ];
}

function tagSection(tags: Record<string, string>): string[] {
  const keys = Object.keys(tags).sort();
  if (keys.length === 0) return [];
  const rows = keys.slice(0, MAX_TAGS).map((key) => [key, tags[key] ?? '']);
  const left = keys.length - rows.length;
  const more = left === 0 ? '' : `\n\n${left} more tags are not shown.`;
  return [`### Tags\n\n${markdownTable(['Tag', 'Value'], rows, MAX_TAG_CELL).trimEnd()}${more}`];
}
