import { EventEmitter, once } from 'node:events';
import { LRUCache } from 'lru-cache';
import type { ChangeOptions, ChangePosition, FailureChanges, IssueChange } from '../../contract/reader.js';
import { issueMatcher } from '../../query/match-query.js';
import { parseQuery } from '../../query/parse-query.js';
import { matchesEverything, type QueryNode } from '../../query/query-ast.js';
import { beginTimeSlice } from '../../time-slice.js';
import type { IssueActions } from '../actions/action-history.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { LifecyclesOf } from '../issue-queries/issue-lifecycles.js';
import { type ChangeCursor, decodeChangeCursor, encodeChangeCursor, isSameCursor } from './change-cursor.js';
import { type ChangeStep, changesBetween } from './change-step.js';
import { DescribedIssues } from './described-issues.js';

interface IssueChangesOptions {
  /** Replaced by a regrouping. */
  readonly index: { readonly content: IndexContent };
  readonly actions: Pick<IssueActions, 'log'>;
  readonly lifecycles: LifecyclesOf;
  /** Id of the grouping plan; null without one. */
  readonly grouping: () => string | null;
  /** Milliseconds since the epoch. */
  readonly nowMs: () => number;
  /** Follows another process that writes; default: this one does. */
  readonly refresh?: () => Promise<unknown>;
}

/** Also the shortest interval between two changes of one issue. */
const POLL_INTERVAL_MS = 250;
/** Steps from different positions that listeners share: most are at the same one, others have just begun or read slowly. */
const MAX_SHARED_STEPS = 8;

/**
 * Polls once for all listeners, so that storing does not depend on them; nothing is queued. All listeners step to the position of the last
 * poll, so that they find, describe and match the same issues. The work for each of them pauses after a slice of time.
 */
export class IssueChanges implements FailureChanges {
  readonly #options: IssueChangesOptions;
  /** Emits `poll` after each poll, and when it is closed. */
  readonly #polls = new EventEmitter().setMaxListeners(0);
  #listeners = 0;
  /** Listeners that read a step. */
  #reading = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The position that steps lead to: of the last poll, or later. */
  #target: ChangeCursor;
  /** Steps to the target, by the position from which they start. */
  readonly #steps = new LRUCache<string, Promise<ChangeStep>>({ max: MAX_SHARED_STEPS });
  /** Made after the target was set, so that they are never older than it. */
  readonly #descriptions = new DescribedIssues();
  #isClosed = false;

  constructor(options: IssueChangesOptions) {
    this.#options = options;
    this.#target = this.#cursor;
  }

  async *changes({ query = '', after, signal }: ChangeOptions = {}): AsyncGenerator<IssueChange | ChangePosition> {
    const parsed = parseQuery(query, 'issues');
    await this.#options.refresh?.();
    this.#advance();
    let cursor = after === undefined ? this.#target : decodeChangeCursor(after);
    this.#addListener();
    try {
      for (let isFirst = true; !this.#isClosed && signal?.aborted !== true; isFirst = false) {
        if (!this.#canResumeFrom(cursor)) {
          this.#advance();
          cursor = this.#target;
          yield { kind: 'reset', cursor: encodeChangeCursor(cursor) };
        }
        const to = yield* this.#readStep(cursor, parsed);
        if (isFirst || !isSameCursor(cursor, to)) yield { kind: 'caught_up', cursor: encodeChangeCursor(to) };
        cursor = to;
        await this.#waitForChange(cursor, signal);
      }
    } finally {
      this.#removeListener();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#polls.emit('poll');
  }

  get #cursor(): ChangeCursor {
    const { index, actions, grouping } = this.#options;
    return {
      grouping: grouping(),
      eventsMicros: index.content.lastReceivedAtMicros,
      actionsMicros: actions.log.at(-1)?.atMicros ?? 0,
    };
  }

  /** False for a cursor of another grouping or record, or from before the last removal. */
  #canResumeFrom({ grouping, eventsMicros, actionsMicros }: ChangeCursor): boolean {
    const now = this.#cursor;
    const isKnown = grouping === now.grouping && eventsMicros <= now.eventsMicros && actionsMicros <= now.actionsMicros;
    return isKnown && eventsMicros >= this.#options.index.content.removed.beforeMicros - 1;
  }

  /** Lets steps lead to the current position. */
  #advance(): void {
    const now = this.#cursor;
    if (isSameCursor(this.#target, now)) return;
    this.#target = now;
    this.#forgetShared();
  }

  #forgetShared(): void {
    this.#steps.clear();
    this.#descriptions.clear();
  }

  /** Yields the matching issues of the step from a position; returns where it leads. */
  async *#readStep(from: ChangeCursor, query: QueryNode): AsyncGenerator<IssueChange, ChangeCursor> {
    this.#reading += 1;
    try {
      const { issues, to } = await this.#stepFrom(from);
      const matches = matchesEverything(query) ? () => true : issueMatcher(query, this.#options.nowMs());
      const slice = beginTimeSlice();
      for (const changed of issues) {
        if (slice.isOver) await slice.next();
        const { searchable, summary } = changed.describe();
        if (!matches(searchable)) continue;
        yield { kind: await changed.kind(), issue: summary, cursor: changed.cursor };
      }
      return to;
    } finally {
      this.#reading -= 1;
      // The clock and retention change issues, too, and do not move the target.
      if (this.#reading === 0) this.#forgetShared();
    }
  }

  #stepFrom(from: ChangeCursor): Promise<ChangeStep> {
    const key = encodeChangeCursor(from);
    const shared = this.#steps.get(key);
    if (shared !== undefined) return shared;
    const { content } = this.#options.index;
    const lifecycles = this.#options.lifecycles(content);
    const step = changesBetween(from, this.#target, { content, lifecycles, descriptions: this.#descriptions });
    this.#steps.set(key, step);
    // The next listener tries again.
    step.catch(() => this.#steps.delete(key));
    return step;
  }

  #addListener(): void {
    this.#listeners += 1;
    this.#timer ??= setInterval(() => void this.#poll(), POLL_INTERVAL_MS).unref();
  }

  #removeListener(): void {
    this.#listeners -= 1;
    if (this.#listeners > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #poll(): Promise<void> {
    // The next read of the caller reports it.
    await this.#options.refresh?.().catch(() => undefined);
    this.#advance();
    this.#polls.emit('poll');
  }

  /** Resolves at the next poll that finds a change after `cursor`, or when the stream ends. */
  async #waitForChange(cursor: ChangeCursor, signal: AbortSignal | undefined): Promise<void> {
    do {
      if (this.#isClosed || signal?.aborted === true) return;
      await once(this.#polls, 'poll', signal && { signal }).catch(() => undefined);
    } while (isSameCursor(cursor, this.#target));
  }
}
