import { causeOf, type IssueAction } from '../../issues/issue-action.js';
import { countedIssues } from '../../issues/lifecycle.js';
import { printSpan, snoozeOf } from '../../issues/snooze.js';
import { beginTimeSlice } from '../../time-slice.js';
import type { IssueActions } from '../actions/action-history.js';
import type { NewAction } from '../actions/action-log.js';
import { eventsOfGroup } from '../event-queries/event-cursor.js';
import { FailureStreak } from '../files/failure-streak.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { IssueState } from '../index/content/issue-state.js';
import type { IssueActing } from './apply-action.js';

interface RateSnoozesOptions {
  /** Replaced by a regrouping. */
  readonly index: { readonly content: IndexContent };
  readonly actions: IssueActions;
  readonly acting: IssueActing;
  /** Called with the first failure of a series; it is retried at the next commit. */
  readonly onFault: (fault: Error) => void;
}

/** A snooze that ends when `count` events are received within a span. */
interface Watch {
  readonly ignore: IssueAction;
  readonly count: number;
  readonly spanMicros: number;
  /** The rate was not reached up to this receipt. */
  checkedMicros: number;
  /** Events its issues need before the rate can be reached. */
  minEvents: number;
}

const EVENTS_PER_CLOCK_CHECK = 256;

/** Creates functions that end snoozes by rate: they append a `reopen` that names the snooze as its cause, so that each ends once. */
export function createRateSnoozes({ index, actions, acting, onFault }: RateSnoozesOptions) {
  const failures = new FailureStreak(onFault);
  let watches: Watch[] = [];
  /** Of the actions when `watches` was computed. */
  let version = -1;
  let running: Promise<void> | undefined;
  let hasFailed = false;
  let isClosed = false;

  /** Call it after each commit, and once after opening; cheap without snoozes by rate. */
  function check(): void {
    if (isClosed || running !== undefined) return;
    if (actions.version !== version) findWatches();
    if (!watches.some((watch) => mayBeReached(watch))) return;
    running = run().finally(() => {
      running = undefined;
      // For commits during the run.
      if (!hasFailed) check();
    });
  }

  async function close(): Promise<void> {
    isClosed = true;
    await running;
  }

  async function run(): Promise<void> {
    hasFailed = false;
    try {
      for (const watch of watches) {
        if (isClosed) return;
        if (!mayBeReached(watch) || !(await isReached(watch))) continue;
        await endSnooze(watch);
        watch.minEvents = Number.POSITIVE_INFINITY;
      }
      failures.succeeded();
    } catch (error) {
      hasFailed = true;
      if (!isClosed) failures.failed(error);
    }
  }

  function findWatches(): void {
    version = actions.version;
    const known = new Map(watches.map((watch) => [watch.ignore.id, watch]));
    const ended = new Set(actions.log.map(causeOf));
    watches = actions.log.flatMap((ignore) => {
      if (ignore.action !== 'ignore' || ended.has(ignore.id) || !decides(ignore)) return [];
      const { count, per_ms: perMs } = snoozeOf(ignore);
      if (count === undefined || perMs === undefined) return [];
      const { atMicros } = ignore;
      return known.get(ignore.id) ?? { ignore, count, spanMicros: perMs * 1000, checkedMicros: atMicros, minEvents: 0 };
    });
  }

  /** Whether an issue is currently ignored by this action. */
  function decides(ignore: IssueAction): boolean {
    const { lifecycles } = acting;
    return issuesOf(ignore).some(
      (issue) => lifecycles.lifecycleOf(lifecycles.shownAs(issue)).decidedBy?.id === ignore.id,
    );
  }

  /** The issues that now hold the events of the snoozed ones. */
  function issuesOf(ignore: IssueAction): IssueState[] {
    const ids = countedIssues(ignore).flatMap((issueId) => actions.follow(issueId, ignore.atMicros));
    return [...new Set(ids)].flatMap((issueId) => index.content.issues.get(issueId) ?? []);
  }

  function mayBeReached({ ignore, minEvents }: Watch): boolean {
    return eventsIn(issuesOf(ignore)) >= minEvents;
  }

  /** Scans back from the newest event to the last check. */
  async function isReached(watch: Watch): Promise<boolean> {
    const { count, spanMicros, ignore } = watch;
    const issues = issuesOf(ignore);
    const events = eventsIn(issues);
    const floor = Math.max(ignore.atMicros, watch.checkedMicros - spanMicros);
    const completes = createEventWindow(count, spanMicros);
    const slice = beginTimeSlice();
    let seen = 0;
    let withinSpan = 0;
    let newest = watch.checkedMicros;
    for await (const row of eventsOfGroup(index.content, issues)) {
      const { receivedAtMicros } = row;
      if (receivedAtMicros <= floor) break;
      newest = Math.max(newest, receivedAtMicros);
      if (newest - receivedAtMicros <= spanMicros) withinSpan += row.weight;
      seen += 1;
      if (row.weight > 0 && completes(receivedAtMicros, row.weight)) return true;
      if (seen % EVENTS_PER_CLOCK_CHECK === 0 && slice.isOver) await slice.next();
    }
    watch.checkedMicros = newest;
    watch.minEvents = events + Math.max(1, count - withinSpan);
    return false;
  }

  function endSnooze({ ignore, count, spanMicros }: Watch): Promise<void> {
    const plan = (): NewAction | undefined => {
      if (!decides(ignore) || actions.log.some((action) => causeOf(action) === ignore.id)) return undefined;
      const reason = `${count} events within ${printSpan(spanMicros / 1000)}`;
      return { action: 'reopen', issueId: ignore.issueId, actor: 'faultline', data: { cause: ignore.id, reason } };
    };
    return acting.actByRule(plan);
  }

  return { check, close };
}

function eventsIn(issues: readonly IssueState[]): number {
  return issues.reduce((events, { count, removed }) => events + count + removed, 0);
}

/**
 * Returns a function that adds an event, newest first, and returns whether `count` events lie within one span. An event counts for one or
 * several.
 */
function createEventWindow(count: number, spanMicros: number) {
  /** Ring buffer; each event counts at least once, so `count` entries suffice. */
  const receivedAt = new Float64Array(count);
  const weights = new Float64Array(count);
  let first = 0;
  let length = 0;
  let events = 0;

  return (receivedAtMicros: number, weight: number): boolean => {
    while (length > 0 && (receivedAt[first] ?? 0) - receivedAtMicros > spanMicros) {
      events -= weights[first] ?? 0;
      first = (first + 1) % count;
      length -= 1;
    }
    events += weight;
    if (events >= count) return true;
    const index = (first + length) % count;
    receivedAt[index] = receivedAtMicros;
    weights[index] = weight;
    length += 1;
    return false;
  };
}
