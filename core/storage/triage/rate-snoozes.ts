import { causeOf, type IssueAction } from '../../issues/issue-action.js';
import { snoozedIssues } from '../../issues/lifecycle.js';
import { printSpan, snoozeOf } from '../../issues/snooze.js';
import { beginTimeSlice } from '../../time-slice.js';
import type { IssueActions } from '../actions/action-history.js';
import type { NewAction } from '../actions/action-log.js';
import { eventsOfGroup } from '../event-queries/event-cursor.js';
import { WriteFailureStreak } from '../index/checkpoint/write-failures.js';
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

/** Ends snoozes by rate: appends a `reopen` that names the snooze as its cause, so that each ends once. */
export class RateSnoozes {
  readonly #options: RateSnoozesOptions;
  readonly #failures: WriteFailureStreak;
  #watches: Watch[] = [];
  /** Of the actions when `#watches` was computed. */
  #version = -1;
  #running: Promise<void> | undefined;
  #hasFailed = false;
  #isClosed = false;

  constructor(options: RateSnoozesOptions) {
    this.#options = options;
    this.#failures = new WriteFailureStreak(options.onFault);
  }

  /** Call it after each commit, and once after opening; cheap without snoozes by rate. */
  check(): void {
    if (this.#isClosed || this.#running !== undefined) return;
    if (this.#options.actions.version !== this.#version) this.#findWatches();
    if (!this.#watches.some((watch) => this.#mayBeReached(watch))) return;
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
      for (const watch of this.#watches) {
        if (this.#isClosed) return;
        if (!this.#mayBeReached(watch) || !(await this.#isReached(watch))) continue;
        await this.#endSnooze(watch);
        watch.minEvents = Number.POSITIVE_INFINITY;
      }
      this.#failures.succeeded();
    } catch (error) {
      this.#hasFailed = true;
      if (!this.#isClosed) this.#failures.failed(error);
    }
  }

  #findWatches(): void {
    const { actions } = this.#options;
    this.#version = actions.version;
    const known = new Map(this.#watches.map((watch) => [watch.ignore.id, watch]));
    const ended = new Set(actions.log.map(causeOf));
    this.#watches = actions.log.flatMap((ignore) => {
      if (ignore.action !== 'ignore' || ended.has(ignore.id) || !this.#decides(ignore)) return [];
      const { count, per_ms: perMs } = snoozeOf(ignore);
      if (count === undefined || perMs === undefined) return [];
      const { atMicros } = ignore;
      return known.get(ignore.id) ?? { ignore, count, spanMicros: perMs * 1000, checkedMicros: atMicros, minEvents: 0 };
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
    const { actions } = this.#options;
    const { content } = this.#options.index;
    const ids = snoozedIssues(ignore).flatMap((issueId) => actions.follow(issueId, ignore.atMicros));
    return [...new Set(ids)].flatMap((issueId) => content.issues.get(issueId) ?? []);
  }

  #mayBeReached({ ignore, minEvents }: Watch): boolean {
    return eventsIn(this.#issuesOf(ignore)) >= minEvents;
  }

  /** Scans back from the newest event to the last check. */
  async #isReached(watch: Watch): Promise<boolean> {
    const { count, spanMicros, ignore } = watch;
    const issues = this.#issuesOf(ignore);
    const events = eventsIn(issues);
    const floor = Math.max(ignore.atMicros, watch.checkedMicros - spanMicros);
    const window = new EventWindow(count, spanMicros);
    const slice = beginTimeSlice();
    let seen = 0;
    let withinSpan = 0;
    let newest = watch.checkedMicros;
    for await (const row of eventsOfGroup(this.#options.index.content, issues)) {
      const { receivedAtMicros } = row;
      if (receivedAtMicros <= floor) break;
      newest = Math.max(newest, receivedAtMicros);
      if (newest - receivedAtMicros <= spanMicros) withinSpan += row.weight;
      seen += 1;
      if (window.add(receivedAtMicros, row.weight)) return true;
      if (seen % EVENTS_PER_CLOCK_CHECK === 0 && slice.isOver) await slice.next();
    }
    watch.checkedMicros = newest;
    watch.minEvents = events + Math.max(1, count - withinSpan);
    return false;
  }

  #endSnooze({ ignore, count, spanMicros }: Watch): Promise<void> {
    const plan = (): NewAction | undefined => {
      if (!this.#decides(ignore) || this.#options.actions.log.some((action) => causeOf(action) === ignore.id))
        return undefined;
      const reason = `${count} events within ${printSpan(spanMicros / 1000)}`;
      return { action: 'reopen', issueId: ignore.issueId, actor: 'faultline', data: { cause: ignore.id, reason } };
    };
    return this.#options.acting.actByRule(plan);
  }
}

function eventsIn(issues: readonly IssueState[]): number {
  return issues.reduce((events, { count, removed }) => events + count + removed, 0);
}

/** Events of a span that moves back in time, up to `count`. An event may count for several. */
class EventWindow {
  readonly #count: number;
  readonly #spanMicros: number;
  /** Ring buffer; each event counts at least once, so `count` entries suffice. */
  readonly #receivedAt: Float64Array;
  readonly #weights: Float64Array;
  #first = 0;
  #length = 0;
  #events = 0;

  constructor(count: number, spanMicros: number) {
    this.#count = count;
    this.#spanMicros = spanMicros;
    this.#receivedAt = new Float64Array(count);
    this.#weights = new Float64Array(count);
  }

  /** Adds an event, newest first; returns whether `count` events lie within one span. */
  add(receivedAtMicros: number, weight: number): boolean {
    while (this.#length > 0 && (this.#receivedAt[this.#first] ?? 0) - receivedAtMicros > this.#spanMicros) this.#drop();
    this.#events += weight;
    if (this.#events >= this.#count) return true;
    const index = (this.#first + this.#length) % this.#count;
    this.#receivedAt[index] = receivedAtMicros;
    this.#weights[index] = weight;
    this.#length += 1;
    return false;
  }

  #drop(): void {
    this.#events -= this.#weights[this.#first] ?? 0;
    this.#first = (this.#first + 1) % this.#count;
    this.#length -= 1;
  }
}
