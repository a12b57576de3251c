import { hash } from 'node:crypto';
import type { Suggestion } from '../../generated/reader-answers.js';
import { cutText } from '../event/text.js';
import { printPattern, printValue } from '../query/print-query.js';
import type { Candidate } from './find-candidates.js';

const MAX_EXAMPLES = 5;
const MAX_NAME = 100;
const ID_LENGTH = 16;
const PLACEHOLDER = /<[a-z]{1,10}>/g;

/** Returns the suggestion of a candidate, whose rule is not verified. */
export function suggestionOf({ issues, parts, place, separator, values, rows, eventsTotal }: Candidate): Suggestion {
  const { app, service, errorName, culprit, message } = issues[0];
  const pattern = parts.with(place, '*').join(separator);
  const before = parts
    .slice(0, place)
    .map((part) => part + separator)
    .join('')
    .split(PLACEHOLDER);
  const after = parts
    .slice(place + 1)
    .map((part) => separator + part)
    .join('')
    .split(PLACEHOLDER);
  const pieces = spacedAs(message, [...before, ...after]);
  const terms = Object.entries({ app, service, error_name: errorName })
    .filter(([, value]) => value !== '')
    .map(([field, value]) => `${field}:${printValue(value, 'text')}`);
  // A star of a query matches several words.
  const excluded = separator === ' ' ? [`NOT ${messageTerm(pieces.toSpliced(before.length, 0, ' '))}`] : [];
  return {
    id: hash('sha256', JSON.stringify([app, service, errorName, culprit, pattern])).slice(0, ID_LENGTH),
    app,
    service,
    pattern,
    varies: variesText(parts, place, separator),
    values: [...values].slice(0, MAX_EXAMPLES),
    values_total: values.size,
    issues_total: rows.length,
    issue_ids: issues.map(({ issueId }) => issueId),
    events_total: eventsTotal,
    rule: {
      name: cutText(`one issue: ${pattern}`, MAX_NAME),
      query: [...terms, messageTerm(pieces), ...excluded].join(' '),
      // Braces would be taken for a variable.
      fingerprint: ['{{ error_name }}', '{{ file }}', '{{ function }}', pattern.replaceAll(/[{}]/g, '')],
    },
  };
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
    const found = new RegExp(`${start}${words.join('\\s+')}${end}`, 'g');
    found.lastIndex = at;
    const text = found.exec(message)?.[0];
    if (text !== undefined) at = found.lastIndex;
    return text ?? piece;
  });
}

function variesText(parts: readonly string[], place: number, separator: string): string {
  const unit = separator === ' ' ? 'word' : 'part';
  const before = parts[place - 1]?.split(' ').at(-1);
  if (before !== undefined) return `the ${unit} after \`${before}${separator.trim()}\``;
  return `the ${unit} before \`${parts[place + 1]?.split(' ')[0]}\``;
}
