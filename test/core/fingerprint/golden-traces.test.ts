import { readdirSync, readFileSync } from 'node:fs';
import { computeFingerprint } from '../../../core/fingerprint/compute-fingerprint.js';

const FOLDER = new URL('../../fixtures/fingerprint/', import.meta.url);

/** Traces of small programs of our own, each named by its oddity, with the whole fingerprint that they have in version 1. */
describe('fingerprints of real traces', () => {
  const names = readdirSync(FOLDER);

  it('cover at least a dozen', () => {
    expect(names.length).toBeGreaterThanOrEqual(12);
  });

  it.each(names)('%s', (name) => {
    const { payload, fingerprint } = JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));
    expect(computeFingerprint(payload)).toEqual(fingerprint);
  });

  it('are all different failures', () => {
    const values = names.map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')).fingerprint.value);
    expect(new Set(values).size).toBe(values.length);
  });
});
