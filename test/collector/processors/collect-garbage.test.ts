import { runInNewContext } from 'node:vm';
import { createGarbageCollection } from '../../../collector/processors/memory-limiter-processor.js';

describe('a forced garbage collection', () => {
  it('needs no command-line flag, frees unreferenced objects, and leaves no mount open', async () => {
    const garbage = new WeakRef({ text: 'nobody holds this' });
    // Objects made in a turn of the event loop may live until its end.
    await new Promise((resolve) => setImmediate(resolve));
    const collect = createGarbageCollection();
    collect();
    collect();
    expect(garbage.deref()).toBeUndefined();
    expect(runInNewContext('typeof gc')).toBe('undefined');
  });
});
