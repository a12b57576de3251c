import fc from 'fast-check';
import { ValueError } from '../../config/values/value-error.js';

/** What a parser of a kind of setting is held to. */
export interface ValueCases<Value> {
  readonly parse: (text: string) => Value;
  /** Texts and their values. */
  readonly read: readonly (readonly [text: string, value: Value])[];
  /** Texts that are refused, with the suggestion that the error makes. */
  readonly refused: readonly (readonly [text: string, suggestion: string | undefined])[];
  /** What random texts are made of, beside arbitrary ones. */
  readonly pieces: readonly string[];
  /** Whether a value may be used. */
  readonly isSound: (value: Value) => boolean;
}

/** Runs the cases, and random texts that must give a sound value or a ValueError. */
export function describeValue<Value>(name: string, { parse, read, refused, pieces, isSound }: ValueCases<Value>): void {
  describe(name, () => {
    it.each(read)('reads %j as %j', (text, value) => {
      expect(parse(text)).toEqual(value);
    });

    it.each(refused)('refuses %j and suggests %j', (text, suggestion) => {
      expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'CONFIG_VALUE_INVALID', suggestion }));
    });

    it('gives a sound value, or a ValueError, for any text', () => {
      const joined = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));
      fc.assert(
        fc.property(fc.oneof(joined, fc.string()), (text) => {
          try {
            expect(isSound(parse(text))).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(ValueError);
          }
        }),
      );
    });
  });
}
