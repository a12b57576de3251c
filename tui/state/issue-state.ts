import type { EventId, IssueId } from '../../core/event/ids.js';
import type {
  EventDetail,
  EventSummary,
  EventsSummary,
  IssueDetail,
  IssueSummary,
  ReleaseSummary,
} from '../../generated/reader-answers.js';
import type { StackRow } from '../format/event/stack-rows.js';
import type { Span, TimeRange } from '../format/event/time-window.js';
import type { RelatedIssues } from '../readers/related-issues.js';
import { EVENT_ROWS, emptyList, type PagedList } from './paged-list.js';

/** The tabs of an issue, in order. */
export const ISSUE_PANES = ['events', 'facets', 'why', 'history', 'related'] as const;
export type IssuePane = (typeof ISSUE_PANES)[number];

/** The parameters and the time of a summary, which decide when it is read again. */
export interface SummarySource {
  readonly query: string;
  /** Undefined: all times. */
  readonly range: TimeRange | undefined;
  readonly buckets: number;
  /** The number of events of the issue at that time. */
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

/** A summary with its parameters. */
export interface LoadedSummary {
  readonly source: SummarySource;
  readonly summary: EventsSummary;
}

/** What the preview of an event has read. */
export interface EventPreview {
  readonly eventId: EventId;
  /** Undefined: the store has removed it. */
  readonly event: EventDetail | undefined;
  readonly stack: readonly StackRow[];
}

/** The screen of one issue; members are absent until loaded unless they say otherwise. */
export interface IssueScreen {
  readonly kind: 'issue';
  readonly key: number;
  readonly issue: IssueSummary;
  readonly detail?: IssueDetail | undefined;
  readonly pane: IssuePane;
  /** As typed; empty: all events. */
  readonly query: string;
  /** The window that filters the events; undefined: they are not filtered by time. */
  readonly range?: TimeRange | undefined;
  /** The length of the window that the bars show. */
  readonly span: Span;
  /** The facets unless a range is set. */
  readonly summary?: LoadedSummary | undefined;
  /** The bars, and the facets of a range. */
  readonly windowSummary?: LoadedSummary | undefined;
  /** The latest, for marks below the bars. */
  readonly releases?: readonly ReleaseSummary[] | undefined;
  readonly related?: RelatedIssues | undefined;
  /** When `related` was read last, in milliseconds since the epoch. */
  readonly relatedAtMs: number;
  /** Related issues that are chosen for a merge. */
  readonly marked: ReadonlySet<IssueId>;
  readonly list: PagedList<EventSummary>;
  readonly preview?: EventPreview | undefined;
  /** The query of the loaded rows; undefined before the first page. */
  readonly shownQuery?: string | undefined;
  /** The number of events of the issue when the first page was read last. */
  readonly shownCount?: number | undefined;
  /** `gone`: the store has removed the issue. */
  readonly reading: 'loading' | 'loaded' | 'gone';
  /** In panes other than `events`: the selected facet value or issue, or the first visible line. */
  readonly index: number;
}

/** The screen of an issue that was just opened. */
export function openIssue(key: number, issue: IssueSummary): IssueScreen {
  return {
    kind: 'issue',
    key,
    issue,
    pane: 'events',
    query: '',
    span: '24h',
    relatedAtMs: 0,
    marked: new Set(),
    list: emptyList(EVENT_ROWS),
    reading: 'loading',
    index: 0,
  };
}
