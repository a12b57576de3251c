import type { IssueSort, SinceKind } from '../../core/contract/reader.js';
import type { IssueId } from '../../core/event/ids.js';
import type {
  EventHistogram,
  EventSummary,
  EventsSummary,
  FieldValues,
  IssueCounts,
  IssueDetail,
  IssueSummary,
  IssuesSince,
} from '../../generated/reader-answers.js';
import type { StackRow } from '../format/event/stack-rows.js';
import { type IssueListShape, NO_SHAPE } from '../format/issue/issue-list-shape.js';
import type { IssueTab } from './issue-tabs.js';
import type { Waiting } from './list-merge.js';
import { emptyList, ISSUE_ROWS, type PagedList } from './paged-list.js';
import type { SinceRange } from './since-range.js';

/** The parameters of the list of issues. */
export interface IssueSource {
  /** As typed; empty: all issues of the tab. */
  readonly query: string;
  readonly tab: IssueTab;
  readonly sort: IssueSort;
  /** Lists what changed since an instant instead of the tab. */
  readonly since?: { readonly range: SinceRange; readonly kind: SinceKind } | undefined;
}

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

/** The list of issues, always at the bottom of the stack; members are absent until loaded unless they say otherwise. */
export interface IssuesScreen {
  readonly kind: 'issues';
  /** Identity of the screen for reads in flight. */
  readonly key: number;
  /** The name of the user, for `mine`. */
  readonly me: string | undefined;
  readonly list: PagedList<IssueSummary>;
  /** The requested parameters. */
  readonly wanted: IssueSource;
  /** The parameters of the loaded rows; undefined before the first page. */
  readonly shown?: IssueSource | undefined;
  /** Decides the columns; chosen when the list is read, so that they stay while it is polled. */
  readonly shape: IssueListShape;
  /** The rates of the rows, and the counts of the tabs, of a list since an instant. */
  readonly since?: IssuesSince | undefined;
  /** The number of issues, loaded or not. */
  readonly total: number;
  /** Matching issues in each tab. */
  readonly counts?: IssueCounts | undefined;
  /** The query of `counts`. */
  readonly countedQuery?: string | undefined;
  /** The counts without each term of a query that nothing matches. */
  readonly without?: { readonly query: string; readonly terms: NonNullable<IssueCounts['without']> } | undefined;
  /** Matching issues in each tab without a filter. */
  readonly unfiltered?: IssueCounts | undefined;
  /** Values of fields that a filter names, with their counts in the tab; see `valueKey`. */
  readonly values: ReadonlyMap<string, FieldValues['values']>;
  /** Whether the list of a typed filter takes long to read. */
  readonly isSlow: boolean;
  /** What a new order would show. */
  readonly waiting: Waiting;
  /** Loaded issues that no longer match, or were removed. */
  readonly gone: ReadonlySet<IssueId>;
  /** Issues that the user changed since the last read: they leave the list at once. */
  readonly acted: ReadonlySet<IssueId>;
  /** Whether the next read takes over the new order. */
  readonly isReorderWanted: boolean;
  /** The last reorder under the cursor, with the issue that was selected before; undefined before the first. */
  readonly reordered?: { readonly atMs: number; readonly selectedId: string } | undefined;
  /** Of the issue that was selected last; undefined before the first one. */
  readonly preview?: IssuePreview | undefined;
  /** The targets of actions; empty: the selected issue. */
  readonly marked: ReadonlySet<IssueId>;
  /** The start of a range of marks; undefined before the first mark. */
  readonly markStart?: IssueId | undefined;
}

/** The list before anything is loaded. */
export function openIssues(key: number, me: string | undefined): IssuesScreen {
  return {
    kind: 'issues',
    key,
    me,
    list: emptyList(ISSUE_ROWS),
    wanted: { query: '', tab: 'open', sort: 'last_seen' },
    shape: NO_SHAPE,
    total: 0,
    values: new Map(),
    isSlow: false,
    waiting: { added: 0, moved: 0 },
    gone: new Set(),
    acted: new Set(),
    isReorderWanted: false,
    marked: new Set(),
  };
}

/** Whether two lists have the same parameters. */
export function isSameSource(one: IssueSource, other: IssueSource | undefined): boolean {
  return one.query === other?.query && one.tab === other.tab && one.sort === other.sort && one.since === other.since;
}
