import { createSteadyClock } from '../../../../core/storage/retention/steady-clock.js';

const MINUTE_MS = 60_000;

describe('a steady clock', () => {
  it('is not believed for an hour after it jumped, in either direction', () => {
    let [wallMs, monotonicMs] = [1_800_000_000_000, 5_000];
    const clock = createSteadyClock(
      () => wallMs,
      () => monotonicMs,
    );
    const pass = (minutes: number, jumpMinutes = 0): boolean => {
      monotonicMs += minutes * MINUTE_MS;
      wallMs += (minutes + jumpMinutes) * MINUTE_MS;
      return clock.isSteady();
    };
    expect(pass(0)).toBe(true);
    expect(pass(600)).toBe(true);
    expect(pass(1, 9)).toBe(true);
    expect(pass(1, 11)).toBe(false);
    expect(pass(59)).toBe(false);
    expect(pass(1)).toBe(true);
    expect(pass(1, -600)).toBe(false);
    expect(pass(30, 5)).toBe(false);
    expect(pass(30)).toBe(true);
  });
});
