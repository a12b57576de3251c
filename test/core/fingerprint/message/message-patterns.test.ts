import { readFileSync } from 'node:fs';
import { MESSAGE_PATTERNS, PATTERN_NAMES } from '../../../../core/fingerprint/message/message-patterns.js';
import {
  BRACKET,
  classAt,
  DIGIT,
  LETTER,
  MARK,
  QUOTE_MARK,
  scanStretch,
  WITH_COLONS,
  WITH_DIGITS,
  WITH_DOTS,
  WITH_SLASHES,
} from '../../../../core/fingerprint/message/message-tokens.js';
import { parameterize } from '../../../../core/fingerprint/message/parameterize.js';
import { ANNOUNCING_WORDS } from '../../../../core/fingerprint/message/patterns/message-pattern.js';
import { PATTERN_EXAMPLES } from './pattern-examples.js';

const STARTS = { word: LETTER, number: DIGIT, quote: QUOTE_MARK, mark: MARK, bracket: BRACKET };
const SHAPES = { digit: WITH_DIGITS, dot: WITH_DOTS, colon: WITH_COLONS, slash: WITH_SLASHES };
const EXAMPLES = Object.values(PATTERN_EXAMPLES).flat(2);

describe('the table of message patterns', () => {
  it('has examples of each name, and of nothing else', () => {
    expect(Object.keys(PATTERN_EXAMPLES).sort()).toEqual(PATTERN_NAMES);
  });

  describe.each(Object.entries(PATTERN_EXAMPLES))('%s', (_, examples) => {
    it.each(examples)('turns %j into %j', (before, after) => {
      expect(parameterize(before)).toBe(after);
    });

    it('does not change its own placeholders', () => {
      for (const [, after] of examples) expect(parameterize(after)).toBe(after);
    });
  });

  describe.each(MESSAGE_PATTERNS.map((row, index) => [`${row.name}, row ${index}`, row] as const))('%s', (_, row) => {
    it('has an example, a reason, no flags and no groups that would shift the others', () => {
      expect((PATTERN_EXAMPLES[row.name] ?? []).some(([before]) => row.pattern.test(before))).toBe(true);
      expect(row.reason).toMatch(/[.`]$/);
      expect(row.pattern.flags).toBe('');
      expect(new RegExp(`${row.pattern.source}|`).exec('')).toHaveLength(1);
    });

    it('declares which patterns follow a sign or a bracket, and which substrings each match contains', () => {
      const { second, holds } = row;
      const sticky = new RegExp(row.pattern.source, 'y');
      for (const text of EXAMPLES)
        for (let at = 0; at < text.length; at++) {
          const kind = classAt(text, at);
          sticky.lastIndex = at;
          if (!row.starts.some((start) => STARTS[start] === kind) || !sticky.test(text) || sticky.lastIndex === at)
            continue;
          const isMark = kind === MARK || kind === BRACKET;
          if (isMark && second !== undefined && text.charCodeAt(at + 1) < 128) expect(second).toContain(text[at + 1]);
          if (isMark || kind === QUOTE_MARK || holds === undefined) continue;
          const stretch = { shape: 0, end: 0 };
          scanStretch(stretch, text, at);
          expect(stretch.shape).toBeGreaterThanOrEqual(SHAPES[holds]);
        }
    });

    it('declares every ASCII character with which a match can begin', () => {
      const { first } = row;
      if (first === undefined) return;
      const sticky = new RegExp(row.pattern.source, 'y');
      for (const text of EXAMPLES)
        for (let at = 0; at < text.length; at++) {
          sticky.lastIndex = at;
          const kind = classAt(text, at);
          const isStart = row.starts.some((start) => STARTS[start] === kind);
          const isMatch = isStart && sticky.test(text) && sticky.lastIndex > at;
          if (isMatch && text.charCodeAt(at) < 128) expect(first).toContain(text[at]);
        }
    });
  });

  it('is documented completely in docs/triage.md, by the names that users can disable', () => {
    const page = readFileSync(new URL('../../../../docs/triage.md', import.meta.url), 'utf8');
    for (const name of PATTERN_NAMES) expect(page).toContain(`\`${name}\``);
  });

  it('has readable names', () => {
    for (const name of PATTERN_NAMES) expect(name).toMatch(/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/);
    expect(PATTERN_NAMES).toContain('url');
    expect(PATTERN_NAMES).toContain('number');
  });

  it('has only keywords that the scanner can find', () => {
    for (const word of ANNOUNCING_WORDS) expect(word).toMatch(/^[a-z_]{2,14}$/);
  });
});
