import type { ChangeKind } from '../../contract/reader.js';
import type { IssueId } from '../../event/ids.js';
import { type IssueAction, textIn } from '../../issues/issue-action.js';
import { beginTimeSlice, inTimeSlices } from '../../time-slice.js';
import type { IssueActions } from '../actions/action-history.js';
import { eventsOfGroup } from '../event-queries/event-cursor.js';
import type { IndexContent } from '../index/content/index-content.js';
import { type IssueState, isTelling } from '../index/content/issue-state.js';
import { isIndexUnusable, unlessUnusable } from '../index/documents/index-fault.js';
import type { IssueLifecycles } from '../issue-queries/issue-lifecycles.js';
import { type ChangeCursor, encodeChangeCursor } from './change-cursor.js';
import type { DescribedIssue, DescribedIssues } from './described-issues.js';

/** With more segments, all issues are scanned instead, which reads no files. */
const MAX_SEGMENTS = 64;

/** Changes between two positions, oldest first. */
export interface ChangeStep {
  readonly issues: readonly ChangedIssue[];
  readonly to: ChangeCursor;
}

/** What a step reads. */
export interface ChangeSources {
  readonly content: IndexContent;
  readonly lifecycles: IssueLifecycles;
  readonly descriptions: DescribedIssues;
}

interface IssueTouch {
  readonly shown: IssueState;
  /** Of its last event or action in the step. */
  readonly atMicros: number;
}

/** Finds the issues that changed between two positions; `to` is the current one. */
export async function changesBetween(
  from: ChangeCursor,
  to: ChangeCursor,
  sources: ChangeSources,
): Promise<ChangeStep> {
  const { content, lifecycles } = sources;
  const arrived = await byArrival(from, to, content, lifecycles);
  const acted = byAction(from, lifecycles).filter(({ shown }) => !arrived.has(shown.ordinal));
  const atEvents = inOrder([...arrived.values()], from.eventsMicros, (eventsMicros) => ({ ...from, eventsMicros }));
  const atActions = inOrder(acted, from.actionsMicros, (actionsMicros) => ({ ...to, actionsMicros }));
  const all = [...atEvents, ...atActions];
  const issues = all.map(({ shown, cursor }, at) => {
    return new ChangedIssue(shown, at === all.length - 1 ? to : cursor, { ...sources, from });
  });
  return { issues, to };
}

async function byArrival(
  from: ChangeCursor,
  to: ChangeCursor,
  content: IndexContent,
  lifecycles: IssueLifecycles,
): Promise<Map<number, IssueTouch>> {
  const changed = new Map<number, IssueTouch>();
  const slice = beginTimeSlice();
  for (const ordinal of await arrivedIssues(content, from.eventsMicros)) {
    const issue = content.issues.inOrder[ordinal];
    if (issue === undefined) continue;
    const shown = lifecycles.shownAs(issue);
    // Later events are reported by the next step. A repetition does not move the time of its issue, and is reported first.
    const atMicros = Math.max(from.eventsMicros, Math.min(shown.lastReceivedAtMicros, to.eventsMicros));
    changed.set(shown.ordinal, { shown, atMicros });
    if (slice.isOver) await slice.next();
  }
  return changed;
}

function byAction(from: ChangeCursor, lifecycles: IssueLifecycles): IssueTouch[] {
  const changed = new Map<number, IssueTouch>();
  for (const [issueId, atMicros] of actedIssues(lifecycles.actions, from.actionsMicros)) {
    const issue = lifecycles.issues.get(issueId);
    if (issue === undefined) continue;
    const shown = lifecycles.shownAs(issue);
    const before = changed.get(shown.ordinal)?.atMicros ?? 0;
    changed.set(shown.ordinal, { shown, atMicros: Math.max(before, atMicros) });
  }
  return [...changed.values()];
}

/** Oldest first, each with the cursor to resume after it: before the first of several changes at the same instant. */
function inOrder(
  changed: IssueTouch[],
  fromMicros: number,
  cursorAt: (micros: number) => ChangeCursor,
): { shown: IssueState; cursor: ChangeCursor }[] {
  let reached = fromMicros;
  const ordered = changed.sort((a, b) => a.atMicros - b.atMicros);
  return ordered.map(({ shown, atMicros }, at) => {
    if (ordered[at + 1]?.atMicros !== atMicros) reached = atMicros;
    return { shown, cursor: cursorAt(reached) };
  });
}

/** One changed issue of a step, for all listeners of the step. */
export class ChangedIssue {
  readonly #shown: IssueState;
  readonly #cursor: ChangeCursor;
  readonly #sources: ChangeSources & { readonly from: ChangeCursor };
  #kind: Promise<ChangeKind> | undefined;

  constructor(shown: IssueState, cursor: ChangeCursor, sources: ChangeSources & { readonly from: ChangeCursor }) {
    this.#shown = shown;
    this.#cursor = cursor;
    this.#sources = sources;
  }

  /** The issue in its current state; the same object for all listeners, as long as it is kept. */
  describe(): DescribedIssue {
    return this.#sources.descriptions.describe(this.#shown, this.#sources.lifecycles);
  }

  kind(): Promise<ChangeKind> {
    this.#kind ??= this.#findKind();
    return this.#kind;
  }

