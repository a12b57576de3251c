import { serverPayload } from '../../../helpers/payloads.js';
import { computeFingerprint } from '../compute-fingerprint.js';
import { NOISE_KINDS } from './noise-kinds.js';

/** An error name may stand before a bar that no space precedes. */
function fingerprintOf(event: string): string {
  const [, errorName = '', message = event] = /^(\w+)\|(.*)$/s.exec(event) ?? [];
  return computeFingerprint(serverPayload({ error_name: errorName, message, stack: null, extra: null })).value;
}

describe('noise', () => {
  const kinds = Object.entries(NOISE_KINDS);

  it.each(kinds.filter(([, events]) => events.length > 1))('is one issue whatever its values: %s', (_, events) => {
    expect(new Set(events.map(fingerprintOf)).size).toBe(1);
  });

  it.each(kinds)('is no issue of another kind: %s', (kind, [event]) => {
    const same = kinds.filter(([, [other]]) => fingerprintOf(other) === fingerprintOf(event)).map(([name]) => name);
    expect(same).toEqual([kind]);
  });
});
