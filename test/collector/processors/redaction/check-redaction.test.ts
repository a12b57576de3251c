import { checkSettings } from '../../../../collector/service/check-settings.js';
import { settingsFor } from '../../running-service.js';

describe('the configuration check of redaction', () => {
  it('finds nothing in the defaults', () => {
    expect(checkSettings(settingsFor('/nowhere', 'processors.redaction={}'))).toEqual([]);
  });

  it.each([
    ['ignored_key_patterns', '(a', 'RE2'],
    ['blocked_key_patterns', '(?!a)', 'RE2'],
    ['blocked_values', 'a|', 'empty text'],
    ['allowed_values', '[b', 'RE2'],
  ])('points at a bad pattern of %s', (list, pattern, message) => {
    const set = `processors.redaction/a.${list}=${JSON.stringify(['ok', pattern])}`;
    const faults = checkSettings(settingsFor('/nowhere', set));
    expect(faults.map(({ path }) => path)).toEqual([['processors', 'redaction/a', list, 1]]);
    expect(faults[0]?.message).toContain(message);
  });

  it('warns that allowed_keys has no effect if all keys are allowed', () => {
    const faults = checkSettings(settingsFor('/nowhere', 'processors.redaction.allowed_keys=[a]'));
    expect(faults.map(({ path }) => path)).toEqual([['processors', 'redaction', 'allowed_keys']]);
  });
});
