import type { IssueSummary } from '../../../generated/reader-answers.js';
import { screenRows } from '../../components/layout.js';
import { summaryRows } from '../../format/event/stack-summary.js';
import { latestWindow } from '../../format/event/time-window.js';
import type { IssuePreview, IssuesScreen } from '../../state/issues-state.js';
import { ISSUE_ROWS, selectedRow } from '../../state/paged-list.js';
import { changeScreen, type StateRead, type TerminalState, withNotice } from '../../state/terminal-state.js';

/** Time on a row before its latest event is read. */
export const REST_MS = 150;
/** Ages at which a preview is read again: after changes, and without. */
const CHANGED_MS = 2_000;
const UNCHANGED_MS = 15_000;
const MAX_EVENTS = 50;
/** 30 minutes each. */
const BARS = 48;
/** The values of all events are read without their times. */
const VALUES_ONLY = 1;

/** The preview of the selected issue; undefined until it is read. */
export function previewOf({ preview, list }: IssuesScreen): IssuePreview | undefined {
  const selected = selectedRow(list);
  return preview?.issue.issue_id === selected?.issue_id ? preview : undefined;
}

/** The read of the preview of a row that was selected a moment ago. */
export function missingPreview(state: TerminalState, screen: IssuesScreen): StateRead[] {
  const issue = selectedRow(screen.list);
  if (issue === undefined || previewOf(screen) !== undefined || !isRead(state, issue)) return [];
  return [{ ...readPreview(state, screen, issue), delay: { ms: REST_MS, version: issue.issue_id } }];
}

/** The read of a preview that is out of date. */
export function duePreview(state: TerminalState, screen: IssuesScreen): StateRead[] {
  const issue = selectedRow(screen.list);
  const preview = previewOf(screen);
  if (issue === undefined || preview === undefined || !isRead(state, issue)) return [];
  const isChanged = !ISSUE_ROWS.isSame(issue, preview.issue);
  const isDue = state.nowMs - preview.atMs >= (isChanged ? CHANGED_MS : UNCHANGED_MS);
  return isDue ? [readPreview(state, screen, issue)] : [];
}

function isRead(state: TerminalState, { issue_id }: IssueSummary): boolean {
  return isPreviewShown(state) && !state.stale.has(issue_id);
}

function readPreview({ nowMs }: TerminalState, { key, preview }: IssuesScreen, issue: IssueSummary): StateRead {
  const { issue_id: issueId } = issue;
  return {
    name: `preview ${key} ${issueId}`,
    perform: async (reader) => {
      const { from, to } = latestWindow(issue, '24h', BARS);
      const [detail, page, values, day] = await Promise.all([
        reader.getIssue(issueId),
        reader.listEvents(issueId, { limit: MAX_EVENTS }),
        reader.summarizeEvents(issueId, { buckets: VALUES_ONLY }),
        reader.summarizeEvents(issueId, { from, to, buckets: BARS }),
      ]);
      const latest = page?.events ?? [];
      const [newest] = latest;
      const isKnown = newest !== undefined && newest.event_id === preview?.latest[0]?.event_id;
      const event = isKnown || newest === undefined ? undefined : await reader.getEvent(newest.event_id);
      const stack = isKnown ? preview.stack : summaryRows(event, detail?.basis);
      const read = { issue, atMs: nowMs, detail, latest, stack, values, bars: day?.histogram };
      return changeScreen('issues', key, (screen) =>
        screen.list.selectedId === issueId ? { ...screen, preview: read } : screen,
      );
    },
  };
}

/** Title bar, tabs, filter and column headings. */
export const ROWS_ABOVE_LIST = 4;
/** Rows of the window from which the preview is shown unless it was hidden. */
const SHOWN_FROM = 30;
const SHARE = 0.45;
/** Rows of the preview in a lower window, if it was asked for. */
const LOW_ROWS = 8;
/** Rows that the list keeps, and the rule with one row of the preview. */
const MIN_LIST_ROWS = 5;
const MIN_ROWS = 2;

/** Divides the window into rows of the list and of the preview below it, its rule included: a list with few issues gives its spare rows to the preview, and an overlay covers the lowest rows. */
export function listAndPreview(state: TerminalState): { list: number; preview: number } {
  const loaded = state.stack[0].list.rows.length;
  const whole = state.size.rows - 1 - ROWS_ABOVE_LIST;
  const room = Math.max(1, screenRows(state) - ROWS_ABOVE_LIST);
  const wanted = Math.min(wantedRows(state), whole - MIN_LIST_ROWS);
  if (loaded === 0 || wanted < MIN_ROWS) return { list: room, preview: 0 };
  const list = Math.min(room, Math.min(Math.max(loaded, 1), whole - wanted));
  return room - list < MIN_ROWS ? { list: room, preview: 0 } : { list, preview: room - list };
}

/** Whether the preview has rows in the window. */
export function isPreviewShown(state: TerminalState): boolean {
  return listAndPreview(state).preview > 0;
}

/** Hides the preview or shows it; the choice is remembered. */
export function togglePreview(
  state: TerminalState,
  { rows }: { readonly rows: readonly unknown[] },
  isShown: (now: TerminalState) => boolean,
): TerminalState {
  const preview = !isShown(state);
  const toggled = { ...state, memory: { ...state.memory, preview } };
  return preview && rows.length > 0 && !isShown(toggled)
    ? withNotice(state, 'The window is too small for the preview.')
    : toggled;
}

/** Whether the preview was asked for, or was not hidden and has room. */
export function isPreviewWanted({ habits, memory }: TerminalState, hasRoom: boolean): boolean {
  // A screen reader would read it again with every move.
  return memory.preview ?? (hasRoom && !habits.isForScreenReader);
}

function wantedRows(state: TerminalState): number {
  const { size } = state;
  const isHigh = size.rows >= SHOWN_FROM;
  if (!isPreviewWanted(state, isHigh)) return 0;
  return isHigh ? Math.floor((size.rows - 5) * SHARE) : LOW_ROWS;
}
