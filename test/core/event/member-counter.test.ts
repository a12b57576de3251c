import fc from 'fast-check';
import { hasTooManyMembers, MemberCounter } from '../../../core/event/member-counter.js';

/** Members of objects and elements of arrays of a parsed value. */
function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const below = Object.values(value);
  return below.reduce((sum: number, one: unknown) => sum + membersOf(one), below.length);
}

/** Counts in pieces of these sizes, repeated. */
function countInPieces(json: Buffer, sizes: readonly number[]): number {
  const counter = new MemberCounter();
  for (let at = 0, turn = 0; at < json.length; turn++)
    at = counter.advance(json, at, Math.min(json.length, at + (sizes[turn % sizes.length] ?? 1)));
  return counter.members;
}

const structure = fc.stringMatching(/^[[\]{}",:\\ \n\u00e9a]{0,12}$/);
const { tree: json } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(structure, fc.string({ unit: 'binary' }), fc.double(), fc.boolean(), fc.constant(null)),
    fc.array(tie('tree'), { maxLength: 5 }),
    fc.dictionary(structure, tie('tree'), { maxKeys: 5 }),
  ),
}));
const spaces = fc.constantFrom(undefined, 1, '\t', ' \n ');

describe('the count of members in the bytes of JSON', () => {
  it('equals that of the parsed value for any split of the bytes', () => {
    fc.assert(
      fc.property(json, spaces, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (value, space, sizes) => {
        const bytes = Buffer.from(JSON.stringify(value, null, space));
        const expected = membersOf(JSON.parse(String(bytes)));
        expect(countInPieces(bytes, sizes)).toBe(expected);
        expect(countInPieces(bytes, [bytes.length])).toBe(expected);
      }),
    );
  });

  it('exceeds the limit exactly above it, with and without white space', () => {
    fc.assert(
      fc.property(json, spaces, fc.integer({ min: 0, max: 30 }), (value, space, limit) => {
        const bytes = Buffer.from(` \n${JSON.stringify(value, null, space)} `);
        expect(hasTooManyMembers(bytes, limit)).toBe(membersOf(JSON.parse(String(bytes))) > limit);
      }),
    );
  });

  it.each([
    ['[', ']', 2_000_000],
    ['{"a":', '}', 500_000],
  ])('works at any depth of %s', (open, close, levels) => {
    const inner = open === '[' ? '' : '1';
    const members = open === '[' ? levels - 1 : levels;
    const bytes = Buffer.from(open.repeat(levels) + inner + close.repeat(levels));
    expect(hasTooManyMembers(bytes, members)).toBe(false);
    expect(hasTooManyMembers(bytes, members - 1)).toBe(true);
  });
});
