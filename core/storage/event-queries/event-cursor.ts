import type { EventLocation } from '../index/content/find-events.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { IssueState } from '../index/content/issue-state.js';
import type { EventRow, EventSegment } from '../index/segments/event-segment.js';

/** A range of rows; `end` is exclusive. */
export interface SegmentSpan {
  readonly segment: EventSegment;
  readonly from: number;
  readonly end: number;
}

/** Spans of events, newest first; rows added to a returned segment later are not included. */
export interface EventWalk {
  /** Only rows of these issues count; absent: all. */
  readonly ordinals?: ReadonlySet<number> | undefined;
  /** Those with an event. Rejects with `INDEX_UNUSABLE`. */
  readonly spans: AsyncGenerator<SegmentSpan, undefined>;
}

interface WalkedRange {
  /** Exclusive; absent: from the newest. */
  readonly before?: EventLocation | undefined;
  /** Exclusive, microseconds since the epoch. Default: none. */
  readonly untilMicros?: number;
  /** Inclusive. Default: none. */
  readonly fromMicros?: number;
}

const SEGMENTS_AHEAD = 4;

/** Walks all events of an index. */
export async function* walkEvents(content: IndexContent, range: WalkedRange): EventWalk['spans'] {
  const { segments } = content;
  const { before, untilMicros = Number.POSITIVE_INFINITY } = range;
  const newest = Number.isFinite(untilMicros) ? segments.numberAt(untilMicros) : segments.open.number;
  const first = Math.min(before?.segment ?? segments.open.number, newest);
  for (let number = first; number >= segments.sealed.firstSegment; number -= 1) {
    // Reads the next segments meanwhile; their errors surface in their turn.
    const last = Math.max(number - SEGMENTS_AHEAD, segments.sealed.firstSegment);
    for (let next = number - 1; next >= last; next -= 1) segments.get(next).catch(() => undefined);
    const span = cut(content, await segments.get(number), range);
    if (span.end > span.from) yield span;
    if (span.from > 0) return;
  }
}

/** Walks the events of some issues, skipping segments without them; with hundreds of issues `walkEvents` is faster. */
export function walkIssues(content: IndexContent, members: readonly IssueState[], range: WalkedRange = {}): EventWalk {
  const ordinals = new Set(members.map(({ ordinal }) => ordinal));
  return { ordinals, spans: spansOf(content, members, range) };
}

async function* spansOf(content: IndexContent, members: readonly IssueState[], range: WalkedRange): EventWalk['spans'] {
  /** Ordinals by the next segment that holds their events. */
  const waiting = new Map<number, number[]>();
  const wait = (ordinal: number, number: number): void => {
    if (number < content.segments.sealed.firstSegment) return;
    const others = waiting.get(number);
    if (others === undefined) waiting.set(number, [ordinal]);
    else others.push(ordinal);
  };
  for (const member of members) wait(member.ordinal, await newestSegmentOf(content, member, range.before));
  while (waiting.size > 0) {
    const number = Math.max(...waiting.keys());
    const held = waiting.get(number) ?? [];
    waiting.delete(number);
    const segment = await content.segments.get(number);
    const span = cut(content, segment, range);
    if (held.some((ordinal) => segment.lastRowOf(ordinal, span.end) >= span.from)) yield span;
    if (span.from > 0) return;
    for (const ordinal of held) wait(ordinal, segment.previous.get(ordinal) ?? -1);
  }
}

/** The rows of some issues by segment, newest first. Rejects with `INDEX_UNUSABLE`. */
export async function* rowsOfIssues(
  content: IndexContent,
  members: readonly IssueState[],
  range: WalkedRange = {},
): AsyncGenerator<{ readonly segment: EventSegment; readonly rows: readonly number[] }> {
  const walk = walkIssues(content, members, range);
  for await (const { segment, from, end } of walk.spans) {
    const rows: number[] = [];
    for (let index = end - 1; index >= from; index -= 1) {
      if (walk.ordinals?.has(segment.ordinalAt(index))) rows.push(index);
    }
    yield { segment, rows };
  }
}

/** Events of several issues, newest first. Rejects with `INDEX_UNUSABLE`. */
export async function* eventsOfGroup(content: IndexContent, members: readonly IssueState[]): AsyncGenerator<EventRow> {
  for await (const { segment, rows } of rowsOfIssues(content, members)) {
    for (const index of rows) {
      const row = segment.row(index);
      // Retention may have removed it during the iteration.
      if (row !== undefined && row.receivedAtMicros >= content.removed.beforeMicros) yield row;
    }
  }
}

/** The rows of a segment in a range that are not removed; `from` is 0 if older segments may hold more. */
function cut(content: IndexContent, segment: EventSegment, range: WalkedRange): SegmentSpan {
  const { before, untilMicros = Number.POSITIVE_INFINITY, fromMicros = Number.NEGATIVE_INFINITY } = range;
  const from = segment.rowIndexAt(Math.max(fromMicros, content.removed.beforeMicros));
  const last = before?.segment === segment.number ? before.rowIndex : segment.rows;
  return { segment, from, end: Math.min(last, segment.rowIndexAt(untilMicros)) };
}

/** The newest segment up to that of `before` that holds an issue, or -1; searched from both ends. */
async function newestSegmentOf(
  content: IndexContent,
  issue: IssueState,
  before: EventLocation | undefined,
): Promise<number> {
  if (before === undefined || issue.lastSegment <= before.segment) return issue.lastSegment;
  if (before.row.ordinal === issue.ordinal) return before.segment;
  const { segments } = content;
  const first = segments.sealed.firstSegment;
  let chained = issue.lastSegment;
  for (let near = before.segment; near >= first; near -= 1) {
    if ((await segments.get(near)).previous.has(issue.ordinal)) return near;
    if (chained < first) return -1;
    chained = (await segments.get(chained)).previous.get(issue.ordinal) ?? -1;
    if (chained <= before.segment) return chained;
  }
  return -1;
}
