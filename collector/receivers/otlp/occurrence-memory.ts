import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Fault } from '../../../core/event/fault.js';
import { hasException } from '../../otlp/severity.js';
import { attributesOf, type OtlpFailure, timeOf, traceOf } from './otlp-failure.js';

/** One that was not reported before: the caller that claimed it stores it, then says how that ended. */
export interface NewOccurrence {
  readonly kind: 'new';
  /** It is stored, or will never be and must not be tried again. */
  settle(): void;
  /** It was refused: the next report of it is tried again. */
  refuse(fault: Fault): void;
}

/** One that was reported before. */
interface RepeatedOccurrence {
  readonly kind: 'repeated';
  /** Resolves when the first report is settled; rejects with the fault with which it was refused. */
  readonly settled: Promise<void>;
}

/** Whether a failure is the first report of an occurrence. */
export type Claim = NewOccurrence | RepeatedOccurrence;

/** How a claim ended, for those that wait for it, and the two ways to end it: `Promise.withResolvers` of later versions of Node. */
export function withSettling(): { promise: Promise<void>; resolve: () => void; reject: (fault: Fault) => void } {
  let resolve: () => void = () => undefined;
  let reject: (fault: Fault) => void = () => undefined;
  const promise = new Promise<void>((onSettled, onRefused) => {
    resolve = onSettled;
    reject = onRefused;
  });
  return { promise, resolve, reject };
}

/** How long occurrences are remembered. */
export interface OccurrenceMemoryOptions {
  /** `Infinity`: until others push them out. */
  readonly windowMs: number;
  /** Monotonic milliseconds, default `performance.now`; handed in so that tests can let time pass. */
  readonly nowMs?: () => number;
}

interface Entry {
  /** Signal and span of the first report. */
  readonly origin: string;
  /** Of the reports from there, by their time: each is an occurrence of its own. */
  readonly settledByTime: Map<bigint, Promise<void>>;
}

const MAX_EXCEPTIONS = 10_000;
const MAX_TIMES = 100;
const ALWAYS_NEW: NewOccurrence = { kind: 'new', settle: () => undefined, refuse: () => undefined };

/**
 * The exceptions that were reported lately: an exception may be recorded on each span that it passes through, and once more as a log record
 * (`logs/dup`). The same exception of the same trace is another occurrence only where the same span and signal report it with another time.
 * Bounded in time and number; the oldest are forgotten first.
 */
export class OccurrenceMemory {
  readonly #entries: LRUCache<string, Entry>;

  constructor({ windowMs, nowMs = () => performance.now() }: OccurrenceMemoryOptions) {
    this.#entries = new LRUCache({
      // Not `max`, which would take all of its memory at once: without a window each request has such a memory.
      maxSize: MAX_EXCEPTIONS,
      sizeCalculation: () => 1,
      ttl: windowMs === Number.POSITIVE_INFINITY ? 0 : Math.ceil(windowMs),
      ttlResolution: 0,
      perf: { now: nowMs },
    });
  }

  claim(failure: OtlpFailure): Claim {
    const key = keyOf(failure);
    if (key === undefined) return ALWAYS_NEW;
    const origin = `${failure.signal} ${traceOf(failure).spanId}`;
    const time = timeOf(failure);
    const known = this.#entries.peek(key);
    if (known === undefined) return this.#begin(key, origin, time);
    const [first] = known.settledByTime.values();
    const settled = known.origin === origin ? known.settledByTime.get(time) : first;
    return settled === undefined ? this.#add(key, known, time) : { kind: 'repeated', settled };
  }

  #begin(key: string, origin: string, time: bigint): NewOccurrence {
    const entry: Entry = { origin, settledByTime: new Map() };
    this.#entries.set(key, entry);
    return this.#add(key, entry, time);
  }

  #add(key: string, entry: Entry, time: bigint): NewOccurrence {
    const { promise, resolve, reject } = withSettling();
    // Mostly nobody waits for it.
    promise.catch(() => undefined);
    entry.settledByTime.set(time, promise);
    const [oldest] = entry.settledByTime.keys();
    if (entry.settledByTime.size > MAX_TIMES && oldest !== undefined) entry.settledByTime.delete(oldest);
    return {
      kind: 'new',
      settle: resolve,
      refuse: (fault) => {
        entry.settledByTime.delete(time);
        if (entry.settledByTime.size === 0 && this.#entries.peek(key) === entry) this.#entries.delete(key);
        reject(fault);
      },
    };
  }
}

/** What names the failure: the exception and its trace. Undefined where nothing does: without a trace, two alike are two. */
function keyOf(failure: OtlpFailure): string | undefined {
  const { traceId } = traceOf(failure);
  const attributes = attributesOf(failure);
  if (traceId === '' || !hasException(attributes)) return undefined;
  const parts = ['exception.type', 'exception.message', 'exception.stacktrace'].map((key) => attributes.get(key) ?? '');
  return parts.every((part) => part === '') ? undefined : hash('sha256', JSON.stringify([traceId, ...parts]), 'base64');
}
