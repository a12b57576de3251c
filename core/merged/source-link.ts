import type { Stats } from '../../generated/reader-answers.js';
import { Fault, messageOf } from '../event/fault.js';
import { hasCode } from '../storage/files/system-error.js';
import { afterFailure, type Connection, isRequestFault, isUnauthorized, type ReadFailure } from './connection.js';
import { PendingCalls } from './pending-calls.js';
import { type IssueLists, RememberedIssues } from './remembered-issues.js';
import type { NamedSource, SourceReader, SourceState } from './source.js';

/** Timing of source requests. */
export interface SourceLinkOptions {
  /** Wall clock in milliseconds since the epoch; default `Date.now`. */
  readonly nowMs: () => number;
  /** Milliseconds to wait for a source before it is left out; default 1,500. */
  readonly waitMs: number;
  /** Whether a lost source answers with the issues and statistics that were read before; default true. */
  readonly remembersLost: boolean;
}

/** The code of a source that is this collector itself, which must not count twice. */
export const SOURCE_IS_SELF = 'SOURCE_IS_SELF';

/** The result of a request, or the fault that prevented it; both: the result is what was known before. */
export type SourceResponse<T> = { readonly value: T; readonly fault?: Fault } | { readonly fault: Fault };

/** A lost source must not delay the others; a later response is used by the next request. */
const LOST_WAIT_MS = 150;
/** Issues of a source that are read for the time it is lost, apart from listed ones, and how often. */
const MAX_REMEMBERED = 500;
const REMEMBER_INTERVAL_MS = 15_000;

/** Connects to a source at the first request and retries with the delays of `afterFailure`. `close` is safe twice, and while it opens. */
export class SourceLink {
  readonly name: string;
  readonly #source: NamedSource;
  readonly #options: SourceLinkOptions;
  readonly #calls = new PendingCalls();
  #connection: Connection = { kind: 'connecting' };
  #opened: Promise<SourceReader> | undefined;
  #stats: Stats | undefined;
  readonly #memory: RememberedIssues;
  #rememberAtMs = 0;
  /** Set by `SourceGroup.choose`, and for a collector that turns out to be this one. */
  isLeftOut = false;
  /** How many answers lacked it. */
  timesLost = 0;
  #canAct: boolean | undefined;
  #isClosed = false;

  constructor(source: NamedSource, options: SourceLinkOptions) {
    this.name = source.name;
    this.#source = source;
    this.#options = options;
    this.#memory = new RememberedIssues(options.nowMs);
  }

  get state(): SourceState {
    const lost = this.#connection.kind === 'lost' ? this.#connection : undefined;
    return {
      name: this.name,
      address: this.#source.address,
      kind: lost?.isUnauthorized === true ? 'unauthorized' : this.#connection.kind,
      reason: lost?.reason,
      sinceMs: lost?.sinceMs,
      retryAtMs: lost?.retryAtMs,
      stats: this.#stats,
      canAct: this.#canAct,
      isLeftOut: this.isLeftOut,
    };
  }

  /** Sends a request, identified by `key`. Throws only faults that concern the request itself. */
  async query<T>(key: string, call: (reader: SourceReader) => Promise<T>): Promise<SourceResponse<T>> {
    const { nowMs, waitMs: patienceMs } = this.#options;
    const before = this.#connection;
    if (before.kind === 'lost' && nowMs() < before.retryAtMs && !this.#calls.has(key)) return this.#lost(before.reason);
    const timeoutMs = before.kind === 'lost' ? Math.min(LOST_WAIT_MS, patienceMs) : patienceMs;
    try {
      const result = await this.#calls.run(key, timeoutMs, () => this.#track(call));
      if (result !== undefined) return result;
      const reason = `no response within ${timeoutMs} ms`;
      this.#fail({ reason, isUnauthorized: false });
      return this.#lost(reason);
    } catch (error) {
      if (isRequestFault(error)) throw error;
      return this.#lost(messageOf(error));
    }
  }

  /** Like `query`; a lost source that is remembered answers from the issues that were read before, with its fault beside. */
  async queryIssues<T>(key: string, call: (lists: IssueLists) => Promise<T>): Promise<SourceResponse<T>> {
    if (!this.#options.remembersLost) return await this.query(key, call);
    const recording = (reader: SourceReader): IssueLists => ({
      listIssues: async (options) => {
        const page = await reader.listIssues(options);
        this.#memory.record(page.issues);
        return page;
      },
      countIssues: (options) => reader.countIssues(options),
    });
    const response = await this.query(key, (reader) => call(recording(reader)));
    return 'value' in response ? response : { ...response, value: await call(this.#memory) };
  }

  /** The statistics; of a lost source that is remembered the last ones. */
  async queryStats(): Promise<SourceResponse<Stats>> {
    const response = await this.query('stats', (reader) => reader.stats());
    if ('value' in response) {
      this.#stats = response.value;
      if (this.#options.remembersLost) void this.#remember();
    }
    if (!this.#options.remembersLost) return response;
    return 'value' in response || this.#stats === undefined ? response : { ...response, value: this.#stats };
  }

  /** Reads the issues that are listed should the source be lost. */
  async #remember(): Promise<void> {
    if (this.#options.nowMs() < this.#rememberAtMs) return;
    this.#rememberAtMs = this.#options.nowMs() + REMEMBER_INTERVAL_MS;
    const response = await this.query('remember', (reader) => reader.listIssues({ limit: MAX_REMEMBERED }));
    if ('value' in response) this.#memory.replace(response.value);
  }

  /** Sends a change, without a timeout and also while the source is lost. Throws what the call throws. */
  async change<T>(call: (reader: SourceReader) => Promise<T>): Promise<T> {
    try {
      return await this.#track(call);
    } finally {
      // Results of earlier requests are stale now.
      this.#calls.clear();
    }
  }

  /** Updates the shown state. */
  recordAccess(canAct: boolean): void {
    this.#canAct = canAct;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#opened?.then(
      (reader) => reader.close(),
      () => undefined,
    );
  }

  async #track<T>(call: (reader: SourceReader) => Promise<T>): Promise<T> {
    try {
      const value = await call(await this.#open());
      this.#connection = { kind: 'connected' };
      return value;
    } catch (error) {
      if (isRequestFault(error)) this.#connection = { kind: 'connected' };
      else if (!this.#isClosed) {
        this.#fail({ reason: messageOf(error), isUnauthorized: isUnauthorized(error) });
        if (this.#source.isReopened === true) this.#discard();
        if (hasCode(error, SOURCE_IS_SELF)) this.isLeftOut = true;
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

  #discard(): void {
    const failed = this.#opened;
    this.#opened = undefined;
    failed?.then((reader) => reader.close()).catch(() => undefined);
  }

  #fail(failure: ReadFailure): void {
    // The collector that responds again may be another one.
    this.#canAct = undefined;
    this.#connection = afterFailure(this.#connection, failure, this.#options.nowMs());
  }

  #lost(reason: string): SourceResponse<never> {
    if (!this.isLeftOut) this.timesLost += 1;
    const sentence = `${this.name} is left out: ${reason}`;
    if (this.state.kind === 'unauthorized') return { fault: new Fault('TOKEN_MISSING', sentence) };
    return { fault: new Fault('COLLECTOR_UNREACHABLE', sentence, { retryable: true }) };
  }
}
