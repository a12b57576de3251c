import type { JsonValue } from '../../../core/event/json.js';
import type { EventScreen } from './event-state.js';
import { cursorNode, isTreePane } from './tree-pane.js';

/** The value under the cursor of a tree, and its path; undefined in the other panes, and in a document without members. */
export function selectedValue(
  screen: EventScreen,
): { readonly path: readonly (string | number)[]; readonly value: JsonValue } | undefined {
  const { pane, views } = screen;
  if (!isTreePane(pane) || views === undefined) return undefined;
  const tree = views.tree(pane);
  const node = cursorNode(tree, screen.trees[pane]);
  const found = tree.nodes[node];
  return found && { path: tree.pathOf(node), value: found.value };
}
