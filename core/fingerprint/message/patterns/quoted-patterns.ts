import { FAILURE_KEY } from './key-value-patterns.js';
import { INSIDE, KEEP, type MessagePattern } from './message-pattern.js';

const ANNOUNCES_NAME =
  '(?:[Rr]eading|[Ww]riting|[Pp]ropert(?:y|ies)|[Aa]ttribute|[Mm]ethod|[Ff]unction|[Mm]odule|[Pp]ackage|[Cc]olumn|[Ff]ield|[Tt]able|[Rr]elation|[Cc]onstraint|[Ii]ndex|for key|[Ff]ilter|[Oo]ption|[Pp]arameter|[Aa]rgument|[Vv]ariable|[Cc]lass|[Tt]ype|[Oo]perator|[Kk]eyword|[Uu]nexpected token|[Hh]eader|[Cc]ommand|invoke|because|return value of)';
/** A key of a printed struct whose value is an argument if it has fewer than three words. */
const KEY_OF_STRUCT =
  '[A-Z]\\w{0,60} ?\\{(?:[^{}]{0,200},)? ?(?:action|op(?:eration)?|method|phase|stage|step|event|title|category): ';
const DEMANDS =
  '(?: is (?:required|missing|not (?:allowed|defined|a function|iterable|a constructor))| must (?:be|not|have|match|contain))';
/** Neither a number, hexadecimal digits, a path nor a URL; with few digits. */
const NAME =
  '(?![\\d.]{1,80}["\'`]|(?:(?=[a-f]{0,80}\\d)[\\da-f]{6,80}|[a-f]{8,80})["\'`]|(?:[a-z]{1,20}:|[A-Z]:|~)?/{1,2}\\w)[A-Za-z_$#@.<(/:[\\]()>, -]{0,80}(?:\\d{1,3}[A-Za-z_$.<>()[\\]-]{0,40}){0,2}';
/** Only a label, as of a form, has spaces that do not follow a comma. */
const NO_LABEL = '(?!.[^"\'`]{0,80}[^,"\'`] )';
const BRACKETED = '[A-Za-z][\\w.@-]{0,80}';
const RUNNING =
  '(?:[Jj]ob|[Pp]rocess|[Tt]ask|[Pp]rogram|[Dd]aemon|[Ss]ervice|[Uu]nit|[Cc]ontainer|[Pp]od|[Ww]orker|[Qq]ueue)s?';
const QUOTED_NAME = `(?:"${NAME}"|'${NAME}'|\`${NAME}[\`'])`;

/** Text in quotes is input, unless the word before it or its form shows otherwise. */
export const QUOTED_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'speaking_value',
    starts: ['quote'],
    pattern: new RegExp(
      `(?<=\\b${FAILURE_KEY}["']? ?[:=] ?)(?:(?<!${KEY_OF_STRUCT})|(?="(?:[^"\\s]{0,60} ){2}))(?:"(?:[^"\\\\]|\\\\.){0,1000}"|'[^']{0,1000}')`,
    ),
    becomes: INSIDE,
    reason: 'The value of error, message, reason or code describes the failure.',
  },
  {
    name: 'request_line',
    starts: ['quote'],
    pattern: /"(?=(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE) )[^"]{0,2000}"/,
    becomes: INSIDE,
    reason: 'A request line: its method is not a value.',
  },
  {
    name: 'program_name',
    starts: ['quote'],
    pattern: new RegExp(`(?<=\\b${ANNOUNCES_NAME}[ (:]{1,2})${NO_LABEL}${QUOTED_NAME}|${QUOTED_NAME}(?=${DEMANDS})`),
    becomes: KEEP,
    reason: 'Names of columns, properties and modules are part of the program.',
  },
  {
    name: 'list',
    starts: ['bracket'],
    pattern: new RegExp(
      `(?<=[a-z] (?<!\\b(?:${FAILURE_KEY}|${ANNOUNCES_NAME}|with) ))\\[(?=[A-Z_]{0,80}[a-z])${BRACKETED}\\](?= |(?<=\\b(?:by|for|from|in|of|on|to|${RUNNING}) \\[[^[\\]]{1,82}\\])$)`,
    ),
    becomes: '[<text>]',
    reason: 'Printed data after a plain word that does not announce a name; at the end it is often a tag.',
  },
  {
    name: 'list',
    starts: ['bracket'],
    pattern: new RegExp(`\\(${BRACKETED}\\)(?<=\\b${RUNNING} \\([^()]{1,82}\\))`),
    becomes: '(<text>)',
    reason: 'The name of what runs, in parentheses after the word for it.',
  },
  {
    name: 'sentence',
    starts: ['quote'],
    pattern: /"(?=(?:[^"\s]{1,60} ){3})[^"]{1,1000}"|'(?=(?:[^'\s]{1,60} ){3})[^']{1,1000}'(?!\w)/,
    becomes: INSIDE,
    reason: 'Four or more words are a message within the message.',
  },
  {
    name: 'quoted',
    starts: ['quote'],
    pattern:
      /"(?:[^"\\]|\\.){0,500}"|'(?:[^'\n]|''){0,500}'(?!\w)|``[^`']{0,500}''|`[^`]{0,500}[`']|[“„][^“”]{0,500}[”“]|[‘‚][^‘’]{0,500}[’‘](?!\w)|«[^«»]{0,500}»|»[^«»]{0,500}«|‹[^‹›]{0,500}›|「[^「」]{0,500}」|『[^『』]{0,500}』/,
    becomes: '<text>',
    reason: 'Names, titles and other input.',
  },
];
