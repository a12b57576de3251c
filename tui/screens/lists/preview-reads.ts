import type { IssueSummary } from '../../../generated/reader-answers.js';
import { summaryRows } from '../../format/event/stack-summary.js';
import { latestWindow } from '../../format/event/time-window.js';
import type { IssuePreview, IssuesScreen } from '../../state/issues-state.js';
import { selectedRow } from '../../state/list-selection.js';
import { ISSUE_ROWS } from '../../state/paged-list.js';
import { changeScreen, type StateRead, type TerminalState } from '../../state/terminal-state.js';
import { isPreviewShown } from './preview-layout.js';

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
  const selected = selectedRow(list, ISSUE_ROWS);
  return preview?.issue.issue_id === selected?.issue_id ? preview : undefined;
}

/** The read of the preview of a row that was selected a moment ago. */
export function missingPreview(state: TerminalState, screen: IssuesScreen): StateRead[] {
  const issue = selectedRow(screen.list, ISSUE_ROWS);
  if (issue === undefined || previewOf(screen) !== undefined || !isRead(state, issue)) return [];
  return [{ ...readPreview(state, screen, issue), delay: { ms: REST_MS, version: issue.issue_id } }];
}

/** The read of a preview that is out of date. */
export function duePreview(state: TerminalState, screen: IssuesScreen): StateRead[] {
  const issue = selectedRow(screen.list, ISSUE_ROWS);
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
      const stack = isKnown ? preview.stack : summaryRows(event?.normalized.stack ?? null, detail?.basis);
      const read = { issue, atMs: nowMs, detail, latest, stack, values, bars: day?.histogram };
      return changeScreen('issues', key, (screen) =>
        screen.list.selectedId === issueId ? { ...screen, preview: read } : screen,
      );
    },
  };
}
