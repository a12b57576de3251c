import { hash } from 'node:crypto';
import type { Suggestion } from '../../generated/reader-answers.js';
import { cutText } from '../event/text.js';
import type { Fingerprint } from '../fingerprint/fingerprint.js';
import { printPattern, printValue } from '../query/print-query.js';
import type { Candidate, ComparedIssue } from './find-candidates.js';

const MAX_EXAMPLES = 5;
const MAX_NAME = 100;
const ID_LENGTH = 16;
const PLACEHOLDER = /<[a-z]{1,10}>/g;

/** Returns the suggestion of a candidate, whose rule is not verified. */
export function suggestionOf({ issues, parts, place, separator, values, rows, eventsTotal }: Candidate): Suggestion {
  const [issue] = issues;
  const pattern = parts.with(place, '*').join(separator);
  const before = [...parts.slice(0, place), ''].join(separator).split(PLACEHOLDER);
  const after = ['', ...parts.slice(place + 1)].join(separator).split(PLACEHOLDER);
  const pieces = spacedAs(issue.message, [...before, ...after]);
  // A star of a query matches several words.
  const excluded = separator === ' ' ? [`NOT ${messageTerm(pieces.toSpliced(before.length, 0, ' '))}`] : [];
  return {
    ...aboutIssue(issue, pattern),
    purpose: 'join',
    varies: variesText(parts, place, separator),
    values: [...values].slice(0, MAX_EXAMPLES),
    values_total: values.size,
    issues_total: rows.length,
    issue_ids: issues.map(({ issueId }) => issueId),
    events_total: eventsTotal,
    rule: {
      name: cutText(`one issue: ${pattern}`, MAX_NAME),
      query: [queryOf(issue, pieces), ...excluded].join(' '),
      // Braces would be taken for a variable.
      fingerprint: ['{{ error_name }}', '{{ file }}', '{{ function }}', pattern.replaceAll(/[{}]/g, '')],
    },
  };
}

/** Returns the suggestion to separate events of an issue, for example that of `message`, whose messages are `pieces` with other texts between them. */
export function separation(
  issue: ComparedIssue,
  message: string,
  pieces: readonly string[],
  reasons: readonly string[],
): Suggestion {
  const pattern = pieces.join('*');
  return {
    ...aboutIssue(issue, pattern),
    purpose: 'separate',
    varies: 'the reason in the message',
    values: reasons.slice(0, MAX_EXAMPLES),
    values_total: reasons.length,
    issues_total: 1,
    issue_ids: [issue.issueId],
    events_total: issue.count,
    rule: {
      name: cutText(`apart: ${pattern}`, MAX_NAME),
      query: queryOf(issue, spacedAs(message, pieces)),
      fingerprint: ['{{ default }}', pattern.replaceAll(/[{}]/g, '')],
    },
  };
}

/** Whether a configured rule or the sender groups an event: suggestions leave it alone. */
export function isDecided({ basis }: Fingerprint): boolean {
  return basis.rule === 'rule' || basis.rule === 'client';
}

function aboutIssue(
  { app, service, errorName, culprit }: ComparedIssue,
  pattern: string,
): Pick<Suggestion, 'id' | 'app' | 'service' | 'pattern'> {
  const id = hash('sha256', JSON.stringify([app, service, errorName, culprit, pattern])).slice(0, ID_LENGTH);
  return { id, app, service, pattern };
}

/** Events of the app, service and type of an issue with these pieces of a message. */
function queryOf({ app, service, errorName }: ComparedIssue, pieces: readonly string[]): string {
  const terms = Object.entries({ app, service, error_name: errorName })
    .filter(([, value]) => value !== '')
    .map(([field, value]) => `${field}:${printValue(value, 'text')}`);
  return [...terms, messageTerm(pieces)].join(' ');
}

function messageTerm([first = '', ...rest]: readonly string[]): string {
  return `message:${printPattern([first, ...rest], 'text')}`;
}

/** The pieces with the white space that they have in a message: titles are trimmed and have single spaces. */
function spacedAs(message: string, pieces: readonly string[]): string[] {
  let at = 0;
  return pieces.map((piece, index) => {
    const words = piece.split(' ').map((word) => word.replaceAll(/[^\p{L}\p{N}\s]/gu, String.raw`\$&`));
    const start = index === 0 && piece !== '' ? '^\\s*' : '';
    const end = index === pieces.length - 1 && piece !== '' ? '\\s*$' : '';
    const pattern = new RegExp(`${start}${words.join('\\s+')}${end}`, 'g');
    pattern.lastIndex = at;
    const text = pattern.exec(message)?.[0];
    if (text !== undefined) at = pattern.lastIndex;
    return text ?? piece;
  });
}

function variesText(parts: readonly string[], place: number, separator: string): string {
  const unit = separator === ' ' ? 'word' : 'part';
  const before = parts[place - 1]?.split(' ').at(-1);
  if (before !== undefined) return `the ${unit} after \`${before}${separator.trim()}\``;
  return `the ${unit} before \`${parts[place + 1]?.split(' ')[0]}\``;
}
