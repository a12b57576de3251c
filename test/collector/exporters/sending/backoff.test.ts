import { beginBackoff, parseRetryAfter, retrying } from '../../../../collector/exporters/sending/retrying.js';
import { visible } from '../../../../collector/exporters/sending/visible.js';
import type { RetrySettings } from '../../../../generated/settings.js';

const SETTINGS: RetrySettings = {
  enabled: true,
  initial_interval: '5s',
  max_interval: '30s',
  multiplier: 2,
  randomization_factor: 0.5,
  max_elapsed_time: '0s',
};

describe('a backoff', () => {
  it('waits longer each time up to the maximum, with random variation', () => {
    const middle = beginBackoff(SETTINGS, { random: () => 0.5 });
    expect([1, 2, 3, 4, 5].map(() => middle())).toEqual([5_000, 10_000, 20_000, 30_000, 30_000]);
    expect(beginBackoff(SETTINGS, { random: () => 0 })()).toBe(2_500);
    expect(beginBackoff(SETTINGS, { random: () => 0.999_999 })()).toBeCloseTo(7_500, 0);
  });

  it('waits at least as long as the server asks for', () => {
    const backoff = beginBackoff(SETTINGS, { random: () => 0.5 });
    expect(backoff(90_000)).toBe(90_000);
    expect(backoff(1)).toBe(10_000);
  });

  it('gives up if the next try would be too late, and at once if retries are disabled', () => {
    let nowMs = 0;
    const backoff = beginBackoff({ ...SETTINGS, max_elapsed_time: '12s' }, { random: () => 0.5, nowMs: () => nowMs });
    expect(backoff()).toBe(5_000);
    nowMs = 5_000;
    expect(backoff()).toBeUndefined();
    expect(beginBackoff({ ...SETTINGS, enabled: false })()).toBeUndefined();
  });
});

describe('Retry-After', () => {
  const nowMs = Date.UTC(2026, 10, 22, 12);

  it.each([
    ['0', 0],
    [' 7 ', 7_000],
    ['Sun, 22 Nov 2026 12:00:05 GMT', 5_000],
    ['Sun, 22 Nov 2026 11:00:00 GMT', 0],
    ['9999999999', 86_400_000],
    ['Sun, 22 Nov 2099 12:00:05 GMT', 86_400_000],
    ['soon', undefined],
    ['', undefined],
    ['-5', undefined],
    ['x'.repeat(1_000), undefined],
    [undefined, undefined],
  ])('%j is %j ms', (header, ms) => {
    expect(parseRetryAfter(header, nowMs)).toBe(ms);
  });
});

describe('retrying', () => {
  it('stops while it waits', async () => {
    const stop = new AbortController();
    const backoff = () => 3_600_000;
    const tried = retrying(
      async () => ({ kind: 'retry', reason: 'down' }),
      backoff,
      stop.signal,
      () => stop.abort(),
    );
    expect(await tried).toEqual({ kind: 'stopped' });
  });
});

describe('visible text', () => {
  it('shows control and direction characters as text, on one line and cut', () => {
    expect(visible('a\u001b[2J\r\nb\u202ec\u0000\u2028')).toBe('a\\u{1b}[2J\\u{d}\\u{a}b\\u{202e}c\\u{0}\\u{2028}');
    expect(visible('x'.repeat(1_000), 10)).toBe(`${'x'.repeat(10)}…`);
  });
});
