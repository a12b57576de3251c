import type { MessagePattern } from './message-pattern.js';

const ELEMENT = `[^\\s,[\\](){}"'=<>]{1,80}`;
const WORD = '[A-Za-z_][A-Za-z_-]{0,60}(?=[,\\]])';

/** Several values at once. */
export const LIST_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'list',
    starts: ['bracket'],
    first: '[',
    pattern: new RegExp(
      `\\[(?=[^\\s,\\]]{1,80}, ?[^\\s,\\]])(?:${ELEMENT}, ?){0,100}${WORD}(?:, ?${ELEMENT}){0,100}\\]`,
    ),
    becomes: '[<text>]',
    reason: 'Two words and more between brackets are data that was printed; one alone is often a name, as in `[main]`.',
    examples: [
      ['dropped [anna, bo] and [carl, dan, eve]', 'dropped [<text>] and [<text>]'],
      ['dropped [1, 2, 3]', 'dropped [<n>]'],
      ['[main] dropped', '[main] dropped'],
    ],
  },
  {
    name: 'value_in_brackets',
    group: 'value',
    starts: ['mark'],
    first: '=',
    pattern: /(?<=[\w)\]"'] ?)= ?(?:\([^()]{0,200}\)|\[[^[\]]{0,200}\]|\{[^{}]{0,200}\})/,
    becomes: '=<value>',
    reason: 'A list, a row or an object as the variable half of key=value.',
    examples: [
      ['Key (name)=(Anna Berg) already exists', 'Key (name)=<value> already exists'],
      ['roles=[admin, user] refused', 'roles=<value> refused'],
    ],
  },
];
