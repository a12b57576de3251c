import fc from 'fast-check';
import { parseSize } from '../../config/size.js';
import { ValueError } from '../../config/value-error.js';

describe('parseSize', () => {
  it.each([
    ['0', 0],
    ['1048576', 1_048_576],
    ['512B', 512],
    ['500KB', 500_000],
    ['500kB', 500_000],
    ['64MiB', 67_108_864],
    ['10GiB', 10_737_418_240],
    ['1.5 GiB', 1_610_612_736],
    ['0.3KiB', 307],
    ['2TB', 2e12],
  ])('reads %s as %d bytes', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  it.each([
    ['64mb', '64MiB'],
    ['64M', '64MiB'],
    ['1gib', '1GiB'],
    ['', undefined],
    ['-1', undefined],
    ['MiB', undefined],
    ['1e6', undefined],
    ['0x10', undefined],
    ['64  MiB', undefined],
    ['10 bananas', undefined],
    ['9999999TiB', undefined],
    ['1'.repeat(100), undefined],
  ])('refuses %j and suggests %j', (text, suggestion) => {
    expect(() => parseSize(text)).toThrow(expect.objectContaining({ code: 'CONFIG_VALUE_INVALID', suggestion }));
  });

  it('gives whole bytes, or a ValueError, for any text', () => {
    const parts = fc.array(fc.constantFrom('1', '0', '.', 'K', 'M', 'i', 'B', 'T', '-', ' ', '9'), { maxLength: 12 });
    fc.assert(
      fc.property(
        fc.oneof(
          parts.map((part) => part.join('')),
          fc.string(),
        ),
        (text) => {
          try {
            expect(Number.isSafeInteger(parseSize(text))).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(ValueError);
          }
        },
      ),
    );
  });
});