  /** Resumes behind this issue. */
  get cursor(): string {
    return encodeChangeCursor(this.#cursor);
  }

  async #findKind(): Promise<ChangeKind> {
    const { from, content, lifecycles } = this.#sources;
    if (this.#shown.firstReceivedAtMicros > from.eventsMicros) return 'new';
    const isRegressed = this.describe().summary.regressed;
    const isNews = isRegressed && !(await wasRegressed(this.#shown, from, content, lifecycles));
    return isNews ? 'regressed' : 'changed';
  }
}

/** Issues changed by actions after an instant, by their current ids, with the time of the last such action. */
function actedIssues(actions: IssueActions, afterMicros: number): ReadonlyMap<IssueId, number> {
  const changed = new Map<IssueId, number>();
  for (const action of actionsAfter(actions.log, afterMicros)) {
    for (const issueId of touchedBy(action, actions)) changed.set(issueId, action.atMicros);
  }
  return changed;
}

/** Oldest first. */
function actionsAfter(log: readonly IssueAction[], afterMicros: number): readonly IssueAction[] {
  const last = log.findLastIndex(({ atMicros }) => atMicros <= afterMicros);
  return log.slice(last + 1);
}

/** The issues of the action, and for an `undo` those of the undone action, recursively. */
function touchedBy(action: IssueAction, actions: IssueActions): readonly IssueId[] {
  const touched: IssueId[] = [];
  const seen = new Set<string>();
  let current: IssueAction | undefined = action;
  while (current !== undefined && !seen.has(current.id)) {
    seen.add(current.id);
    touched.push(...actions.issuesOf(current));
    const undoneId: string | undefined = current.action === 'undo' ? textIn(current, 'undoes') : undefined;
    current = undoneId === undefined ? undefined : actions.log.find(({ id }) => id === undoneId);
  }
  return touched;
}

/** Ordinals of issues with events received after an instant. */
async function arrivedIssues(content: IndexContent, afterMicros: number): Promise<ReadonlySet<number>> {
  if (content.lastReceivedAtMicros <= afterMicros) return new Set();
  const { segments } = content;
  const first = Math.max(segments.numberAt(afterMicros), segments.sealed.firstSegment);
  const isNear = segments.open.number - first < MAX_SEGMENTS;
  return (isNear ? await fromSegments(content, first, afterMicros) : undefined) ?? (await fromAll(content, first));
}

/** Undefined if a segment cannot be read, which readers of events report. */
async function fromSegments(
  { segments }: IndexContent,
  first: number,
  afterMicros: number,
): Promise<Set<number> | undefined> {
  const ordinals = new Set<number>();
  const slice = beginTimeSlice();
  for (let number = first; number <= segments.open.number; number += 1) {
    const segment = await unlessUnusable(() => segments.get(number), undefined);
    if (segment === undefined) return undefined;
    for (const { ordinal } of segment.rowsAfter(afterMicros)) ordinals.add(ordinal);
    if (slice.isOver) await slice.next();
  }
  return ordinals;
}

/** Issues with an event in a segment or a later one. */
async function fromAll({ issues }: IndexContent, firstSegment: number): Promise<Set<number>> {
  const ordinals = new Set<number>();
  await inTimeSlices(issues.inOrder.length, (ordinal) => {
    const lastSegment = issues.inOrder[ordinal]?.lastSegment;
    if (lastSegment !== undefined && lastSegment >= firstSegment) ordinals.add(ordinal);
  });
  return ordinals;
}

/** Above this number of events, a regression is reported again rather than missed. */
const MAX_EVENTS = 10_000;
const EVENTS_PER_CLOCK_CHECK = 256;

/** Whether a now regressed issue was regressed at an earlier position; false if unknown. */
async function wasRegressed(
  shown: IssueState,
  cursor: ChangeCursor,
  content: IndexContent,
  lifecycles: IssueLifecycles,
): Promise<boolean> {
  const earlier = lifecycles
    .actionsOf(shown)
    .filter(({ id, atMicros }) => atMicros <= cursor.actionsMicros && !lifecycles.actions.isUndone(id));
  if (!earlier.some(({ action }) => action === 'resolve')) return false;
  const upToThen = (receipts: readonly number[]) => receipts.map((at) => (at <= cursor.eventsMicros ? at : 0));
  const { lastReceivedAtMicros, later } = await receiptsBy(cursor.eventsMicros, shown, lifecycles, content);
  const receipts = {
    lastReceivedAtMicros,
    releases: shown.releases,
    releasesReceivedAtMicros: upToThen(shown.releasesReceivedAtMicros),
    releasesFirstReceivedAtMicros: upToThen(shown.releasesFirstReceivedAtMicros),
  };
  return lifecycles.fold(earlier, shown, receipts, later).regressed;
}

/** Receipt of an issue's newest event up to an instant, 0 if none is found, and the number of events after it. */
async function receiptsBy(micros: number, shown: IssueState, lifecycles: IssueLifecycles, content: IndexContent) {
  const slice = beginTimeSlice();
  let seen = 0;
  let later = 0;
  try {
    for await (const row of eventsOfGroup(content, lifecycles.membersOf(shown))) {
      seen += 1;
      const { receivedAtMicros, weight } = row;
      if (receivedAtMicros <= micros && isTelling(weight, shown))
        return { lastReceivedAtMicros: receivedAtMicros, later };
      later += weight;
      if (seen >= MAX_EVENTS) break;
      if (seen % EVENTS_PER_CLOCK_CHECK === 0 && slice.isOver) await slice.next();
    }
  } catch (error) {
    if (!isIndexUnusable(error)) throw error;
  }
  return { lastReceivedAtMicros: 0, later: Number.POSITIVE_INFINITY };
}
