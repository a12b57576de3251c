import { readFileSync } from 'node:fs';
import { ANNOUNCING_WORDS } from '../../../core/fingerprint/message-patterns/message-pattern.js';
import { MESSAGE_PATTERNS } from '../../../core/fingerprint/message-patterns.js';
import { parameterize } from '../../../core/fingerprint/parameterize.js';

describe('the table of message patterns', () => {
  describe.each(MESSAGE_PATTERNS.map((row) => [row.name, row] as const))('%s', (_, row) => {
    it.each(row.examples)('turns %j into %j', (before, after) => {
      expect(parameterize(before)).toBe(after);
    });

    it('leaves what it made as it is', () => {
      for (const [, after] of row.examples) expect(parameterize(after)).toBe(after);
    });

    it('has examples, no flags and no groups that would shift the others', () => {
      expect(row.examples.length).toBeGreaterThan(0);
      expect(row.pattern.flags).toBe('');
      expect(new RegExp(`${row.pattern.source}|`).exec('')).toHaveLength(1);
    });
  });

  it('has one row for each name', () => {
    const names = MESSAGE_PATTERNS.map((row) => row.name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('is described whole in the README', () => {
    const readme = readFileSync(new URL('../../../core/fingerprint/README.md', import.meta.url), 'utf8');
    for (const { name } of MESSAGE_PATTERNS) expect(readme).toContain(`\`${name}\``);
  });

  it('holds announcing words that the scanner can see', () => {
    for (const word of ANNOUNCING_WORDS) expect(word).toMatch(/^[a-z_]{2,14}$/);
  });
});
