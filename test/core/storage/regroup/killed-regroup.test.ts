import { diedAt, expectOldOrNew } from './dying-regroup.js';

/** Between the calls that are tried here; `test/system/storage-safety` tries all. */
const STEP = 29;

describe('a store that is killed in the middle of a regrouping or a rollback', () => {
  it('has the complete old grouping or the complete new one', async () => {
    const { calls } = await diedAt(Number.POSITIVE_INFINITY, 'none', 'os');
    expect(calls).toBeGreaterThan(4 * STEP);
    for (let at = 7; at < calls; at += STEP) await expectOldOrNew(await diedAt(at, 'part', 'os'), 'os');
  });
});
