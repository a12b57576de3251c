import { readdirSync, readFileSync } from 'node:fs';
import { createGrouper } from '../../../core/fingerprint/grouper.js';

const FOLDER = new URL('../../fixtures/fingerprint/', import.meta.url);

const VERSION_4 = createGrouper({ version: 4, patterns_off: [], rules: [] });

/** Traces of small programs of our own, each named by its oddity, with their fingerprints in version 4. */
describe('version 4 of the rules', () => {
  const names = readdirSync(FOLDER);

  it('include at least a dozen', () => {
    expect(names.length).toBeGreaterThanOrEqual(12);
  });

  it.each(names)('%s', (name) => {
    const { payload, fingerprint } = JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));
    expect(VERSION_4.fingerprint(payload)).toEqual(fingerprint);
  });

  it('are different failures, except one that only wraps another', () => {
    const fingerprintOf = (name: string) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')).fingerprint.value;
    expect(fingerprintOf('node-cause.json')).toBe(fingerprintOf('node-async-method.json'));
    expect(new Set(names.map(fingerprintOf)).size).toBe(names.length - 1);
  });
});
