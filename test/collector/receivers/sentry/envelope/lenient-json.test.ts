import fc from 'fast-check';
import { parseLenientJson } from '../../../../../collector/receivers/sentry/envelope/item-json.js';

describe('JSON of old SDKs', () => {
  it('has null in place of a bare NaN or Infinity', () => {
    expect(parseLenientJson('{"a":NaN,"b":[Infinity,-Infinity,-1],"c":1}')).toEqual({
      a: null,
      b: [null, null, -1],
      c: 1,
    });
  });

  it('keeps these words inside strings', () => {
    const value = { 'NaN "Infinity': ['\\NaN"', '-Infinity'], 'x\\': 'NaN' };
    expect(parseLenientJson(JSON.stringify([value, 0]).replace(',0]', ',NaN]'))).toEqual([value, null]);
  });

  it.each(['', '{', 'NaNa', '{"a":NaN', '{"a', '"\\', 'Nan', '-'])('is still an error: %s', (text) => {
    expect(() => parseLenientJson(text)).toThrow(SyntaxError);
  });

  it('equals the result of JSON.parse if it is valid JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseLenientJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});
