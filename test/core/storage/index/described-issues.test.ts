import {
  createDescribedIssues,
  describedKey,
  namesKey,
  openDescribedIssues,
} from '../../../../core/storage/index/described-issues.js';

function issue(part: number): number {
  return describedKey(namesKey('shop', 'api'), part);
}

describe('the issues that threads describe', () => {
  it('are described once, by the thread that meets them in the earliest batch', () => {
    const memory = createDescribedIssues();
    const [one, other] = [openDescribedIssues(memory), openDescribedIssues(memory)];
    const met = issue(0xa1a1a1a1);
    expect([one.isFirst(met, 3), one.isFirst(met, 3), other.isFirst(met, 4)]).toEqual([true, false, false]);
    // Batches are read in any order, and the earliest is taken in first.
    expect([other.isFirst(met, 2), one.isFirst(met, 5)]).toEqual([true, false]);
  });

  it('are others in another service or app, and where names are cut in another place', () => {
    const issues = openDescribedIssues(createDescribedIssues());
    const all = [namesKey('shop', 'api'), namesKey('shop', 'web'), namesKey('shopa', 'pi')];
    expect(all.map((each) => issues.isFirst(describedKey(each, 0xb2b2b2b2), 1))).toEqual([true, true, true]);
  });

  it('have a key that is never 0, which says that there is room', () => {
    const names = namesKey('shop', 'api');
    expect(describedKey(names, names)).not.toBe(0);
  });

  it('are described again, never left out, where there is no room for more', () => {
    const memory = new SharedArrayBuffer(createDescribedIssues().byteLength);
    new Int32Array(memory).fill(-1);
    const issues = openDescribedIssues(memory);
    const met = issue(0xc3c3c3c3);
    expect([issues.isFirst(met, 1), issues.isFirst(met, 2)]).toEqual([true, true]);
  });
});
