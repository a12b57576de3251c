import type { ChangeOptions, ChangePosition, FailureChanges, IssueChange } from '../../contract/reader.js';
import { issueMatcher, type Matcher } from '../../query/match-query.js';
import { parseQuery } from '../../query/parse-query.js';
import { matchesEverything, type QueryNode } from '../../query/query-ast.js';
import type { SearchableIssue } from '../../query/searchable.js';
import type { IssueActions } from '../actions/action-history.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { IssueLifecycles } from '../issue-queries/issue-lifecycles.js';
import { type ChangePlace, decodeChangePlace, encodeChangePlace, isSamePlace } from './change-cursor.js';
import { type ChangeStep, changesBetween } from './change-step.js';

/** What changes are found in; all of it stays open. */
export interface IssueChangesOptions {
  /** What is shown now; another one after a regrouping. */
  readonly index: { readonly content: IndexContent };
  readonly actions: Pick<IssueActions, 'log'>;
  /** As they are now. */
  readonly lives: () => IssueLifecycles;
  /** Names what grouped the index; null where nothing was ever said about it. */
  readonly grouping: () => string | null;
  /** Wall clock in milliseconds since the epoch. */
  readonly nowMs: () => number;
}

interface Listener {
  readonly place: ChangePlace;
  readonly wake: () => void;
}

/** How often a look is taken while anybody listens: an issue of any rate of events is told as often at most. */
const LOOK_INTERVAL_MS = 250;

/**
 * Polls the index and the actions, so that storing events does not depend on listeners: one poll for all of them, none without any.
 * Listeners pull; nothing is queued for them.
 */
export class IssueChanges implements FailureChanges {
  readonly #options: IssueChangesOptions;
  readonly #waiting = new Set<Listener>();
  #listeners = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The last step that was found: most listeners stand at the same place. */
  #found: { readonly from: ChangePlace; readonly step: Promise<ChangeStep> } | undefined;
  #isClosed = false;

  constructor(options: IssueChangesOptions) {
    this.#options = options;
  }

  async *changes({ query = '', after, signal }: ChangeOptions = {}): AsyncGenerator<IssueChange | ChangePosition> {
    const parsed = parseQuery(query, 'issues');
    let place = after === undefined ? this.#place : decodeChangePlace(after);
    this.#begin();
    try {
      for (let isFirst = true; !this.#isClosed && signal?.aborted !== true; isFirst = false) {
        if (!this.#goesOnFrom(place)) {
          place = this.#place;
          yield { kind: 'reset', cursor: encodeChangePlace(place) };
        }
        const { told, to } = await this.#stepFrom(place);
        const matches = this.#matcher(parsed);
        for (const one of told) {
          if (!matches(one.searchable)) continue;
          yield { kind: await one.kind(), issue: one.issue, cursor: encodeChangePlace(one.place) };
        }
        if (isFirst || !isSamePlace(place, to)) yield { kind: 'caught_up', cursor: encodeChangePlace(to) };
        place = to;
        await this.#nextLook(place, signal);
      }
    } finally {
      this.#end();
    }
  }

  /** Ends all listening. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const { wake } of this.#waiting) wake();
  }

  /** Where the store stands now. */
  get #place(): ChangePlace {
    const { index, actions, grouping } = this.#options;
    return {
      grouping: grouping(),
      eventsMicros: index.content.lastReceivedAtMicros,
      actionsMicros: actions.log.at(-1)?.atMicros ?? 0,
    };
  }

  /** Not from one of another grouping, from one of another record, nor from before what retention left. */
  #goesOnFrom({ grouping, eventsMicros, actionsMicros }: ChangePlace): boolean {
    const now = this.#place;
    const isKnown = grouping === now.grouping && eventsMicros <= now.eventsMicros && actionsMicros <= now.actionsMicros;
    return isKnown && eventsMicros >= this.#options.index.content.removed.beforeMicros - 1;
  }

  #matcher(query: QueryNode): Matcher<SearchableIssue> {
    return matchesEverything(query) ? () => true : issueMatcher(query, this.#options.nowMs());
  }

  #stepFrom(from: ChangePlace): Promise<ChangeStep> {
    if (this.#found !== undefined && isSamePlace(this.#found.from, from)) return this.#found.step;
    const { index, lives } = this.#options;
    const step = changesBetween(from, this.#place, index.content, lives());
    this.#found = { from, step };
    return step;
  }

  #begin(): void {
    this.#listeners += 1;
    this.#timer ??= setInterval(() => this.#look(), LOOK_INTERVAL_MS).unref();
  }

  #end(): void {
    this.#listeners -= 1;
    if (this.#listeners > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#found = undefined;
  }

  #look(): void {
    const now = this.#place;
    this.#found = undefined;
    for (const { place, wake } of this.#waiting) if (!isSamePlace(place, now)) wake();
  }

  /** Until something changed after a place, or nobody shall wait any more. */
  #nextLook(place: ChangePlace, signal: AbortSignal | undefined): Promise<void> {
    if (this.#isClosed || signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(listener);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const listener = { place, wake };
      this.#waiting.add(listener);
      signal?.addEventListener('abort', wake);
    });
  }
}
