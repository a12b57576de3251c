import type {
  EventHistogram,
  EventSummary,
  EventsSummary,
  IssueDetail,
  IssueSummary,
} from '../../generated/reader-answers.js';
import type { StackRow } from '../format/event/stack-rows.js';

/** What the preview of an issue has read. */
export interface IssuePreview {
  /** The row of the list at that time. */
  readonly issue: IssueSummary;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** Undefined if the store has removed the issue. */
  readonly detail: IssueDetail | undefined;
  /** Newest first. */
  readonly latest: readonly EventSummary[];
  /** Of the latest event. */
  readonly stack: readonly StackRow[];
  /** Values of all events; undefined if the issue is gone. */
  readonly values: EventsSummary | undefined;
  /** Of the 24 hours up to the latest event; undefined if the issue is gone. */
  readonly bars: EventHistogram | undefined;
}
