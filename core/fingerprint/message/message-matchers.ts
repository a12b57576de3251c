import { MESSAGE_PATTERNS } from './message-patterns.js';
import {
  BRACKET,
  DIGIT,
  LETTER,
  LETTERS_ONLY,
  MARK,
  QUOTE_MARK,
  SHAPES,
  TOKEN_CLASSES,
  WITH_COLONS,
  WITH_DIGITS,
  WITH_DOTS,
  WITH_SLASHES,
} from './message-tokens.js';
import { INSIDE, KEEP, type MessagePattern, type PatternStart } from './patterns/message-pattern.js';

/** The text stays because its row is switched off. */
export const LEAVE = Symbol('leave');

/** What a token becomes. */
type Becomes = MessagePattern['becomes'] | typeof LEAVE;

/** One sticky expression; the empty group n + 1 follows each alternative of `rows[n]`. */
interface Compiled {
  readonly expression: RegExp;
  readonly rows: readonly Becomes[];
}

/** Several rows as one expression, compiled on first use: few texts need all matchers. */
class Matcher {
  readonly #compile: () => Compiled;
  #compiled: Compiled | undefined;

  constructor(patterns: readonly MessagePattern[], off: ReadonlySet<string>) {
    this.#compile = () => compile(patterns, off);
  }

  /** The result of the row that matches at least one character at `start`; `end` is then the end of the match. */
  becomesAt(text: string, start: number): Becomes | undefined {
    this.#compiled ??= this.#compile();
    const { expression, rows } = this.#compiled;
    expression.lastIndex = start;
    const match = expression.exec(text);
    if (match === null || expression.lastIndex === start) return undefined;
    let group = 1;
    while (match[group] === undefined) group++;
    return rows[group - 1];
  }

  get end(): number {
    return this.#compiled?.expression.lastIndex ?? 0;
  }
}

/** Adjacent rows with the same result share a group, because each group costs time per match. Groups are empty so that no text is copied. */
function compile(patterns: readonly MessagePattern[], off: ReadonlySet<string>): Compiled {
  const rows: Becomes[] = [];
  const groups: string[][] = [];
  for (const row of patterns) {
    const becomes = off.has(row.name) ? LEAVE : row.becomes;
    if (rows.at(-1) === becomes) groups.at(-1)?.push(row.pattern.source);
    else {
      rows.push(becomes);
      groups.push([row.pattern.source]);
    }
  }
  return { expression: new RegExp(groups.map((sources) => `(?:${sources.join('|')})()`).join('|'), 'y'), rows };
}

/** Matchers by the first character of a token; undefined if no row can begin there. */
export interface Matchers {
  /** By shape of the stretch (message-tokens.ts), then by ASCII character. */
  readonly ascii: readonly (readonly (Matcher | undefined)[])[];
  /** 1 at `first * 128 + second` if a row can begin with these ASCII characters, `first` being a mark or a bracket; `second` is 0 at the end of the text. */
  readonly pairs: Uint8Array;
  /** By token class, for other characters. */
  readonly beyond: readonly (Matcher | undefined)[];
}

const ASCII_UNITS = 128;
/** Characters that share a matcher: the machine code of one matcher per character exceeds the CPU caches. */
const CHARACTER_GROUPS: readonly string[] = [
  '0123456789',
  'abcdefghijklmnopqrstuvwxyz_$',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  '"\'`',
  '=',
  '/\\',
  '.~',
  '+-',
  '<>',
  '*',
  ':',
  '(',
  '[',
  '{',
];
const MIN_SHAPE: Readonly<Record<NonNullable<MessagePattern['holds']> | 'none', number>> = {
  none: LETTERS_ONLY,
  digit: WITH_DIGITS,
  dot: WITH_DOTS,
  colon: WITH_COLONS,
  slash: WITH_SLASHES,
};
const STARTS: Readonly<Record<PatternStart, number>> = {
  word: LETTER,
  number: DIGIT,
  quote: QUOTE_MARK,
  mark: MARK,
  bracket: BRACKET,
};

/** Compiles the rows for tokens with or without an announcing word; a row that is off matches and leaves its text, so that no later row matches in it. */
export function compileMatchers(off: ReadonlySet<string>, isAnnounced: boolean): Matchers {
  const rows = MESSAGE_PATTERNS.filter(
    (row) => (isAnnounced || row.isAnnounced !== true) && !(isStructure(row) && off.has(row.name)),
  );
  const compiled = new Map<string, Matcher>();
  const matcherOf = (patterns: readonly MessagePattern[]): Matcher | undefined => {
    if (patterns.length === 0) return undefined;
    const key = patterns.map((row) => MESSAGE_PATTERNS.indexOf(row)).join();
    const matcher = compiled.get(key) ?? new Matcher(patterns, off);
    compiled.set(key, matcher);
    return matcher;
  };
  const ascii = SHAPES.map(() => Array.from({ length: ASCII_UNITS }, (): Matcher | undefined => undefined));
  for (const group of CHARACTER_GROUPS) {
    const kind = TOKEN_CLASSES[group.charCodeAt(0)];
    const candidates = rows.filter(
      (row) => startsAs(row, kind) && (row.first === undefined || hasCommon(row.first, group)),
    );
    for (const [shape, matchers] of ascii.entries()) {
      const matcher = matcherOf(candidates.filter((row) => MIN_SHAPE[row.holds ?? 'none'] <= shape));
      for (const character of group) matchers[character.charCodeAt(0)] = matcher;
    }
  }
  return {
    ascii,
    pairs: pairsOf(rows),
    beyond: Array.from({ length: BRACKET + 1 }, (_, kind) => matcherOf(rows.filter((row) => startsAs(row, kind)))),
  };
}

function pairsOf(rows: readonly MessagePattern[]): Uint8Array {
  const pairs = new Uint8Array(ASCII_UNITS * ASCII_UNITS);
  for (const character of CHARACTER_GROUPS.join('')) {
    const unit = character.charCodeAt(0);
    const kind = TOKEN_CLASSES[unit];
    if (kind !== MARK && kind !== BRACKET) continue;
    const start = unit * ASCII_UNITS;
    for (const row of rows) {
      if (!startsAs(row, kind) || row.first?.includes(character) === false) continue;
      if (row.second === undefined) pairs.fill(1, start, start + ASCII_UNITS);
      else for (const next of row.second) pairs[start + next.charCodeAt(0)] = 1;
    }
  }
  return pairs;
}

function startsAs(row: MessagePattern, kind: number | undefined): boolean {
  return row.starts.some((start) => STARTS[start] === kind);
}

function hasCommon(one: string, other: string): boolean {
  return [...one].some((character) => other.includes(character));
}

function isStructure(row: MessagePattern): boolean {
  return row.becomes === KEEP || row.becomes === INSIDE;
}
