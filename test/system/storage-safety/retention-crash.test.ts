import {
  dieInRemoval,
  ENDS,
  filledDisk,
  readWithoutLock,
  shownAfterDeath,
} from '../../core/storage/retention/dying-removal.js';

/** FAULTLINE_EVERY_CALL=1 ends the process in every way at every call; by default two of three ways alternate. */
const isEveryCall = process.env['FAULTLINE_EVERY_CALL'] !== undefined;

describe('a process that dies at any call of a removal', () => {
  it('leaves a folder that completes or discards it, with the same counts as a rebuild', async () => {
    const filled = await filledDisk();
    const before = await readWithoutLock(filled.copy());
    const whole = await dieInRemoval(filled, Number.POSITIVE_INFINITY, 'killed');
    const after = await readWithoutLock(whole.found);
    expect(after).not.toBe(before);

    const results = new Set<string>();
    let isDead = true;
    let diesAt = 0;
    for (; isDead; diesAt += 1) {
      const leftOut = isEveryCall ? undefined : ENDS[diesAt % ENDS.length];
      for (const end of ENDS.filter((one) => one !== leftOut)) {
        const { found, died } = await dieInRemoval(filled, diesAt, end);
        isDead = died;
        const shown = await shownAfterDeath(found);
        results.add(shown === before ? 'before' : shown === after ? 'after' : 'part');
      }
    }
    expect(diesAt).toBeGreaterThan(30);
    expect([...results].sort()).toEqual(['after', 'before']);
  });
});
