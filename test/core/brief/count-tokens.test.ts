import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { countTokens as cl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base';
import { countTokens, lengthWithin } from '../../../core/brief/count-tokens.js';
import { neutralText } from '../../../core/brief/neutral-text.js';

const PLAIN = { disallowedSpecial: new Set<string>() };
const countedBoth = (text: string): number => Math.max(cl100k(text, PLAIN), o200k(text, PLAIN));

/** Text of a sender who wants to be counted for less than it is. */
const HOSTILE = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'), maxLength: 300 }),
  fc.string({ unit: fc.constantFrom(...'qxzjkvwQXZJKVW'), maxLength: 300 }),
  fc.string({ unit: fc.constantFrom(...' \n\r\t'), maxLength: 300 }),
  fc.string({ unit: fc.constantFrom(...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~ \n'), maxLength: 300 }),
  fc.string({ unit: fc.constantFrom(...'aZ9 _-."\'\n{}é漢\u0301\u200b'), maxLength: 300 }),
  fc.base64String({ maxLength: 300 }),
  fc.uuid(),
  fc.json({ maxDepth: 3 }),
  fc
    .array(fc.constantFrom("'s", "'LL", ' the', 'error', 'Error', 'ſ', '\u212a', '<|endoftext|>', '123', ' '), {
      maxLength: 60,
    })
    .map((parts) => parts.join('')),
);

describe('countTokens', () => {
  it('counts at least nine tenths of what cl100k and o200k count, whatever the text', () => {
    const long = fc.array(HOSTILE, { minLength: 4, maxLength: 12 });
    fc.assert(
      fc.property(long, fc.constantFrom('', ' ', '\n| '), (texts, between) => {
        const text = texts.join(between);
        expect(countTokens(text) + 10).toBeGreaterThanOrEqual(0.9 * countedBoth(text));
      }),
    );
  });

  it('never counts less than they do in the injection corpus, as briefs show it', async () => {
    const lines = (await readFile('test/fixtures/injections/attempts.ndjson', 'utf8')).trim().split('\n');
    const texts = lines.map((line) => neutralText((JSON.parse(line) as { text: string }).text));
    for (const text of [texts.join('\n'), JSON.stringify(texts)]) {
      expect(countTokens(text)).toBeGreaterThanOrEqual(countedBoth(text));
    }
  });

  it.each(['README.md', 'docs/triage.md', 'core/reader-schema.json', 'core/brief/brief.ts', 'docs/http-api.md'])(
    'counts at most 1.5 times as many in %s, and never less',
    async (file) => {
      const text = await readFile(file, 'utf8');
      expect(countTokens(text)).toBeGreaterThanOrEqual(countedBoth(text));
      expect(countTokens(text)).toBeLessThanOrEqual(1.5 * countedBoth(text));
    },
  );

  it('finds about the longest start of a text that takes so many tokens', () => {
    fc.assert(
      fc.property(HOSTILE, fc.nat(100), (text, tokens) => {
        const length = lengthWithin(text, tokens);
        expect(countTokens(text.slice(0, length))).toBeLessThanOrEqual(tokens);
        if (length < text.length) expect(countTokens(text.slice(0, length + 20))).toBeGreaterThanOrEqual(tokens);
      }),
    );
  });
});
