import { FAILURE_KEY } from './key-value-patterns.js';
import { INSIDE, KEEP, type MessagePattern } from './message-pattern.js';

const ANNOUNCES_NAME =
  '(?:[Rr]eading|[Ww]riting|[Pp]ropert(?:y|ies)|[Aa]ttribute|[Mm]ethod|[Ff]unction|[Mm]odule|[Pp]ackage|[Cc]olumn|[Ff]ield|[Tt]able|[Rr]elation|[Cc]onstraint|[Ii]ndex|for key|[Ff]ilter|[Oo]ption|[Pp]arameter|[Aa]rgument|[Vv]ariable|[Cc]lass|[Tt]ype|[Oo]perator|[Kk]eyword|[Uu]nexpected token|[Hh]eader|[Cc]ommand|invoke|because|return value of)';
const DEMANDS =
  '(?: is (?:required|missing|not (?:allowed|defined|a function|iterable|a constructor))| must (?:be|not|have|match|contain))';
const NAME = '[A-Za-z_$#@.<(/:[\\]()>, -]{0,80}(?:\\d{1,2}[\\w$.<>()[\\]]{0,40})?';
const QUOTED_NAME = `(?:"${NAME}"|'${NAME}'|\`${NAME}[\`'])`;

/** Text in quotes is input, unless the word before it or its form shows otherwise. */
export const QUOTED_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'speaking_value',
    first: `"'`,
    starts: ['quote'],
    pattern: new RegExp(`(?<=\\b${FAILURE_KEY}["']? ?[:=] ?)(?:"(?:[^"\\\\]|\\\\.){0,1000}"|'[^']{0,1000}')`),
    becomes: INSIDE,
    reason: 'The value of error, message, reason or code describes the failure.',
    examples: [
      ['level=warn msg="dial tcp 10.0.0.1:53: timeout"', 'level=warn msg="dial tcp <host>: timeout"'],
      ['{"code":"CARD_DECLINED","id":"c9"}', '{"code":"CARD_DECLINED","id":<value>}'],
    ],
  },
  {
    name: 'request_line',
    first: '"',
    starts: ['quote'],
    pattern: /"(?=(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE) )[^"]{0,2000}"/,
    becomes: INSIDE,
    reason: 'A request line: its method is not a value.',
    examples: [['"GET /a/7 HTTP/1.1" status: 500', '"GET <path> HTTP/1.1" status: 500']],
  },
  {
    name: 'program_name',
    starts: ['quote'],
    pattern: new RegExp(`(?<=\\b${ANNOUNCES_NAME}[ (:]{1,2})${QUOTED_NAME}|${QUOTED_NAME}(?=${DEMANDS})`),
    becomes: KEEP,
    reason: 'Names of columns, properties and modules are part of the program.',
    examples: [
      [
        "Cannot read properties of undefined (reading 'total')",
        "Cannot read properties of undefined (reading 'total')",
      ],
      ['column "price" does not exist', 'column "price" does not exist'],
      ['"email" must be a valid email', '"email" must be a valid email'],
      ["no such customer 'anna'", 'no such customer <text>'],
    ],
  },
  {
    name: 'sentence',
    first: `"'`,
    starts: ['quote'],
    pattern: /"(?=(?:[^"\s]{1,60} ){3})[^"]{1,1000}"|'(?=(?:[^'\s]{1,60} ){3})[^']{1,1000}'(?!\w)/,
    becomes: INSIDE,
    reason: 'Four or more words are a message within the message.',
    examples: [["failed: 'the server is gone after 3 tries'", "failed: 'the server is gone after <n> try'"]],
  },
  {
    name: 'quotation',
    group: 'quoted',
    starts: ['quote'],
    pattern:
      /"(?:[^"\\]|\\.){0,500}"|'(?:[^'\n]|''){0,500}'(?!\w)|``[^`']{0,500}''|`[^`]{0,500}[`']|[“„][^“”]{0,500}[”“]|[‘‚][^‘’]{0,500}[’‘](?!\w)|«[^«»]{0,500}»|»[^«»]{0,500}«|‹[^‹›]{0,500}›|「[^「」]{0,500}」|『[^『』]{0,500}』/,
    becomes: '<text>',
    reason: 'Names, titles and other input.',
    examples: [
      ['no such customer "Anna \\"B\\" Berg"', 'no such customer <text>'],
      ['no such customer `anna`', 'no such customer <text>'],
      ["no such customer 'O''Hara'", 'no such customer <text>'],
      ['no such customer ‹anna› or 「bo」', 'no such customer <text> or <text>'],
      ["can't open it", "can't open it"],
    ],
  },
];
