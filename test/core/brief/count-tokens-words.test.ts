import { countTokens as cl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base';
import { countTokens, WORDS } from '../../../core/brief/count-tokens.js';

const ASCII = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).filter(
  (one) => !/[A-Za-z]/.test(one),
);

describe('countTokens', () => {
  it('counts no known word for fewer tokens than it has, whatever is beside it', () => {
    const besides = ['', '\n', '\t', '": "', '","', "'s", ...ASCII];
    const missed: string[] = [];
    for (const word of WORDS) {
      for (const before of besides) {
        for (const after of ['', ' ', '_', '(', '":', "'s", "'t", '.', 'é', '1']) {
          const text = `${before}${word}${after}`;
          if (countTokens(text) < Math.max(cl100k(text), o200k(text))) missed.push(text);
        }
      }
    }
    expect(missed).toEqual([]);
  });

  it('counts pairs of known words as enough', () => {
    const missed: string[] = [];
    const words = [...WORDS];
    for (const one of words) {
      for (const other of words) {
        const text = `${one} ${other}_${one}.${other}`;
        if (countTokens(text) < Math.max(cl100k(text), o200k(text))) missed.push(text);
      }
    }
    expect(missed).toEqual([]);
  });
});
