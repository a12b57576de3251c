import type { JsonObject } from '../../core/event/json.js';
import { findIn, MAX_HITS, type Needle } from '../text/find-text.js';
import { wrapRows } from '../text/wrapped-rows.js';
import { readNodes, type TreeNode } from './json-nodes.js';

/** Folded nodes, and long texts that are shown whole. */
export interface TreeFolds {
  /** `start`: long and deep containers are folded. */
  readonly base: 'start' | 'all' | 'none';
  /** Nodes that differ from the base. */
  readonly toggled: ReadonlySet<number>;
  /** Texts shown whole, wrapped below their key. */
  readonly opened: ReadonlySet<number>;
}

/** A row: 0 is the node itself, above 0 a row of its text. */
export interface TreePosition {
  readonly node: number;
  readonly row: number;
}

export interface TreeRows {
  readonly count: number;
  /** Undefined after the last row. */
  at(index: number): TreePosition | undefined;
  /** Index of a row; of a folded one, that of the visible row that contains it. */
  indexOf(position: TreePosition): number;
}

/** A match of a search. */
export interface TreeHit {
  readonly node: number;
  readonly isInKey: boolean;
  /** UTF-16 offset in the key or the value. */
  readonly offset: number;
}

/** A JSON document as foldable rows, keys sorted. */
export interface JsonTree {
  readonly nodes: readonly TreeNode[];
  /** Whether the document has more than MAX_NODES values. */
  readonly isCut: boolean;
  isFolded(folds: TreeFolds, node: number): boolean;
  rows(folds: TreeFolds, columns: number): TreeRows;
  /** A row of an opened text; the first is 1. */
  textOf(position: TreePosition, columns: number): string | undefined;
  find(needle: Needle): readonly TreeHit[];
  /** The row of an opened text that contains an offset. */
  rowOfOffset(node: number, offset: number, columns: number): number;
  pathOf(node: number): readonly (string | number)[];
}

/** The folds of a tree before any change. */
export const INITIAL_FOLDS: TreeFolds = { base: 'start', toggled: new Set(), opened: new Set() };

/** Containers with more members, or deeper ones, are folded at the start. */
const MAX_OPEN_MEMBERS = 100;
const MAX_OPEN_DEPTH = 6;
/** UTF-16 units of a text shown below its key; the detail view has the rest. */
export const MAX_SHOWN_TEXT = 262_144;
/** Cells of indentation of an opened text. */
export const TEXT_MARGIN = 6;

/** Creates the tree of a document, without recursion. */
export function createJsonTree(root: JsonObject): JsonTree {
  const { nodes, isCut } = readNodes(root);
  const texts = new Map<string, readonly string[]>();
  let cached: { folds: TreeFolds; columns: number; rows: TreeRows } | undefined;
  let found: { needle: Needle; hits: readonly TreeHit[] } | undefined;

  function isFolded(folds: TreeFolds, index: number): boolean {
    const node = nodes[index];
    if (node === undefined || node.members === 0) return false;
    const isByBase =
      folds.base === 'all' ||
      (folds.base === 'start' && (node.members > MAX_OPEN_MEMBERS || node.depth >= MAX_OPEN_DEPTH));
    return isByBase !== folds.toggled.has(index);
  }

  function textRows(index: number, columns: number): readonly string[] {
    const name = `${index} ${columns}`;
    const known = texts.get(name);
    if (known !== undefined) return known;
    const value = nodes[index]?.value;
    const made = typeof value === 'string' ? wrapText(value, Math.max(1, columns - TEXT_MARGIN)) : [];
    if (texts.size >= 16) texts.clear();
    texts.set(name, made);
    return made;
  }

  function makeRows(folds: TreeFolds, columns: number): TreeRows {
    const shown: number[] = [];
    const starts: number[] = [];
    let count = 0;
    for (let index = 0; index < nodes.length; ) {
      shown.push(index);
      starts.push(count);
      count += folds.opened.has(index) ? 1 + textRows(index, columns).length : 1;
      index = isFolded(folds, index) ? (nodes[index]?.end ?? index + 1) : index + 1;
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
      if (cached?.folds !== folds || cached.columns !== columns)
        cached = { folds, columns, rows: makeRows(folds, columns) };
      return cached.rows;
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
      for (let index = node; index >= 0; index = nodes[index]?.parent ?? -1) path.push(nodes[index]?.key ?? '');
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

/** A text as rows of so many cells, line breaks cached. */
function wrapText(text: string, cells: number): readonly string[] {
  const rows: string[] = [];
  for (const line of text.slice(0, MAX_SHOWN_TEXT).split('\n')) {
    const wrapped = wrapRows(line, { firstCells: cells, restCells: cells });
    for (let index = 0; ; index += 1) {
      const range = wrapped.row(index);
      if (range === undefined) break;
      rows.push(line.slice(range.start, range.end));
    }
  }
  return rows;
}

function findInNodes(nodes: readonly TreeNode[], needle: Needle): readonly TreeHit[] {
  const hits: TreeHit[] = [];
  for (const [index, { key, value }] of nodes.entries()) {
    if (typeof key === 'string') {
      for (const offset of findIn(key, needle, 1)) hits.push({ node: index, isInKey: true, offset });
    }
    const text = typeof value === 'object' ? (value === null ? 'null' : undefined) : String(value);
    if (text !== undefined) {
      const left = MAX_HITS - hits.length;
      for (const offset of findIn(text, needle, left)) hits.push({ node: index, isInKey: false, offset });
    }
    if (hits.length >= MAX_HITS) break;
  }
  return hits;
}
