import fc from 'fast-check';
import { parseSentJson } from '../../../core/event/sent-json.js';

const read = (text: string): unknown => parseSentJson(text).value;
const notesOf = (text: string): string[] => parseSentJson(text).notes.map(({ code }) => code);

/** A text of any UTF-16 units. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 })
  .map((units) => String.fromCharCode(...units));

/** JSON whose integers are exact. */
const exactJson = fc.json().filter((text) => !/(?<![.\d])\d{16}/.test(text));

describe('integers of senders beyond 2^53', () => {
  it.each([
    ['{"user_id":175928847299117063}', { user_id: '175928847299117063' }],
    ['{"a":[ -9007199254740993 ,9007199254740993]}', { a: ['-9007199254740993', '9007199254740993'] }],
    ['{"a":{"b":18446744073709551615\n}}', { a: { b: '18446744073709551615' } }],
    ['[100000000000000000000]', ['100000000000000000000']],
    [`[${'7'.repeat(5_000)}]`, ['7'.repeat(5_000)]],
    ['{"\\\\\\"":12345678901234567,"b":"\\\\"}', { '\\"': '12345678901234567', b: '\\' }],
  ])('are text of their digits: %s', (text, value) => {
    expect(read(text)).toEqual(value);
    expect(notesOf(text)).toEqual(['INTEGER_CONVERTED']);
  });

  it.each([
    '{"a":9007199254740991,"b":-9007199254740991,"c":1700000000123456}',
    '{"a":0.1234567890123456789,"b":175928847299117063.5,"c":12345678901234567e3,"d":1e400,"e":1E+30}',
    '{"a":"is 12345678901234567, or [12345678901234567]","b: 12345678901234567":"\\", 12345678901234567"}',
    '{"a":"5b8efff798038103d269b633813fc60c"}',
  ])('are all that changes of numbers: %s', (text) => {
    expect(parseSentJson(text)).toEqual({ value: JSON.parse(text), notes: [] });
  });

  it('keep every digit wherever they stand', () => {
    fc.assert(
      fc.property(exactJson, fc.bigInt(), fc.constantFrom('', ' ', '\n'), (inner, integer, space) => {
        const text = `{"a":[${inner},${space}${integer}${space}],"b":{"c":${space}${integer}}}`;
        const isExact = BigInt.asIntN(54, integer) === integer && integer !== -(2n ** 53n);
        const value = isExact ? Number(integer) : String(integer);
        expect(read(text)).toEqual({ a: [JSON.parse(inner), value], b: { c: value } });
      }),
    );
  });
});

describe('halves of surrogate pairs in JSON of senders', () => {
  it.each([
    ['"cut \\ud83d"', 'cut \ufffd'],
    ['"\\uDE00 and \\ud83d\\ude00 and \\ud83d"', '\ufffd and \u{1f600} and \ufffd'],
    [
      '{"\\ud83d":1,"\\ud83e":2,"\ufffd":{"x":["\\udfff"]}}',
      { '\ufffd': 1, '\ufffd2': 2, '\ufffd3': { x: ['\ufffd'] } },
    ],
    ['{"__proto__":"\\ud83d"}', JSON.parse('{"__proto__":"\ufffd"}')],
  ])('are U+FFFD: %s', (text, value) => {
    expect(read(text)).toEqual(value);
    expect(notesOf(text)).toEqual(['INVALID_UNICODE']);
  });

  it.each(['"\\ud83d\\ude00"', '"\\\\ud83d"', '"\\\\\\ud83d\\ude00"', '"\u{1f600}"'])('are not in %s', (text) => {
    expect(parseSentJson(text)).toEqual({ value: JSON.parse(text), notes: [] });
  });

  it('are in no text or key of any value, however deep it is', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: anyText }), (text) => {
        const json = JSON.stringify(read(text));
        expect(json.isWellFormed() && !/(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(json)).toBe(true);
      }),
    );
    const deep = 100_000;
    expect(notesOf(`${'['.repeat(deep)}"\\ud83d"${']'.repeat(deep)}`)).toEqual(['INVALID_UNICODE']);
  });

  it('lose no member to a key that becomes equal', () => {
    const units = Array.from({ length: 2_048 }, (_, index) => `"\\u${(0xd800 + index).toString(16)}":${index}`);
    expect(Object.values(Object(read(`{${units.join()}}`)))).toHaveLength(2_048);
  });
});

describe('JSON of old SDKs', () => {
  it('has null in place of a bare NaN or Infinity', () => {
    expect(parseSentJson('{"a":NaN,"b":[Infinity,-Infinity,-1],"c":1}', true).value).toEqual({
      a: null,
      b: [null, null, -1],
      c: 1,
    });
  });

  it('keeps these words inside strings', () => {
    const value = { 'NaN "Infinity': ['\\NaN"', '-Infinity'], 'x\\': 'NaN' };
    expect(parseSentJson(JSON.stringify([value, 0]).replace(',0]', ',NaN]'), true).value).toEqual([value, null]);
  });

  it.each(['', '{', 'NaNa', '{"a":NaN', '{"a', '"\\', 'Nan', '-'])('is still an error: %s', (text) => {
    expect(() => parseSentJson(text, true)).toThrow(SyntaxError);
  });

  it('equals the result of JSON.parse if it is valid JSON', () => {
    fc.assert(
      fc.property(exactJson, (text) => {
        expect(parseSentJson(text, true).value).toEqual(JSON.parse(text));
      }),
    );
  });
});
