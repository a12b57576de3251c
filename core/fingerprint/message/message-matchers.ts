import { MESSAGE_PATTERNS } from './message-patterns.js';
import {
  BRACKET,
  DIGIT,
  LETTER,
  LETTERS_ONLY,
  MARK,
  QUOTE,
  SHAPES,
  TOKEN_CLASSES,
  WITH_COLONS,
  WITH_DIGITS,
  WITH_DOTS,
  WITH_SLASHES,
} from './message-tokens.js';
import { INSIDE, KEEP, type MessagePattern, type PatternStart } from './patterns/message-pattern.js';

/** Left as it is, because somebody switched its row off. */
export const LEAVE = Symbol('leave');

/** What a token becomes. */
interface MatcherRow {
  readonly becomes: MessagePattern['becomes'] | typeof LEAVE;
  readonly isCount: boolean;
}

/** One sticky expression, in which an empty group stands behind what becomes `rows[n]`: group n + 1. */
interface Compiled {
  readonly expression: RegExp;
  readonly rows: readonly MatcherRow[];
}

/** Several rows as one expression, which is compiled when it is first used: few texts need all matchers. */
class Matcher {
  readonly #compile: () => Compiled;
  #compiled: Compiled | undefined;

  constructor(chosen: readonly MessagePattern[], off: ReadonlySet<string>) {
    this.#compile = () => compile(chosen, off);
  }

  /** The row that matches at a place with at least one character; `end` tells where its text ends. */
  rowAt(text: string, start: number): MatcherRow | undefined {
    this.#compiled ??= this.#compile();
    const { expression, rows } = this.#compiled;
    expression.lastIndex = start;
    const match = expression.exec(text);
    if (match === null || expression.lastIndex === start) return undefined;
    let group = 1;
    while (match[group] === undefined) group++;
    return rows[group - 1];
  }

  /** Where the last match ended. */
  get end(): number {
    return this.#compiled?.expression.lastIndex ?? 0;
  }
}

/** Neighbours that become the same share a group, since each costs time in each match. The groups are empty, so that no text is copied. */
function compile(chosen: readonly MessagePattern[], off: ReadonlySet<string>): Compiled {
  const rows: MatcherRow[] = [];
  const groups: string[][] = [];
  for (const row of chosen) {
    const becomes = off.has(row.group ?? row.name) ? LEAVE : row.becomes;
    const isCount = row.isCount === true;
    const last = rows.at(-1);
    if (last?.becomes === becomes && last.isCount === isCount) groups.at(-1)?.push(row.pattern.source);
    else {
      rows.push({ becomes, isCount });
      groups.push([row.pattern.source]);
    }
  }
  return { expression: new RegExp(groups.map((sources) => `(?:${sources.join('|')})()`).join('|'), 'y'), rows };
}

/** The matcher for each character of ASCII, and for each class of the characters beyond; none where no row can begin. */
export interface Matchers {
  /** By shape of the stretch (message-tokens.ts), then by character. */
  readonly ascii: readonly (readonly (Matcher | undefined)[])[];
  /** 1 where a row can begin with a mark or a bracket of ASCII and the character behind it, as `first * 128 + second`; 0 stands for the end of the text. */
  readonly pairs: Uint8Array;
  readonly beyond: readonly (Matcher | undefined)[];
}

const ASCII_UNITS = 128;
/** Characters that share a matcher. Letters and digits with one for each are slower: their machine code no longer fits the caches. */
const ALIKE: readonly string[] = [
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
const LEAST: Readonly<Record<NonNullable<MessagePattern['holds']> | 'none', number>> = {
  none: LETTERS_ONLY,
  digit: WITH_DIGITS,
  dot: WITH_DOTS,
  colon: WITH_COLONS,
  slash: WITH_SLASHES,
};
const STARTS: Readonly<Record<PatternStart, number>> = {
  word: LETTER,
  number: DIGIT,
  quote: QUOTE,
  mark: MARK,
  bracket: BRACKET,
};

/**
 * The rows, compiled: for a token in plain surroundings, or for one shortly behind a word that announces something.
 * A row that is off leaves its text whole, so that no later row finds a value in it; one that keeps its text or reads its inside is taken out.
 */
export function compileMatchers(off: ReadonlySet<string>, isAnnounced: boolean): Matchers {
  const rows = MESSAGE_PATTERNS.filter(
    (row) => (isAnnounced || row.isAnnounced !== true) && !(isStructure(row) && off.has(row.group ?? row.name)),
  );
  const compiled = new Map<string, Matcher>();
  const matcherOf = (chosen: readonly MessagePattern[]): Matcher | undefined => {
    if (chosen.length === 0) return undefined;
    const key = chosen.map((row) => row.name).join();
    let matcher = compiled.get(key);
    if (matcher === undefined) {
      matcher = new Matcher(chosen, off);
      compiled.set(key, matcher);
    }
    return matcher;
  };
  const ascii = SHAPES.map(() => Array.from({ length: ASCII_UNITS }, (): Matcher | undefined => undefined));
  for (const alike of ALIKE) {
    const kind = TOKEN_CLASSES[alike.charCodeAt(0)];
    const candidates = rows.filter(
      (row) => startsAs(row, kind) && (row.first === undefined || hasCommon(row.first, alike)),
    );
    for (const [shape, matchers] of ascii.entries()) {
      const matcher = matcherOf(candidates.filter((row) => LEAST[row.holds ?? 'none'] <= shape));
      for (const character of alike) matchers[character.charCodeAt(0)] = matcher;
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
  for (const character of ALIKE.join('')) {
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
  for (const character of one) if (other.includes(character)) return true;
  return false;
}

function isStructure(row: MessagePattern): boolean {
  return row.becomes === KEEP || row.becomes === INSIDE;
}
