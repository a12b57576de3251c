import type { EventScreen, TreeState } from '../../state/event-state.js';
import type { TreePane } from '../../state/event-views.js';
import type { JsonTree, TreeFolds, TreeHit, TreePosition } from '../../state/json-tree.js';
import { isMove, moveIndex } from '../../state/moves.js';
import { EMPTY_LIST } from '../../state/paged-list.js';
import { withTerm } from '../../state/query-terms.js';
import { type Screen, type TerminalState, withNotice, withTop } from '../../state/terminal-state.js';
import type { Command } from '../../terminal/keymap.js';
import { paneRows, topFor } from './event-layout.js';
import { eventTerm } from './event-term.js';
import { listBelow } from './list-below.js';

/** UTF-16 units from which a text can be opened below its key. */
const LONG_TEXT = 40;

/** Whether a pane is a tree of JSON. */
export function isTreePane(pane: EventScreen['pane']): pane is TreePane {
  return pane === 'raw' || pane === 'normalized';
}

function cursorNode(tree: JsonTree, { cursor }: TreeState): number {
  return Math.max(0, Math.min(cursor.node, tree.nodes.length - 1));
}

/** Runs a command in a tree; undefined if it means nothing there. */
export function runInTree(
  state: TerminalState,
  screen: EventScreen,
  pane: TreePane,
  command: Command,
): TerminalState | undefined {
  const tree = screen.views?.tree(pane);
  if (tree === undefined) return undefined;
  const shown = screen.trees[pane];
  const node = cursorNode(tree, shown);
  if (isMove(command)) {
    const rows = tree.rows(shown.folds, state.size.columns);
    const target = moveIndex(rows.indexOf(shown.cursor), command, {
      last: rows.count - 1,
      rows: paneRows(state, pane),
    });
    return withTop(
      state,
      withTree(state, { ...screen, hit: undefined }, pane, { cursor: rows.at(target) ?? shown.cursor }),
    );
  }
  switch (command) {
    case 'toggle':
      return withTop(state, withTree(state, screen, pane, toggled(tree, shown, node)));
    case 'parent':
      return withTop(state, withTree(state, screen, pane, foldedOrParent(tree, shown, node)));
    case 'fold':
      return withTop(state, withTree(state, screen, pane, withParentFolded(tree, shown, node)));
    case 'unfold_all':
      return withTop(state, withTree(state, screen, pane, withAllToggled(tree, shown)));
    case 'include':
    case 'exclude':
      return filterByNode(state, screen, { pane, tree, node, isExcluded: command === 'exclude' });
    default:
      return undefined;
  }
}

/** Changes a tree and keeps its cursor visible. */
export function withTree(
  state: TerminalState,
  screen: EventScreen,
  pane: TreePane,
  change: Partial<Pick<TreeState, 'cursor' | 'folds'>>,
): EventScreen {
  const tree = screen.views?.tree(pane);
  const changed = { ...screen.trees[pane], ...change };
  if (tree === undefined) return screen;
  const rows = tree.rows(changed.folds, state.size.columns);
  const index = rows.indexOf(changed.cursor);
  const top = topFor(changed.top, index, { count: rows.count, rows: paneRows(state, pane) });
  const cursor = rows.at(index) ?? changed.cursor;
  return { ...screen, trees: { ...screen.trees, [pane]: { ...changed, cursor, top } } };
}

/** Selects a match and unfolds everything that hides it. */
export function atTreeHit(state: TerminalState, screen: EventScreen, pane: TreePane, hit: TreeHit): EventScreen {
  const tree = screen.views?.tree(pane);
  if (tree === undefined) return screen;
  let { folds } = screen.trees[pane];
  const toggledNodes = new Set(folds.toggled);
  for (let node = tree.nodes[hit.node]?.parent ?? -1; node >= 0; node = tree.nodes[node]?.parent ?? -1) {
    if (tree.isFolded(folds, node)) flip(toggledNodes, node);
  }
  folds = { ...folds, toggled: toggledNodes };
  const value = tree.nodes[hit.node]?.value;
  const isFarIn = !hit.isInKey && typeof value === 'string' && (hit.offset >= LONG_TEXT || value.includes('\n'));
  if (!isFarIn) return withTree(state, screen, pane, { folds, cursor: { node: hit.node, row: 0 } });
  folds = { ...folds, opened: new Set([...folds.opened, hit.node]) };
  const row = tree.rowOfOffset(hit.node, hit.offset, state.size.columns);
  return withTree(state, screen, pane, { folds, cursor: { node: hit.node, row } });
}

