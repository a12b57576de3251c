import type { JsonValue } from '../../../core/event/json.js';
import type { EventScreen, TreeState } from '../../state/event-state.js';
import type { TreePane } from '../../state/event-views.js';
import type { TreeNode } from '../../state/json-nodes.js';
import { type JsonTree, MAX_SHOWN_TEXT, TEXT_MARGIN, type TreePosition } from '../../state/json-tree.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { fullCount } from '../../text/counts.js';
import { needleOf } from '../../text/find-text.js';
import { highlighted } from '../../text/highlight.js';
import { escapeHidden } from '../../text/json-text.js';
import { type Line, type Meaning, type Span, span, words } from '../../text/line.js';
import { cellsOf, cutToCells, neutralise, ownWords } from '../../text/visible.js';
import { paneRows } from './event-layout.js';

const INDENT = 2;
/** UTF-16 units of a key. */
const MAX_KEY = 200;

/** The visible rows of a tree. */
export function treeLines(state: TerminalState, screen: EventScreen, pane: TreePane): readonly Line[] {
  const tree = screen.views?.tree(pane);
  if (tree === undefined) return [];
  const shown = screen.trees[pane];
  const { columns } = state.size;
  const rows = tree.rows(shown.folds, columns);
  const cursor = rows.indexOf(shown.cursor);
  const needle = needleOf(screen.search);
  const lines: Line[] = [];
  for (let index = shown.top; index < shown.top + paneRows(state, pane); index += 1) {
    const position = rows.at(index);
    if (position === undefined) break;
    const isSelected = index === cursor;
    const margin = isSelected ? words('› ', 'selected') : words('  ');
    lines.push([margin, ...highlighted(nodeLine(tree, shown, position, { columns, isSelected }), needle)]);
  }
  return lines;
}

interface RowLook {
  readonly columns: number;
  readonly isSelected: boolean;
}

function nodeLine(tree: JsonTree, shown: TreeState, position: TreePosition, look: RowLook): Line {
  const node = tree.nodes[position.node];
  if (node === undefined) return [];
  if (position.row > 0) {
    const text = tree.textOf(position, look.columns) ?? '';
    return [words(' '.repeat(TEXT_MARGIN - 2)), span(neutralise(text), look.isSelected ? 'selected' : 'json_string')];
  }
  const isFolded = tree.isFolded(shown.folds, position.node);
  const isOpened = shown.folds.opened.has(position.node);
  const depth = Math.min(node.depth, Math.floor(look.columns / 3 / INDENT));
  const sign = node.members === 0 ? '  ' : isFolded ? '▸ ' : '▾ ';
  const start: readonly Span[] = [
    // Deeper levels keep this indent and show their depth.
    words(' '.repeat(INDENT * depth) + (depth < node.depth ? `${node.depth}: ` : '')),
    words(sign, 'muted'),
    span(keyText(node), look.isSelected ? 'selected' : 'json_key'),
    words(': '),
  ];
  const used = start.reduce((cells, { text }) => cells + cellsOf(text), 2);
  return [...start, ...valueSpans(node, isOpened, Math.max(8, look.columns - used))];
}

function keyText({ key }: TreeNode): Span['text'] {
  if (typeof key === 'number') return ownWords(`[${key}]`);
  const start = key.length > MAX_KEY ? `${key.slice(0, MAX_KEY)}…` : key;
  return neutralise(escapeHidden(JSON.stringify(start)));
}

function valueSpans({ value, members }: TreeNode, isOpened: boolean, cells: number): readonly Span[] {
  if (typeof value === 'string') return textSpans(value, isOpened, cells);
  if (typeof value !== 'object' || value === null) return [span(neutralise(String(value)), meaningOf(value))];
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (members === 0) return [words(`${open}${close}`, 'json_literal')];
  return [words(`${open}${fullCount(members)}${close}`, 'muted')];
}

/** A text cut to its row, with its length if it does not fit. */
function textSpans(value: string, isOpened: boolean, cells: number): readonly Span[] {
  const length = `(${fullCount(value.length)} characters)`;
  if (isOpened) {
    const rest = value.length > MAX_SHOWN_TEXT ? `, the first ${fullCount(MAX_SHOWN_TEXT)} of them below` : '';
    return [words(`${length.slice(0, -1)}${rest})`, 'muted')];
  }
  const start = value.slice(0, cells + 1);
  const whole = escapeHidden(JSON.stringify(start));
  const shown = neutralise(whole);
  if (start.length === value.length && cellsOf(shown) <= cells) return [span(shown, 'json_string')];
  return [
    span(cutToCells(whole.slice(0, -1), Math.max(1, cells - length.length - 1)), 'json_string'),
    words(` ${length}`, 'muted'),
  ];
}

function meaningOf(value: JsonValue): Meaning {
  return typeof value === 'number' ? 'json_number' : 'json_literal';
}
