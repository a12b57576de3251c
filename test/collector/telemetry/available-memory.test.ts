import { anonymousBytes } from '../../../collector/telemetry/available-memory.js';
import { collectGarbage } from '../../../collector/telemetry/garbage-collection.js';

describe('anonymous memory', () => {
  it('counts pages of the program itself, and no pages of files such as its code', async () => {
    if (process.platform !== 'linux') {
      expect(anonymousBytes()).toBeUndefined();
      return;
    }
    // Otherwise the allocation may collect what earlier tests of this process left.
    await collectGarbage();
    const before = anonymousBytes() ?? 0;
    const held = Buffer.alloc(256 * 1024 * 1024, 1);
    const after = anonymousBytes() ?? 0;
    expect(after - before).toBeGreaterThan(128 * 1024 * 1024);
    expect(after).toBeLessThan(process.memoryUsage().rss);
    expect(held[0]).toBe(1);
  });
});
