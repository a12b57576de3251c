import type { FingerprintValue } from '../../../../core/event/ids.js';
import { createDescribedIssues, openDescribedIssues } from '../../../../core/storage/index/described-issues.js';

function issue(value: string, service = 'api') {
  return { app: 'shop', service, value: value.padStart(32, '0') as FingerprintValue };
}

describe('the issues that threads describe', () => {
  it('are described once, by the thread that meets them in the earliest batch', () => {
    const memory = createDescribedIssues();
    const [one, other] = [openDescribedIssues(memory), openDescribedIssues(memory)];
    const met = issue('a1'.repeat(16));
    expect([one.isFirst(met, 3), one.isFirst(met, 3), other.isFirst(met, 4)]).toEqual([true, false, false]);
    // Batches are read in any order, and the earliest is taken in first.
    expect([other.isFirst(met, 2), one.isFirst(met, 5)]).toEqual([true, false]);
  });

  it('are others in another service or app, and where names are cut in another place', () => {
    const issues = openDescribedIssues(createDescribedIssues());
    const value = 'b2'.repeat(16) as FingerprintValue;
    const all = [
      { app: 'shop', service: 'api', value },
      { app: 'shop', service: 'web', value },
      { app: 'shopa', service: 'pi', value },
    ];
    expect(all.map((each) => issues.isFirst(each, 1))).toEqual([true, true, true]);
  });

  it('are described again, never left out, where there is no room for more', () => {
    const memory = new SharedArrayBuffer(createDescribedIssues().byteLength);
    new Int32Array(memory).fill(-1);
    const issues = openDescribedIssues(memory);
    const met = issue('c3'.repeat(16));
    expect([issues.isFirst(met, 1), issues.isFirst(met, 2)]).toEqual([true, true]);
  });
});
