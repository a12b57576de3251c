import { readdirSync, readFileSync } from 'node:fs';
import { createGrouper } from '../../../core/fingerprint/grouper.js';

const FOLDER = new URL('../../fixtures/fingerprint/', import.meta.url);

const VERSION_1 = createGrouper({ version: 1, patterns_off: [], rules: [] });

/** Traces of small programs of our own, each named by its oddity, with the whole fingerprint that they have in version 1. */
describe('version 1 of the rules', () => {
  const names = readdirSync(FOLDER);

  it('cover at least a dozen', () => {
    expect(names.length).toBeGreaterThanOrEqual(12);
  });

  it.each(names)('%s', (name) => {
    const { payload, fingerprint } = JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));
    expect(VERSION_1.fingerprint(payload)).toEqual(fingerprint);
  });

  it('are all different failures', () => {
    const values = names.map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')).fingerprint.value);
    expect(new Set(values).size).toBe(values.length);
  });
});
