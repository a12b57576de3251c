import { EventEmitter, once } from 'node:events';
import type { ChangeOptions, ChangePosition, FailureChanges, IssueChange } from '../../contract/reader.js';
import { issueMatcher } from '../../query/match-query.js';
import { parseQuery } from '../../query/parse-query.js';
import { matchesEverything } from '../../query/query-ast.js';
import type { IssueActions } from '../actions/action-history.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { LifecyclesOf } from '../issue-queries/issue-lifecycles.js';
import { type ChangeCursor, decodeChangeCursor, encodeChangeCursor, isSameCursor } from './change-cursor.js';
import { type ChangeStep, changesBetween } from './change-step.js';

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

/** Polls once for all listeners, so that storing does not depend on them; nothing is queued. */
export class IssueChanges implements FailureChanges {
  readonly #options: IssueChangesOptions;
  /** Emits `poll` after each poll, and when it is closed. */
  readonly #polls = new EventEmitter().setMaxListeners(0);
  #listeners = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The last step; most listeners are at the same position. */
  #found: { readonly from: ChangeCursor; readonly step: Promise<ChangeStep> } | undefined;
  #isClosed = false;

  constructor(options: IssueChangesOptions) {
    this.#options = options;
  }

  async *changes({ query = '', after, signal }: ChangeOptions = {}): AsyncGenerator<IssueChange | ChangePosition> {
    const parsed = parseQuery(query, 'issues');
    await this.#options.refresh?.();
    let cursor = after === undefined ? this.#cursor : decodeChangeCursor(after);
    this.#addListener();
    try {
      for (let isFirst = true; !this.#isClosed && signal?.aborted !== true; isFirst = false) {
        if (!this.#canResumeFrom(cursor)) {
          cursor = this.#cursor;
          yield { kind: 'reset', cursor: encodeChangeCursor(cursor) };
        }
        const { issues, to } = await this.#stepFrom(cursor);
        const matches = matchesEverything(parsed) ? () => true : issueMatcher(parsed, this.#options.nowMs());
        for (const one of issues) {
          if (!matches(one.searchable())) continue;
          yield { kind: await one.kind(), issue: one.issue(), cursor: encodeChangeCursor(one.cursor) };
        }
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

  #stepFrom(from: ChangeCursor): Promise<ChangeStep> {
    if (this.#found !== undefined && isSameCursor(this.#found.from, from)) return this.#found.step;
    const { index, lifecycles } = this.#options;
    const step = changesBetween(from, this.#cursor, index.content, lifecycles(index.content));
    this.#found = { from, step };
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
    this.#found = undefined;
  }

  async #poll(): Promise<void> {
    // The next read of the caller reports it.
    await this.#options.refresh?.().catch(() => undefined);
    this.#found = undefined;
    this.#polls.emit('poll');
  }

  /** Resolves at the next poll that finds a change after `cursor`, or when the stream ends. */
  async #waitForChange(cursor: ChangeCursor, signal: AbortSignal | undefined): Promise<void> {
    do {
      if (this.#isClosed || signal?.aborted === true) return;
      await once(this.#polls, 'poll', signal && { signal }).catch(() => undefined);
    } while (isSameCursor(cursor, this.#cursor));
  }
}
