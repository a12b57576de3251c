import { anonymousBytes } from '../../../collector/telemetry/available-memory.js';

describe('anonymous memory', () => {
  it('counts pages of the program itself, and no pages of files such as its code', () => {
    if (process.platform !== 'linux') {
      expect(anonymousBytes()).toBeUndefined();
      return;
    }
    const before = anonymousBytes() ?? 0;
    const held = Buffer.alloc(64 * 1024 * 1024, 1);
    const after = anonymousBytes() ?? 0;
    expect(after - before).toBeGreaterThan(48 * 1024 * 1024);
    expect(after).toBeLessThan(process.memoryUsage().rss);
    expect(held[0]).toBe(1);
  });
});
