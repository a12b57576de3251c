import { createJsonTree, INITIAL_FOLDS } from '../../../tui/state/json-tree.js';
import { findIn, needleOf } from '../../../tui/text/find-text.js';

const shownKeys = (tree: ReturnType<typeof createJsonTree>, folds = INITIAL_FOLDS): (string | number)[] => {
  const rows = tree.rows(folds, 80);
  return Array.from({ length: rows.count }, (_, index) => {
    const place = rows.at(index);
    return place === undefined ? '' : (tree.nodes[place.node]?.key ?? '');
  });
};

describe('a tree of JSON', () => {
  const tree = createJsonTree({ b: [10, { c: null }], a: { z: 'text', y: {} }, __proto__: 'own' });

  it('has keys in alphabetical order at every level, and leaves out what is folded', () => {
    expect(shownKeys(tree)).toEqual(['a', 'y', 'z', 'b', 0, 1, 'c']);
    expect(shownKeys(tree, { ...INITIAL_FOLDS, toggled: new Set([0, 5]) })).toEqual(['a', 'b', 0, 1]);
    expect(shownKeys(tree, { ...INITIAL_FOLDS, base: 'all' })).toEqual(['a', 'b']);
  });

  it('tells the path of a node', () => {
    expect([...tree.nodes.keys()].map((place) => tree.pathOf(place).join('.'))).toEqual([
      'a',
      'a.y',
      'a.z',
      'b',
      'b.0',
      'b.1',
      'b.1.c',
    ]);
  });

  it('puts a text that is shown whole into rows of its own', () => {
    const long = createJsonTree({ t: `one\n${'x'.repeat(100)}`, u: 1 });
    const rows = long.rows({ ...INITIAL_FOLDS, opened: new Set([0]) }, 80);
    expect(rows.count).toBe(5);
    expect(rows.at(2)).toEqual({ node: 0, row: 2 });
    expect(long.textOf({ node: 0, row: 1 }, 80)).toBe('one');
    expect(rows.indexOf({ node: 1, row: 0 })).toBe(4);
    expect(rows.indexOf({ node: 0, row: 99 })).toBe(3);
    expect(rows.at(5)).toBeUndefined();
    expect(long.rowOfOffset(0, 90, 80)).toBe(3);
  });

  it('folds what is long or deep at first', () => {
    const wide = createJsonTree({ wide: Array.from({ length: 101 }, () => 0) });
    expect(wide.rows(INITIAL_FOLDS, 80).count).toBe(1);
    expect(wide.rows({ ...INITIAL_FOLDS, base: 'none' }, 80).count).toBe(102);
  });

  it('holds so many values and says that there are more', () => {
    const many = createJsonTree({ all: Array.from({ length: 600_000 }, () => 0) });
    expect(many.isCut).toBe(true);
    expect(many.nodes[0]?.end).toBe(many.nodes.length);
  });

  it('may be empty', () => {
    const empty = createJsonTree({});
    expect(empty.rows(INITIAL_FOLDS, 80).at(0)).toBeUndefined();
  });
});

describe('a search', () => {
  const offsets = (text: string, typed: string): number[] => {
    const needle = needleOf(typed);
    return needle === undefined ? [] : findIn(text, needle);
  };

  it('takes small letters for both, capitals for themselves', () => {
    expect(offsets('Save save SAVE', 'save')).toEqual([0, 5, 10]);
    expect(offsets('Save save SAVE', 'Save')).toEqual([0]);
    expect(offsets('aaaa', 'aa')).toEqual([0, 2]);
    expect(offsets('İstanbul x', 'x')).toEqual([9]);
    expect(needleOf('')).toBeUndefined();
  });

  it('is bounded', () => {
    expect(offsets('a'.repeat(1_000_000), 'a')).toHaveLength(10_000);
  });
});