type Change = Partial<Pick<TreeState, 'cursor' | 'folds'>>;

function toggled(tree: JsonTree, { folds }: TreeState, node: number): Change {
  const cursor: TreePosition = { node, row: 0 };
  const { value, members } = tree.nodes[node] ?? { value: null, members: 0 };
  if (members > 0) return { cursor, folds: withFlipped(folds, 'toggled', node) };
  const isLong = typeof value === 'string' && (value.length >= LONG_TEXT || value.includes('\n'));
  return isLong ? { cursor, folds: withFlipped(folds, 'opened', node) } : { cursor };
}

/** Folds the selected node if it is open, else selects its parent. */
function foldedOrParent(tree: JsonTree, { folds }: TreeState, node: number): Change {
  const { members, parent } = tree.nodes[node] ?? { members: 0, parent: -1 };
  const cursor: TreePosition = { node, row: 0 };
  if (members > 0 && !tree.isFolded(folds, node)) return { cursor, folds: withFlipped(folds, 'toggled', node) };
  if (folds.opened.has(node)) return { cursor, folds: withFlipped(folds, 'opened', node) };
  return parent < 0 ? { cursor } : { cursor: { node: parent, row: 0 } };
}

/** Folds the parent; at the root level, the selected node. */
function withParentFolded(tree: JsonTree, shown: TreeState, node: number): Change {
  const parent = tree.nodes[node]?.parent ?? -1;
  if (parent < 0) return toggled(tree, shown, node);
  return { cursor: { node: parent, row: 0 }, folds: withFlipped(shown.folds, 'toggled', parent) };
}

/** Unfolds everything, or folds everything if nothing is folded. */
function withAllToggled(tree: JsonTree, { folds }: TreeState): Change {
  const hasFolded = tree.nodes.some((_node, index) => tree.isFolded(folds, index));
  return { folds: { base: hasFolded ? 'none' : 'all', toggled: new Set(), opened: new Set() } };
}

function withFlipped(folds: TreeFolds, which: 'toggled' | 'opened', node: number): TreeFolds {
  const nodes = new Set(folds[which]);
  flip(nodes, node);
  return { ...folds, [which]: nodes };
}

function flip(nodes: Set<number>, node: number): void {
  if (!nodes.delete(node)) nodes.add(node);
}

function filterByNode(
  state: TerminalState,
  screen: EventScreen,
  { pane, tree, node, isExcluded }: { pane: TreePane; tree: JsonTree; node: number; isExcluded: boolean },
): TerminalState {
  const { event } = screen;
  if (event === undefined) return state;
  const payload = pane === 'raw' ? event.raw.payload : event.normalized;
  const found = eventTerm(payload, tree.pathOf(node), isExcluded);
  return typeof found === 'string' ? withNotice(state, found, 'error') : withEventTerm(state, found.term);
}

/** Goes back to the list of events below and adds a term to its query. */
function withEventTerm(state: TerminalState, term: string): TerminalState {
  const below = listBelow(state);
  if (below === undefined) return withNotice(state, 'No list to filter.', 'error');
  const query = withTerm(below.query, term);
  const [first, ...above] = state.stack;
  const kept = above.slice(0, above.indexOf(below));
  return { ...state, stack: [first, ...kept, withQuery(below, query)] };
}

function withQuery(below: NonNullable<ReturnType<typeof listBelow>>, query: string): Screen {
  if (below.kind === 'events') return { ...below, query, list: EMPTY_LIST, reading: 'loading', scanned: undefined };
  return { ...below, pane: 'events', query, list: EMPTY_LIST, reading: 'loading', shownQuery: undefined };
}
