import fc from 'fast-check';
import { parseDuration } from '../../config/duration.js';
import { ValueError } from '../../config/value-error.js';

describe('parseDuration', () => {
  it.each([
    ['0', 0],
    ['300ms', 300],
    ['1.5h', 5_400_000],
    ['2h45m', 9_900_000],
    ['1h0m0.25s', 3_600_250],
    ['.5s', 500],
    ['720h', 2_592_000_000],
    ['500us', 0.5],
    ['500µs', 0.5],
  ])('reads %s as %d milliseconds', (text, milliseconds) => {
    expect(parseDuration(text)).toBeCloseTo(milliseconds, 9);
  });

  it.each([
    ['5', '5s'],
    ['1d', '24h'],
    ['2w', '336h'],
    ['', undefined],
    ['-5s', undefined],
    ['s', undefined],
    ['5 s', undefined],
    ['5x', undefined],
    ['1..5s', undefined],
    ['1h 5m', undefined],
    ['9999999h', undefined],
    ['1'.repeat(100), undefined],
  ])('refuses %j and suggests %j', (text, suggestion) => {
    expect(() => parseDuration(text)).toThrow(expect.objectContaining({ code: 'CONFIG_VALUE_INVALID', suggestion }));
  });

  it('gives a number from zero up, or a ValueError, for any text', () => {
    const parts = fc.array(fc.constantFrom('1', '0', '.', 'h', 'm', 's', 'ms', 'µs', 'd', '-', ' ', '9'), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        fc.oneof(
          parts.map((part) => part.join('')),
          fc.string(),
        ),
        (text) => {
          try {
            const milliseconds = parseDuration(text);
            expect(Number.isFinite(milliseconds) && milliseconds >= 0).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(ValueError);
          }
        },
      ),
    );
  });
});
