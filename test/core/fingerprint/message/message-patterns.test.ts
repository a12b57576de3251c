import { readFileSync } from 'node:fs';
import { MESSAGE_PATTERNS, PATTERN_NAMES } from '../../../../core/fingerprint/message/message-patterns.js';
import { ANNOUNCING_WORDS } from '../../../../core/fingerprint/message/message-tokens.js';
import { parameterize } from '../../../../core/fingerprint/message/parameterize.js';
import { PATTERN_EXAMPLES } from './pattern-examples.js';

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
