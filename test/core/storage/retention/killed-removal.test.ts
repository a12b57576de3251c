import { dieInRemoval, ENDS, filledDisk, readWithoutLock, shownAfterDeath } from './dying-removal.js';

/** Between the calls that are tried here; `test/system/storage-safety` tries all. */
const STEP = 5;

describe('a store whose process ends in the middle of a removal', () => {
  it('has all old hours or none of them, the same at once, after a start and in a rebuilt index', async () => {
    const filled = await filledDisk();
    const before = await readWithoutLock(filled.copy());
    const whole = await dieInRemoval(filled, Number.POSITIVE_INFINITY, 'killed');
    const after = await readWithoutLock(whole.found);
    expect(whole.calls).toBeGreaterThan(4 * STEP);
    for (let diesAt = 1; diesAt < whole.calls; diesAt += STEP) {
      const { found, died } = await dieInRemoval(filled, diesAt, ENDS[diesAt % ENDS.length] ?? 'killed');
      expect(died).toBe(true);
      expect([before, after]).toContain(await shownAfterDeath(found));
    }
  });
});
