import { runInNewContext } from 'node:vm';
import { createGarbageCollection } from '../../../collector/processors/collect-garbage.js';

describe('a forced collection', () => {
  it('needs no flag of the command line, frees what nobody holds, and leaves no mount open behind it', async () => {
    const garbage = new WeakRef({ text: 'nobody holds this' });
    // What is made in a turn lives until its end.
    await new Promise((resolve) => setImmediate(resolve));
    const collect = createGarbageCollection();
    collect();
    collect();
    expect(garbage.deref()).toBeUndefined();
    expect(runInNewContext('typeof gc')).toBe('undefined');
  });
});
