import fc from 'fast-check';
import { printableJson } from '../../../config/values/printable.js';
import { HIDDEN_CODE_POINT } from '../../../core/event/hidden-characters.js';
import type { JsonValue } from '../../../core/event/json.js';
import { sortedJson } from '../../../tui/text/json-text.js';

const jsonText = fc.json({ stringUnit: 'binary', maxDepth: 5 });
const parse = (text: string): JsonValue => JSON.parse(text);

/** The reference: `JSON.stringify` with the keys of every object sorted. */
function stringifySorted(value: JsonValue): string {
  const sort = (_key: string, item: unknown): unknown =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1)))
      : item;
  return JSON.stringify(value, sort, 2);
}

describe('sorted JSON', () => {
  it('is equal JSON, and visible in every character', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const sorted = sortedJson(parse(text));
        expect(parse(sorted)).toEqual(parse(text));
        expect(HIDDEN_CODE_POINT.test(sorted.replaceAll('\n', ''))).toBe(false);
      }),
    );
  });

  it('has sorted keys and two blanks of indentation at every level', () => {
    const value = parse('{"b":[{"z":1,"a":{}}],"a":{"d":null,"c":[]},"B":"x"}');
    expect(sortedJson(value)).toBe(stringifySorted(value));
  });

  it('keeps a key that names the prototype', () => {
    expect(sortedJson(parse('{"__proto__":{"x":1},"a":2}'))).toBe('{\n  "__proto__": {\n    "x": 1\n  },\n  "a": 2\n}');
  });

  it('escapes control characters as JSON does', () => {
    expect(printableJson(JSON.stringify('a\u001b\u009b\u202e\u200d\u{e0041}\u007f'))).toBe(
      String.raw`"a\u001b\u009b\u202e\u200d\udb40\udc41\u007f"`,
    );
  });

  it('supports nesting deeper than the call stack, in linear time', () => {
    const depth = 50_000;
    const sorted = sortedJson(parse('['.repeat(depth) + ']'.repeat(depth)));
    expect(sorted.length).toBeLessThan(depth * 300);
    expect(sorted.startsWith('[\n  [\n    [')).toBe(true);
  });
});
