import { diedAt, expectOldOrNew } from '../../core/storage/regroup/dying-regroup.js';

/** Skips calls that differ little; FAULTLINE_EVERY_CALL=1 tries all. */
const STEP = process.env['FAULTLINE_EVERY_CALL'] === undefined ? 5 : 1;

describe('a collector that is killed at any call of a regrouping or a rollback', () => {
  it.each([
    ['none', 'fsync'],
    ['part', 'fsync'],
    ['whole', 'os'],
  ] as const)('leaves the complete old state or the complete new one: %s, %s', async (effect, durability) => {
    const { calls } = await diedAt(Number.POSITIVE_INFINITY, effect, durability);
    expect(calls).toBeGreaterThan(60);
    for (let at = effect === 'none' ? 0 : 1; at < calls; at += effect === 'none' ? STEP : 2 * STEP) {
      await expectOldOrNew(await diedAt(at, effect, durability), durability);
    }
  });
});
