import fc from 'fast-check';
import { ValueError } from '../../config/values/value-error.js';

/** Cases for the parser of a setting. */
export interface ValueCases<Value> {
  readonly parse: (text: string) => Value;
  readonly parsed: readonly (readonly [text: string, value: Value])[];
  /** Texts that are rejected, with the suggestion of the error. */
  readonly rejected: readonly (readonly [text: string, suggestion: string | undefined])[];
  /** Pieces of random texts, in addition to arbitrary ones. */
  readonly pieces: readonly string[];
  readonly isValid: (value: Value) => boolean;
}

/** Tests the cases, and that random texts give a valid value or a ValueError. */
export function describeValue<Value>(
  name: string,
  { parse, parsed, rejected, pieces, isValid }: ValueCases<Value>,
): void {
  describe(name, () => {
    it.each(parsed)('parses %j as %j', (text, value) => {
      expect(parse(text)).toEqual(value);
    });

    it.each(rejected)('rejects %j and suggests %j', (text, suggestion) => {
      expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'CONFIG_VALUE_INVALID', suggestion }));
    });

    it('returns a valid value or throws a ValueError for any text', () => {
      const joined = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));
      fc.assert(
        fc.property(fc.oneof(joined, fc.string()), (text) => {
          try {
            expect(isValid(parse(text))).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(ValueError);
          }
        }),
      );
    });
  });
}
