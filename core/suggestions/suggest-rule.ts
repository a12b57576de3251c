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
  const { app, service, errorName, culprit } = issues[0];
  const textWith = (varying: string): string => parts.with(place, varying).join(separator);
  const pattern = textWith('*');
  const terms = Object.entries({ app, service, error_name: errorName })
    .filter(([, value]) => value !== '')
    .map(([field, value]) => `${field}:${printValue(value, 'text')}`);
  // A star of a query matches several words.
  const excluded = separator === ' ' ? [`NOT ${messageTerm(textWith('\0 \0'))}`] : [];
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
      query: [...terms, messageTerm(textWith('\0')), ...excluded].join(' '),
      // Braces would be taken for a variable.
      fingerprint: ['{{ error_name }}', '{{ file }}', '{{ function }}', pattern.replaceAll(/[{}]/g, '')],
    },
  };
}

/** A null character and each placeholder match any text. */
function messageTerm(text: string): string {
  const [first = '', ...rest] = text.replaceAll(PLACEHOLDER, '\0').split('\0');
  return `message:${printPattern([first, ...rest], 'text')}`;
}

function variesText(parts: readonly string[], place: number, separator: string): string {
  const unit = separator === ' ' ? 'word' : 'part';
  const before = parts[place - 1]?.split(' ').at(-1);
  if (before !== undefined) return `the ${unit} after \`${before}${separator.trim()}\``;
  return `the ${unit} before \`${parts[place + 1]?.split(' ')[0]}\``;
}
