import type { EventId, IssueId } from '../../core/event/ids.js';
import type { EventDetail } from '../../generated/reader-answers.js';
import type { DiffRow } from '../format/event/diff-view.js';
import type { EventDiff } from '../format/event/event-diff.js';
import type { DetailSection } from '../format/event/folded-detail.js';
import type { SourceExcerpt } from './effect-context.js';
import type { EventViews } from './event-views.js';
import { INITIAL_FOLDS, type TreeFolds, type TreePosition } from './json-tree.js';
import { PAGER_START, type Pager, type PagerPosition } from './pager.js';

/** How one event is shown. `detail` is the view of the specification. */
export const EVENT_PANES = ['detail', 'stack', 'raw', 'normalized', 'diff'] as const;
export type EventPane = (typeof EVENT_PANES)[number];

/** Where one is in the stack, and what of it is not as it was at the start. */
export interface StackState {
  /** Id of the row with the cursor; undefined: the innermost frame of the application. */
  readonly cursor: string | undefined;
  readonly top: number;
  /** Errors and runs of library frames that were folded or unfolded. */
  readonly toggled: ReadonlySet<string>;
  /** Frames below which their source is shown. */
  readonly opened: ReadonlySet<string>;
}

/** Where one is in a tree of JSON. */
export interface TreeState {
  readonly cursor: TreePosition;
  /** Index of the first visible row. */
  readonly top: number;
  readonly folds: TreeFolds;
}

/** What the event is compared with. */
export type DiffChoice = 'earlier' | 'later' | 'first' | { readonly id: EventId };

/** The comparison with another event of the issue. */
export interface DiffState {
  readonly choice: DiffChoice;
  /** Undefined where none is known. */
  readonly otherId: EventId | undefined;
  /** Undefined until it is read. */
  readonly other: EventDetail | undefined;
  readonly diff: EventDiff | undefined;
  /** Its rows; empty until it is made. */
  readonly rows: readonly DiffRow[];
  readonly isGone: boolean;
  /** Whether also what is the same is listed. */
  readonly isWhole: boolean;
  readonly cursor: number;
  readonly top: number;
}

/** Lines around a frame, or why there are none: still asked for, or not reachable from here. */
export type FrameSource = SourceExcerpt | 'asked' | 'none';

/** One event in full. */
export interface EventScreen {
  readonly kind: 'event';
  readonly key: number;
  readonly issueId: IssueId;
  readonly eventId: EventId;
  readonly pane: EventPane;
  /** Undefined until the event is read. */
  readonly event: EventDetail | undefined;
  /** The event as the panes show it; undefined until it is read. */
  readonly views: EventViews | undefined;
  /** The detail view as it is folded; undefined until the event is read. */
  readonly pager: Pager | undefined;
  readonly position: PagerPosition;
  readonly folded: ReadonlySet<DetailSection>;
  /** What is looked for in every pane; empty: nothing. */
  readonly search: string;
  /** Index of the place that was gone to, among those of the pane; undefined after a move. */
  readonly hit: number | undefined;
  readonly stack: StackState;
  readonly trees: { readonly raw: TreeState; readonly normalized: TreeState };
  readonly diff: DiffState;
  /** By `file:line` of a frame. */
  readonly sources: ReadonlyMap<string, FrameSource>;
  /** The step that waits for more of the list below; undefined while none does. */
  readonly step: 'next' | 'previous' | undefined;
  readonly isGone: boolean;
}

const INITIAL_STACK: StackState = { cursor: undefined, top: 0, toggled: new Set(), opened: new Set() };
const INITIAL_TREE: TreeState = { cursor: { node: 0, row: 0 }, top: 0, folds: INITIAL_FOLDS };
/** A comparison of which nothing is known yet. */
export const INITIAL_DIFF: DiffState = {
  choice: 'earlier',
  otherId: undefined,
  other: undefined,
  diff: undefined,
  rows: [],
  isGone: false,
  isWhole: false,
  cursor: 0,
  top: 0,
};

/** An event that was just opened. */
export function openEvent(key: number, ids: { eventId: EventId; issueId: IssueId }): EventScreen {
  return {
    kind: 'event',
    key,
    issueId: ids.issueId,
    eventId: ids.eventId,
    pane: 'detail',
    event: undefined,
    views: undefined,
    pager: undefined,
    position: PAGER_START,
    folded: new Set(),
    search: '',
    hit: undefined,
    stack: INITIAL_STACK,
    trees: { raw: INITIAL_TREE, normalized: INITIAL_TREE },
    diff: INITIAL_DIFF,
    sources: new Map(),
    step: undefined,
    isGone: false,
  };
}

/** The screen with another event, shown in the same way: pane, folded sections, search and what it is compared with stay. */
export function withOtherEvent(screen: EventScreen, ids: { eventId: EventId; issueId: IssueId }): EventScreen {
  const { pane, folded, search, diff, sources, trees } = screen;
  return {
    ...openEvent(screen.key, ids),
    pane,
    folded,
    search,
    sources,
    // What was folded as a whole stays so; single nodes are other ones in another event.
    trees: { raw: sameBase(trees.raw), normalized: sameBase(trees.normalized) },
    diff: { ...INITIAL_DIFF, choice: typeof diff.choice === 'string' ? diff.choice : 'earlier', isWhole: diff.isWhole },
  };
}

function sameBase({ folds }: TreeState): TreeState {
  return { ...INITIAL_TREE, folds: { ...INITIAL_FOLDS, base: folds.base } };
}
