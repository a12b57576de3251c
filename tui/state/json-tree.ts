import type { JsonObject } from '../../core/event/json.js';
import { findIn, MAX_HITS, type Needle } from '../text/find-text.js';
import { wrapRows } from '../text/wrapped-rows.js';
import { readNodes, type TreeNode } from './json-nodes.js';

/** What is folded, and which long texts are shown whole. */
export interface TreeFolds {
  /** `start`: what is long or deep is folded. */
  readonly base: 'start' | 'all' | 'none';
  /** Nodes that are not as the base has them. */
  readonly toggled: ReadonlySet<number>;
  /** Texts that are shown whole, wrapped below their key. */
  readonly opened: ReadonlySet<number>;
}

/** A row: the node's own, or with `row` above 0 one of its text. */
export interface TreePosition {
  readonly node: number;
  readonly row: number;
}

/** The visible rows. */
export interface TreeRows {
  readonly count: number;
  /** Undefined behind the last row. */
  at(index: number): TreePosition | undefined;
  /** Index of a place; of what is folded away, that of the row that holds it. */
  indexOf(place: TreePosition): number;
}

/** Where a needle stands. */
export interface TreeHit {
  readonly node: number;
  readonly isInKey: boolean;
  /** UTF-16 offset in the key or the value. */
  readonly offset: number;
}

/** A JSON document as rows that can be folded, keys in alphabetical order. */
export interface JsonTree {
  readonly nodes: readonly TreeNode[];
  /** Whether it has more values than are shown. */
  readonly isCut: boolean;
  isFolded(folds: TreeFolds, node: number): boolean;
  rows(folds: TreeFolds, columns: number): TreeRows;
  /** A row of a text that is shown whole, from 1 on. */
  textOf(place: TreePosition, columns: number): string | undefined;
  find(needle: Needle): readonly TreeHit[];
  /** The row of a text in which an offset lies, when it is shown whole. */
  rowOfOffset(node: number, offset: number, columns: number): number;
  pathOf(node: number): readonly (string | number)[];
}

/** Nothing was folded by hand yet. */
export const INITIAL_FOLDS: TreeFolds = { base: 'start', toggled: new Set(), opened: new Set() };

/** Objects and lists of more members, or deeper ones, are folded at the start. */
const MAX_OPEN_MEMBERS = 100;
const MAX_OPEN_DEPTH = 6;
/** UTF-16 units of a text that are shown below its key; the detail view has the rest. */
export const MAX_SHOWN_TEXT = 262_144;
/** Cells by which a text stands further in than the left edge. */
export const TEXT_MARGIN = 6;

/** Makes the tree of a document. Works without recursion, whatever the nesting. */
export function createJsonTree(root: JsonObject): JsonTree {
  const { nodes, isCut } = readNodes(root);
  const texts = new Map<string, readonly string[]>();
  let kept: { folds: TreeFolds; columns: number; rows: TreeRows } | undefined;
  let found: { needle: Needle; hits: readonly TreeHit[] } | undefined;

  function isFolded(folds: TreeFolds, place: number): boolean {
    const node = nodes[place];
    if (node === undefined || node.members === 0) return false;
    const isByBase =
      folds.base === 'all' ||
      (folds.base === 'start' && (node.members > MAX_OPEN_MEMBERS || node.depth >= MAX_OPEN_DEPTH));
    return isByBase !== folds.toggled.has(place);
  }

  function textRows(place: number, columns: number): readonly string[] {
    const name = `${place} ${columns}`;
    const known = texts.get(name);
    if (known !== undefined) return known;
    const value = nodes[place]?.value;
    const made = typeof value === 'string' ? wrapText(value, Math.max(1, columns - TEXT_MARGIN)) : [];
    if (texts.size >= 16) texts.clear();
    texts.set(name, made);
    return made;
  }

  function makeRows(folds: TreeFolds, columns: number): TreeRows {
    const shown: number[] = [];
    const starts: number[] = [];
    let count = 0;
    for (let place = 0; place < nodes.length; ) {
      shown.push(place);
      starts.push(count);
      count += folds.opened.has(place) ? 1 + textRows(place, columns).length : 1;
      place = isFolded(folds, place) ? (nodes[place]?.end ?? place + 1) : place + 1;
    }
    return {
      count,
      at(index) {
        const which = lastNotAbove(starts, index);
        const node = shown[which];
        return index < 0 || index >= count || node === undefined
          ? undefined
          : { node, row: index - (starts[which] ?? 0) };
      },
      indexOf({ node, row }) {
        const which = lastNotAbove(shown, node);
        const start = starts[which] ?? 0;
        if (shown[which] !== node) return start;
        return Math.min(start + row, (starts[which + 1] ?? count) - 1);
      },
    };
  }

  return {
    nodes,
    isCut,
    isFolded,
    rows(folds, columns) {
      if (kept?.folds !== folds || kept.columns !== columns) kept = { folds, columns, rows: makeRows(folds, columns) };
      return kept.rows;
    },
    textOf: ({ node, row }, columns) => textRows(node, columns)[row - 1],
    find(needle) {
      if (found?.needle.text !== needle.text) found = { needle, hits: findInNodes(nodes, needle) };
      return found.hits;
    },
    rowOfOffset(node, offset, columns) {
      const value = nodes[node]?.value;
      if (typeof value !== 'string') return 0;
      return wrapText(value.slice(0, offset + 1), Math.max(1, columns - TEXT_MARGIN)).length;
    },
    pathOf(node) {
      const path: (string | number)[] = [];
      for (let place = node; place >= 0; place = nodes[place]?.parent ?? -1) path.push(nodes[place]?.key ?? '');
      return path.reverse();
    },
  };
}

/** Index of the last of ascending numbers that is not above a number; 0 where all are. */
function lastNotAbove(ascending: readonly number[], number: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((ascending[middle] ?? 0) <= number) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A text as rows of so many cells, line breaks kept. */
function wrapText(text: string, cells: number): readonly string[] {
  const rows: string[] = [];
  for (const line of text.slice(0, MAX_SHOWN_TEXT).split('\n')) {
    const wrapped = wrapRows(line, { firstCells: cells, restCells: cells });
    for (let place = 0; ; place += 1) {
      const range = wrapped.row(place);
      if (range === undefined) break;
      rows.push(line.slice(range.start, range.end));
    }
  }
  return rows;
}

function findInNodes(nodes: readonly TreeNode[], needle: Needle): readonly TreeHit[] {
  const hits: TreeHit[] = [];
  for (const [place, { key, value }] of nodes.entries()) {
    if (typeof key === 'string') {
      for (const offset of findIn(key, needle, 1)) hits.push({ node: place, isInKey: true, offset });
    }
    const text = typeof value === 'object' ? (value === null ? 'null' : undefined) : String(value);
    if (text !== undefined) {
      const left = MAX_HITS - hits.length;
      for (const offset of findIn(text, needle, left)) hits.push({ node: place, isInKey: false, offset });
    }
    if (hits.length >= MAX_HITS) break;
  }
  return hits;
}
