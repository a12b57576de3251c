import { Fault } from '../../../core/event/fault.js';
import type { Stats } from '../../../generated/reader-answers.js';
import { afterFailure, type Connection, type ReadingFailure } from '../connection.js';
import type { NamedSource, SourceReader, SourceState } from '../source.js';
import { isQuestionFault, isUnauthorized } from '../source-faults.js';
import { LateAnswers } from './late-answers.js';

/** How long sources are waited for. */
export interface SourceLinkOptions {
  /** Wall clock in milliseconds since the epoch; default `Date.now`. */
  readonly nowMs: () => number;
  /** Milliseconds that a reading waits for a source before it goes on without it; default 1,500. */
  readonly patienceMs: number;
}

/** What a source answered, or why it did not. */
export type SourceAnswer<T> = { readonly value: T } | { readonly fault: Fault };

/** A source that was lost is asked beside the others: what it answers after so long serves the next reading. */
const LOST_PATIENCE_MS = 150;

/**
 * One source: opened when it is first asked, and while it is lost asked again after 1, 2, 4, 8 and then every 10 seconds, and every 30 while it wants a token. `close` is safe twice, also while it opens.
 */
export class SourceLink {
  readonly name: string;
  readonly #source: NamedSource;
  readonly #options: SourceLinkOptions;
  readonly #calls = new LateAnswers();
  #connection: Connection = { kind: 'connecting' };
  #opened: Promise<SourceReader> | undefined;
  #stats: Pick<Stats, 'events' | 'issues'> | undefined;
  #canAct: boolean | undefined;
  #isClosed = false;

  constructor(source: NamedSource, options: SourceLinkOptions) {
    this.name = source.name;
    this.#source = source;
    this.#options = options;
  }

  get state(): SourceState {
    const lost = this.#connection.kind === 'lost' ? this.#connection : undefined;
    return {
      name: this.name,
      address: this.#source.address,
      kind: lost?.isUnauthorized === true ? 'unauthorized' : this.#connection.kind,
      reason: lost?.reason,
      sinceMs: lost?.sinceMs,
      events: this.#stats?.events,
      issues: this.#stats?.issues,
      canAct: this.#canAct,
    };
  }

  /** Asks with patience; `key` names the question. Throws what the source says of the question itself. */
  async ask<T>(key: string, call: (reader: SourceReader) => Promise<T>): Promise<SourceAnswer<T>> {
    const { nowMs, patienceMs } = this.#options;
    const before = this.#connection;
    if (before.kind === 'lost' && nowMs() < before.retryAtMs && !this.#calls.has(key)) return this.#lost(before.reason);
    const patience = before.kind === 'lost' ? Math.min(LOST_PATIENCE_MS, patienceMs) : patienceMs;
    try {
      const answer = await this.#calls.ask(key, patience, () => this.#watch(call));
      if (answer !== undefined) return answer;
      const reason = `no answer within ${patience} ms`;
      this.#fail({ reason, isUnauthorized: false });
      return this.#lost(reason);
    } catch (error) {
      if (isQuestionFault(error)) throw error;
      return this.#lost(wordsOf(error));
    }
  }

  /** Changes something, without patience and also while it is lost: a person waits for it. Throws what the call throws. */
  async change<T>(call: (reader: SourceReader) => Promise<T>): Promise<T> {
    try {
      return await this.#watch(call);
    } finally {
      // What was asked before must not be told as what is true afterwards.
      this.#calls.clear();
    }
  }

  /** Takes what it says of itself, for its line. */
  learn({ stats, canAct }: { stats?: Stats; canAct?: boolean }): void {
    if (stats !== undefined) this.#stats = stats;
    if (canAct !== undefined) this.#canAct = canAct;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#opened?.then(
      (reader) => reader.close(),
      () => undefined,
    );
  }

  /** A call whose outcome says how the source is doing, even when nobody waits for it any more. */
  async #watch<T>(call: (reader: SourceReader) => Promise<T>): Promise<T> {
    try {
      const value = await call(await this.#open());
      this.#connection = { kind: 'connected' };
      return value;
    } catch (error) {
      if (isQuestionFault(error)) this.#connection = { kind: 'connected' };
      else if (!this.#isClosed) {
        this.#fail({ reason: wordsOf(error), isUnauthorized: isUnauthorized(error) });
        if (this.#source.isReopened === true) this.#leave();
      }
      throw error;
    }
  }

  #open(): Promise<SourceReader> {
    if (this.#isClosed) throw new Fault('READER_CLOSED', 'The reader was closed; open another.');
    this.#opened ??= this.#source.open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  /** The next call opens it anew. */
  #leave(): void {
    const left = this.#opened;
    this.#opened = undefined;
    // It failed already; how it ends says nothing more.
    left?.then((reader) => reader.close()).catch(() => undefined);
  }

  #fail(failure: ReadingFailure): void {
    // Who it was when it was lost may not be who answers again.
    this.#canAct = undefined;
    this.#connection = afterFailure(this.#connection, failure, this.#options.nowMs());
  }

  #lost(reason: string): SourceAnswer<never> {
    const sentence = `${this.name} is left out: ${reason}`;
    if (this.state.kind === 'unauthorized') return { fault: new Fault('TOKEN_MISSING', sentence) };
    return { fault: new Fault('COLLECTOR_UNREACHABLE', sentence, { retryable: true }) };
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
