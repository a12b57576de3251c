import type { JsonValue } from '../../../core/event/json.js';
import { hopsOf } from '../../../core/event/raw-payload.js';
import { acceptValue, samplePayload } from './sample-payload.js';

const of = (faultline: JsonValue) => hopsOf({ faultline });

describe('the hops of an event', () => {
  it('are an integer in extra, up to a thousand; any other value counts as 0', () => {
    expect([of({ hops: 1 }), of({ hops: 5, cuts: [] }), of({ hops: 1e9 })]).toEqual([1, 5, 1_000]);
    const others = [{}, null, 'x', [1], { hops: 0 }, { hops: -1 }, { hops: 1.5 }, { hops: '2' }, { hops: null }];
    expect(others.map(of)).toEqual(others.map(() => 0));
    expect(hopsOf(null)).toBe(0);
    expect(hopsOf({})).toBe(0);
  });

  it('stay in extra.faultline when its other members move, so that loops end', () => {
    const faultline = { hops: 3, cuts_total: 1 };
    const cut = acceptValue(samplePayload({ extra: { faultline }, message: 'x'.repeat(1_001) }));
    expect(cut.payload.extra).toMatchObject({ faultline: { hops: 3, cuts_total: 1, sender: faultline } });
    const forged = acceptValue(samplePayload({ extra: { faultline: { hops: 3, sampled: 9 } } }));
    expect(forged.payload.extra).toEqual({ faultline: { hops: 3, sender: { hops: 3, sampled: 9 } } });
  });
});
