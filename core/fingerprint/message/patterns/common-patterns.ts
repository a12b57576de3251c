import type { MessagePattern } from './message-pattern.js';

/** The most frequent values, in front for speed alone: without these rows later ones would give the same. */
export const COMMON_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'plain_count',
    group: 'number',
    starts: ['number'],
    pattern: /\d{1,20}(?=[)\]};|]|[,.]?(?:$| (?![A-Za-dghkmnpsuwyµμ\d%€£¥₹$°])))/,
    becomes: '<n>',
    isCount: true,
    reason: 'A number with nothing behind it that could be its unit, the rest of a date or of a number.',
    examples: [['retry 3 of 10.', 'retry <n> of <n>.']],
  },
  {
    name: 'numbered_word',
    group: 'identifier',
    starts: ['word'],
    holds: 'digit',
    pattern: /[A-Za-z]{1,40}[-_]?\d{1,20}(?=[)\]};|,]|$| )/,
    becomes: '<n>',
    reason: 'A word with a number at its end.',
    examples: [['worker-12 dropped job_7', '<n> dropped <n>']],
  },
];
