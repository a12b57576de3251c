import type { EventId, IssueId } from '../../core/event/ids.js';
import type { EventDetail, EventSummary } from '../../generated/reader-answers.js';
import type { SourceExcerpt } from '../effects/source-lines.js';
import { type DetailBlock, type DetailSection, detailView } from '../format/event/detail-view.js';
import type { DiffRow } from '../format/event/diff-view.js';
import type { EventDiff } from '../format/event/event-diff.js';
import { type StackView, stackView } from '../format/event/stack-view.js';
import type { Linked } from '../readers/related-events.js';
import { PAGER_START, type Pager, type PagerPosition } from './pager.js';

/** The views of an event; `detail` is the first one. */
export const EVENT_PANES = ['detail', 'stack', 'related', 'diff'] as const;
export type EventPane = (typeof EVENT_PANES)[number];

/** Cursor and folds of the stack. */
export interface StackState {
  /** Row id; undefined: the innermost in-app frame. */
  readonly cursor?: string | undefined;
  readonly top: number;
  /** Ids of errors and runs of library frames that differ from the initial folds. */
  readonly toggled: ReadonlySet<string>;
  /** Ids of frames with their source shown below. */
  readonly opened: ReadonlySet<string>;
}

/** The comparison with another event; members are absent until loaded unless they say otherwise. */
export interface DiffState {
  /** Undefined if none is known. */
  readonly otherId?: EventId | undefined;
  readonly other?: EventDetail | undefined;
  readonly diff?: EventDiff | undefined;
  /** Empty until both events are loaded. */
  readonly rows: readonly DiffRow[];
  readonly isGone: boolean;
  /** Whether equal fields are listed too. */
  readonly isWhole: boolean;
  readonly cursor: number;
  readonly top: number;
}

/** The source around a frame, or the state of reading it. */
export type FrameSource = SourceExcerpt | 'loading' | 'missing';

/** The screen of one event; members are absent until loaded unless they say otherwise. */
export interface EventScreen {
  readonly kind: 'event';
  readonly key: number;
  readonly issueId: IssueId;
  readonly eventId: EventId;
  readonly pane: EventPane;
  readonly event?: EventDetail | undefined;
  readonly views?: EventViews | undefined;
  /** The detail view with its folds. */
  readonly pager?: Pager | undefined;
  readonly position: PagerPosition;
  readonly folded: ReadonlySet<DetailSection>;
  /** The search text of all panes; empty: no search. */
  readonly search: string;
  /** Index of the current match in the pane; undefined after a move. */
  readonly hit?: number | undefined;
  readonly stack: StackState;
  readonly related?: readonly Linked[] | undefined;
  /** The selected related event. */
  readonly relatedIndex: number;
  readonly diff: DiffState;
  /** Keys are `file:line` of a frame. */
  readonly sources: ReadonlyMap<string, FrameSource>;
  /** A step that waits for more rows of the list below. */
  readonly step: 'next' | 'previous' | undefined;
  readonly isGone: boolean;
}

const INITIAL_STACK: StackState = { top: 0, toggled: new Set(), opened: new Set() };
/** A comparison before anything is loaded. */
export const INITIAL_DIFF: DiffState = {
  rows: [],
  isGone: false,
  isWhole: false,
  cursor: 0,
  top: 0,
};

type EventIds = Pick<EventSummary, 'event_id' | 'issue_id'>;

/** The screen of an event that was just opened. */
export function openEvent(key: number, { event_id: eventId, issue_id: issueId }: EventIds): EventScreen {
  return {
    kind: 'event',
    key,
    issueId,
    eventId,
    pane: 'detail',
    position: PAGER_START,
    folded: new Set(),
    search: '',
    stack: INITIAL_STACK,
    relatedIndex: 0,
    diff: INITIAL_DIFF,
    sources: new Map(),
    step: undefined,
    isGone: false,
  };
}

/** Shows another event; pane, folded sections, search and comparison stay. */
export function withOtherEvent(screen: EventScreen, ids: EventIds): EventScreen {
  const { pane, folded, search, diff, sources } = screen;
  return {
    ...openEvent(screen.key, ids),
    pane,
    folded,
    search,
    sources,
    diff: { ...INITIAL_DIFF, isWhole: diff.isWhole },
  };
}

/** The views of an event for the panes. */
export interface EventViews {
  readonly blocks: readonly DetailBlock[];
  readonly stack: StackView;
}

/** Makes the views of an event. */
export function eventViews(event: EventDetail): EventViews {
  const { stack, release } = event.normalized;
  return { blocks: detailView(event), stack: stackView(stack ?? '', release) };
}
