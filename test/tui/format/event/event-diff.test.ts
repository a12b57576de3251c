import fc from 'fast-check';
import type { JsonObject } from '../../../../core/event/json.js';
import { diffView } from '../../../../tui/format/event/diff-view.js';
import { diffEvents, pathLabel } from '../../../../tui/format/event/event-diff.js';

describe('diffEvents', () => {
  it('reports each different field, also those of one side only', () => {
    const before: JsonObject = { a: 1, list: [1, 2], map: { x: {}, y: 'same' }, gone: { in: 'here' } };
    const after: JsonObject = { a: 1, list: [1, 3, 4], map: { x: [], y: 'same' }, new: null };
    const { different, sameCount } = diffEvents(before, after);
    expect(different.map(({ path, before: one, after: other }) => [path, one, other])).toEqual([
      ['gone.in', 'here', undefined],
      ['list[1]', 2, 3],
      ['list[2]', undefined, 4],
      ['map.x', {}, []],
      ['new', undefined, null],
    ]);
    expect(sameCount).toBe(3);
  });

  it('finds no difference between an event and itself', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const event = JSON.parse(JSON.stringify(value)) as JsonObject;
        expect(diffEvents(event, event).different).toEqual([]);
      }),
    );
  });

  it('handles events nested deeper than the call stack, and more fields than are shown', () => {
    let deep: JsonObject = { end: 1 };
    for (let level = 0; level < 20_000; level += 1) deep = { in: deep };
    expect(diffEvents(deep, { in: {} }).different[0]?.path).toMatch(/^….*in\.end$/);
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, index]));
    const diff = diffEvents(many, {});
    expect(diff).toMatchObject({ isCut: true });
    expect(diffView(diff, true).at(-2)?.parts[0]).toMatch(/^More fields differ|^The same/);
  });

  it('shows the different part of long texts', () => {
    const start = 'a'.repeat(100);
    const rows = diffView(diffEvents({ m: `${start}😀one ${start}` }, { m: `${start}😁two ${start}` }), false);
    expect(rows.slice(1).map(({ kind, parts }) => [kind, ...parts])).toEqual([
      ['removed', `…${'a'.repeat(24)}`, '😀one', ` ${'a'.repeat(23)}…`],
      ['added', `…${'a'.repeat(24)}`, '😁two', ` ${'a'.repeat(23)}…`],
    ]);
  });
});

describe('a comparison of texts of several lines', () => {
  const rowsOf = (before: readonly string[], after: readonly string[]) =>
    diffView(diffEvents({ text: before.join('\n') }, { text: after.join('\n') }), false).slice(1);

  it('accounts for every line of both', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        fc.pre(before.join() !== after.join());
        const rows = rowsOf(before, after);
        const count = (kind: string): number => rows.filter((row) => row.kind === kind).length;
        const same = rows.reduce(
          (sum, { kind, parts }) => sum + (kind === 'same' ? Number.parseInt(parts[0], 10) : 0),
          0,
        );
        expect(same + count('removed')).toBe(before.length);
        expect(same + count('added')).toBe(after.length);
      }),
    );
  });

  it('keeps common lines', () => {
    expect(rowsOf(['x', 'a', 'b', 'y'], ['x', 'b', 'c', 'y']).map(({ kind, parts }) => [kind, parts.join('')])).toEqual(
      [
        ['same', '1 line is equal'],
        ['removed', 'a'],
        ['same', '1 line is equal'],
        ['added', 'c'],
        ['same', '1 line is equal'],
      ],
    );
  });

  it('is bounded for texts that have nothing in common', () => {
    const linesOf = (word: string) => Array.from({ length: 5_000 }, (_, index) => `${word} ${index}`);
    const rows = rowsOf(linesOf('one'), linesOf('other'));
    expect(rows).toHaveLength(201);
    expect(rows.at(-1)).toEqual({ kind: 'note', parts: ['… 3,800 more', '', ''] });
  });
});

describe('pathLabel', () => {
  it('uses query syntax if possible', () => {
    expect(pathLabel(['tags', 'a key'])).toBe('tags."a key"');
    expect(pathLabel(['extra', 'lines', 2, 'id'])).toBe('extra.lines[2].id');
  });
});
