import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { countTokens as cl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base';
import { countTokens } from '../../../core/brief/count-tokens.js';

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
  it('never counts less than cl100k and o200k, whatever the text', () => {
    fc.assert(
      fc.property(HOSTILE, HOSTILE, (one, other) => {
        for (const text of [one, `${one}${other}`, `${one} ${other}`, `${one}\n| ${other}`]) {
          expect(countTokens(text)).toBeGreaterThanOrEqual(countedBoth(text));
        }
      }),
    );
  });

  it('never counts less than they do in the injection corpus', async () => {
    const lines = (await readFile('test/fixtures/injections/attempts.ndjson', 'utf8')).trim().split('\n');
    for (const line of lines) expect(countTokens(line)).toBeGreaterThanOrEqual(countedBoth(line));
  });

  it.each(['README.md', 'docs/triage.md', 'core/reader-schema.json', 'core/brief/brief.ts', 'docs/http-api.md'])(
    'counts at most 1.3 times as many in %s',
    async (file) => {
      const text = await readFile(file, 'utf8');
      expect(countTokens(text)).toBeGreaterThanOrEqual(countedBoth(text));
      expect(countTokens(text)).toBeLessThanOrEqual(1.3 * countedBoth(text));
    },
  );
});
