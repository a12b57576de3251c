import { causeOf, type IssueAction } from '../../issues/issue-action.js';
import { countedIssues } from '../../issues/lifecycle.js';
import { printSpan, snoozeOf } from '../../issues/snooze.js';
import { beginTimeSlice } from '../../time-slice.js';
import type { IssueActions } from '../actions/action-history.js';
import { eventsOfGroup } from '../event-queries/event-cursor.js';
import { FailureStreak } from '../files/failure-streak.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { IssueState } from '../index/content/issue-state.js';
import type { EventRow } from '../index/segments/event-segment.js';
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
interface RateSnooze {
  readonly ignore: IssueAction;
  readonly count: number;
  readonly spanMicros: number;
  /** The rate was not reached up to this receipt. */
  checkedMicros: number;
  /** Events its issues need before the rate can be reached. */
  minEvents: number;
}

const EVENTS_PER_CLOCK_CHECK = 256;

/** Ends snoozes by rate: it appends a `reopen` that names the snooze as its cause, so that each ends once. */
export class RateSnoozes {
  readonly #options: RateSnoozesOptions;
  readonly #failures: FailureStreak;
  #snoozes: RateSnooze[] = [];
  /** Of the actions when `#snoozes` was computed. */
  #version = -1;
  #running: Promise<void> | undefined;
  #hasFailed = false;
  #isClosed = false;

  constructor(options: RateSnoozesOptions) {
    this.#options = options;
    this.#failures = new FailureStreak(options.onFault);
  }

  /** Call it after each commit, and once after opening; cheap without snoozes by rate. */
  check(): void {
    if (this.#isClosed || this.#running !== undefined) return;
    if (this.#options.actions.version !== this.#version) this.#findSnoozes();
    if (!this.#snoozes.some((snooze) => this.#mayBeReached(snooze))) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      // For commits during the run.
      if (!this.#hasFailed) this.check();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    this.#hasFailed = false;
    try {
      for (const snooze of this.#snoozes) {
        if (this.#isClosed) return;
        if (!this.#mayBeReached(snooze) || !(await this.#isReached(snooze))) continue;
        await this.#end(snooze);
        snooze.minEvents = Number.POSITIVE_INFINITY;
      }
      this.#failures.succeeded();
    } catch (error) {
      this.#hasFailed = true;
      if (!this.#isClosed) this.#failures.failed(error);
    }
  }

  #findSnoozes(): void {
    const { log, version } = this.#options.actions;
    this.#version = version;
    const before = new Map(this.#snoozes.map((snooze) => [snooze.ignore.id, snooze]));
    const ended = new Set(log.map(causeOf));
    this.#snoozes = log.flatMap((ignore) => {
      if (ignore.action !== 'ignore' || ended.has(ignore.id) || !this.#decides(ignore)) return [];
      return before.get(ignore.id) ?? rateSnoozeOf(ignore) ?? [];
    });
  }

  /** Whether an issue is currently ignored by this action. */
  #decides(ignore: IssueAction): boolean {
    const { lifecycles } = this.#options.acting;
    return this.#issuesOf(ignore).some(
      (issue) => lifecycles.lifecycleOf(lifecycles.shownAs(issue)).decidedBy?.id === ignore.id,
    );
  }

  /** The issues that now hold the events of the snoozed ones. */
  #issuesOf(ignore: IssueAction): IssueState[] {
    const { actions, index } = this.#options;
    const ids = countedIssues(ignore).flatMap((issueId) => actions.follow(issueId, ignore.atMicros));
    return [...new Set(ids)].flatMap((issueId) => index.content.issues.get(issueId) ?? []);
  }

  #mayBeReached({ ignore, minEvents }: RateSnooze): boolean {
    return eventsIn(this.#issuesOf(ignore)) >= minEvents;
  }

  /** Scans back from the newest event to the last check. */
  async #isReached(snooze: RateSnooze): Promise<boolean> {
    const { count, spanMicros, ignore } = snooze;
    const issues = this.#issuesOf(ignore);
    const events = eventsIn(issues);
    const floor = Math.max(ignore.atMicros, snooze.checkedMicros - spanMicros);
    const window = new EventWindow(count, spanMicros);
    const slice = beginTimeSlice();
    let scanned = 0;
    let withinSpan = 0;
    let newest = snooze.checkedMicros;
    for await (const { receivedAtMicros, weight } of eventsOfGroup(this.#options.index.content, issues)) {
      if (receivedAtMicros <= floor) break;
      newest = Math.max(newest, receivedAtMicros);
      if (newest - receivedAtMicros <= spanMicros) withinSpan += weight;
      if (weight > 0 && window.addOlder(receivedAtMicros, weight)) return true;
      scanned += 1;
      if (scanned % EVENTS_PER_CLOCK_CHECK === 0 && slice.isOver) await slice.next();
    }
    snooze.checkedMicros = newest;
    snooze.minEvents = events + Math.max(1, count - withinSpan);
    return false;
  }

  #end({ ignore, count, spanMicros }: RateSnooze): Promise<void> {
    const { acting, actions } = this.#options;
    return acting.actByRule(() => {
      if (!this.#decides(ignore) || actions.log.some((action) => causeOf(action) === ignore.id)) return undefined;
      const reason = `${count} events within ${printSpan(spanMicros / 1000)}`;
      return { action: 'reopen', issueId: ignore.issueId, actor: 'faultline', data: { cause: ignore.id, reason } };
    });
  }
}

/** Undefined for an action that snoozes otherwise. */
function rateSnoozeOf(ignore: IssueAction): RateSnooze | undefined {
  const { count, per_ms: perMs } = snoozeOf(ignore);
  if (count === undefined || perMs === undefined) return undefined;
  return { ignore, count, spanMicros: perMs * 1000, checkedMicros: ignore.atMicros, minEvents: 0 };
}

function eventsIn(issues: readonly IssueState[]): number {
  return issues.reduce((events, { count, removed }) => events + count + removed, 0);
}

/** The events of one span, while a scan goes back in time. An event counts for one or several. */
class EventWindow {
  readonly #count: number;
  readonly #spanMicros: number;
  /** Newest first. */
  readonly #rows: Pick<EventRow, 'receivedAtMicros' | 'weight'>[] = [];
  #events = 0;

  constructor(count: number, spanMicros: number) {
    this.#count = count;
    this.#spanMicros = spanMicros;
  }

  /** Adds an event that is older than all before; returns whether `count` events lie within the span that begins with it. */
  addOlder(receivedAtMicros: number, weight: number): boolean {
    for (;;) {
      const [newest] = this.#rows;
      if (newest === undefined || newest.receivedAtMicros - receivedAtMicros <= this.#spanMicros) break;
      this.#events -= newest.weight;
      this.#rows.shift();
    }
    this.#rows.push({ receivedAtMicros, weight });
    this.#events += weight;
    return this.#events >= this.#count;
  }
}
