import { serverPayload } from '../../../helpers/payloads.js';
import { computeFingerprint } from '../compute-fingerprint.js';
import { NOISE_KINDS } from './noise-kinds.js';

/** An error name may stand before a bar that no space precedes. */
function fingerprintOf(event: string): string {
  const [, errorName = '', message = event] = /^(\w+)\|(.*)$/s.exec(event) ?? [];
  return computeFingerprint(serverPayload({ error_name: errorName, message, stack: null, extra: null })).value;
}

describe.each(Object.entries(NOISE_KINDS))('%s', (kind, events) => {
  it('is one issue whatever its values', () => {
    expect(new Set(events.map(fingerprintOf)).size).toBe(1);
  });

  it('is no issue of another kind', () => {
    const own = fingerprintOf(events[0]);
    const same = Object.keys(NOISE_KINDS).filter((other) => fingerprintOf(NOISE_KINDS[other]?.[0] ?? '') === own);
    expect(same).toEqual([kind]);
  });
});
