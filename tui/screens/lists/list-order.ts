import type { IssueId } from '../../../core/event/ids.js';
import type { IssueSummary } from '../../../generated/reader-answers.js';
import type { IssuesScreen } from '../../state/issues-state.js';
import { isSameHead, replaceAmong, replaceRows, updateRows, waitingIn } from '../../state/list-merge.js';
import { type RowPage, selectFirst } from '../../state/paged-list.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { withLiveMarks } from './list-changes.js';
import { listAndPreview } from './preview-reads.js';

/** Rows of the list. */
export function issuesRows(state: TerminalState): number {
  return listAndPreview(state).list;
}

interface FreshHead {
  readonly page: RowPage<IssueSummary>;
  /** Visible rows that are not in the page. */
  readonly found: readonly IssueSummary[];
  /** Visible rows, and issues that the user changed, which no longer match. */
  readonly missing: readonly IssueId[];
  readonly acted: ReadonlySet<IssueId>;
}

/** Time without a key after which the order follows the store, while the first row is selected. */
const IDLE_MS = 2_000;
/** Time after a reorder in which a key still means the issue that was selected before. */
const STEADY_MS = 300;
const NOTHING_WAITS = { added: 0, moved: 0 };

/** Shows the rows of another list; the selection keeps its id if the page has it, else it is the first row. */
export function withNewRows(screen: IssuesScreen, state: TerminalState, page: RowPage<IssueSummary>): IssuesScreen {
  const list = replaceRows(screen.list, page, issuesRows(state));
  return withLiveMarks({
    ...screen,
    list,
    waiting: NOTHING_WAITS,
    gone: new Set(),
    acted: new Set(),
    isReorderWanted: false,
    reordered: undefined,
  });
}

/** Takes over the new order if the list is live; otherwise rows change in place, and what would move is counted. */
export function withFreshHead(
  screen: IssuesScreen,
  state: TerminalState,
  head: FreshHead,
  before: IssuesScreen,
): IssuesScreen {
  const isReady = screen.isReorderWanted || isLive(screen, state);
  if (!isReady) return withFrozenRows(screen, state, head, before);
  const isSame = isSameHead(screen.list, head.page) && !screen.isReorderWanted && screen.gone.size === 0;
  if (isSame && screen.acted.size === 0) return screen.total === before.total ? before : screen;
  const { selectedId } = screen.list;
  const fresh = withNewRows({ ...screen, list: { ...screen.list, selectedId: undefined } }, state, head.page);
  const isOther = selectedId !== undefined && fresh.list.selectedId !== selectedId && !screen.isReorderWanted;
  return isOther ? { ...fresh, reordered: { atMs: state.nowMs, selectedId } } : fresh;
}

function isLive({ list, marked }: IssuesScreen, { habits, overlay, nowMs, keyAtMs }: TerminalState): boolean {
  // Also an empty list.
  const isAtTop = list.rows[0]?.issue_id === list.selectedId;
  const isIdle = overlay === undefined && nowMs - keyAtMs >= IDLE_MS && marked.size === 0;
  return isAtTop && isIdle && !habits.isForScreenReader;
}

function withFrozenRows(
  screen: IssuesScreen,
  state: TerminalState,
  { page, found, missing, acted }: FreshHead,
  before: IssuesScreen,
): IssuesScreen {
  const updated = updateRows(screen.list, [...page.rows, ...found]);
  const seen = new Set([...page.rows, ...found].map(({ issue_id }) => issue_id));
  const lost = page.nextCursor === null ? updated.rows.map(({ issue_id }) => issue_id) : [...screen.gone, ...missing];
  const gone = new Set(lost.filter((id) => !seen.has(id)));
  const removed = new Set([...gone].filter((id) => acted.has(id)));
  const list = replaceAmong(updated, { removed, added: acted, order: page.rows }, issuesRows(state));
  for (const id of removed) gone.delete(id);
  const waiting = waitingIn(list, page);
  const isSame =
    list === before.list &&
    screen.total === before.total &&
    acted.size === 0 &&
    JSON.stringify([waiting, [...gone]]) === JSON.stringify([before.waiting, [...before.gone]]);
  if (isSame) return before;
  const rest = new Set([...screen.acted].filter((id) => !acted.has(id)));
  return withLiveMarks({ ...screen, list, waiting, gone, acted: rest });
}

/** Goes to the first row and takes over the new order. */
export function reorder(screen: IssuesScreen, state: TerminalState): IssuesScreen {
  return { ...screen, list: selectFirst(screen.list, issuesRows(state)), isReorderWanted: true };
}

/** The screen on which a key acts: right after a reorder, the issue that was under the cursor is still meant. */
export function steadyScreen(screen: IssuesScreen, nowMs: number): IssuesScreen {
  const { reordered, list } = screen;
  if (reordered === undefined) return screen;
  const { atMs, selectedId } = reordered;
  const isRecent = nowMs - atMs < STEADY_MS && list.rows.some(({ issue_id }) => issue_id === selectedId);
  return { ...screen, reordered: undefined, ...(isRecent && { list: { ...list, selectedId } }) };
}
