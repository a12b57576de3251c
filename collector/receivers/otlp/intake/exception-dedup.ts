import { crc32 } from '@node-rs/crc32';
import { LRUCache } from 'lru-cache';
import type { Fault } from '../../../../core/event/fault.js';
import type { JsonValue } from '../../../../core/event/json.js';
import { hasException } from '../../../otlp/severity.js';
import { failureAttributes, type OtlpFailure, timeOf, traceOf } from '../decode/otlp-failure.js';

/** The first report of an occurrence. The caller that claims it stores it, then calls `settle` or `refuse`. */
export class NewOccurrence {
  readonly kind = 'new';
  #isSettled = false;
  /** Created for the first repetition that waits. */
  #waiting:
    | { readonly promise: Promise<void>; readonly resolve: () => void; readonly reject: (fault: Fault) => void }
    | undefined;
  readonly #onEnd: ((isRefused: boolean) => void) | undefined;

  constructor(onEnd?: (isRefused: boolean) => void) {
    this.#onEnd = onEnd;
  }

  /** It is stored, or rejected for good. */
  settle(): void {
    this.#isSettled = true;
    this.#onEnd?.(false);
    this.#waiting?.resolve();
  }

  /** It was refused; the next report is stored instead. */
  refuse(fault: Fault): void {
    this.#onEnd?.(true);
    this.#waiting?.reject(fault);
  }

  /** Returns the claim of a later report. */
  repeat(): RepeatedOccurrence {
    if (this.#isSettled) return SETTLED;
    this.#waiting ??= withResolvers();
    return { kind: 'repeated', settled: this.#waiting.promise };
  }
}

/** An occurrence that was reported before. */
interface RepeatedOccurrence {
  readonly kind: 'repeated';
  /** Resolves when the first report is settled; rejects with its refusal. */
  readonly settled: Promise<void>;
}

/** Whether a failure is the first report of an occurrence. */
export type Claim = NewOccurrence | RepeatedOccurrence;

/** The claim of a stored occurrence. */
export const SETTLED: RepeatedOccurrence = { kind: 'repeated', settled: Promise.resolve() };

/** `Promise.withResolvers` needs Node 22. */
function withResolvers() {
  let resolve: () => void = () => undefined;
  let reject: (fault: Fault) => void = () => undefined;
  const promise = new Promise<void>((onSettled, onRefused) => {
    resolve = onSettled;
    reject = onRefused;
  });
  // The waiting request may end before it awaits this.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

interface ExceptionDedupOptions {
  /** How long an occurrence is remembered; `Infinity`: until newer ones evict it. */
  readonly windowMs: number;
  /** Monotonic milliseconds, default `performance.now`. */
  readonly nowMs?: () => number;
}

interface Entry {
  /** Signal and span of the first report. */
  readonly origin: string;
  /** Occurrences of that origin, oldest first; each has its own time. */
  readonly occurrences: { readonly time: bigint; readonly occurrence: NewOccurrence }[];
}

const MAX_EXCEPTIONS = 10_000;
const MAX_TIMES = 100;
const ALWAYS_NEW = new NewOccurrence();

/**
 * Recently reported exceptions. An exception may be recorded on every span that it passes, and again as a log record (`logs/dup`). The same
 * exception of a trace is a new occurrence only if the same span and signal report it with another time. Bounded in time and number.
 */
export class ExceptionDedup {
  readonly #entries: LRUCache<string, Entry>;

  constructor({ windowMs, nowMs = () => performance.now() }: ExceptionDedupOptions) {
    this.#entries = new LRUCache({
      // `max` would allocate everything at once, and without a window each request has its own instance.
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
    if (known === undefined) {
      const entry: Entry = { origin, occurrences: [] };
      this.#entries.set(key, entry);
      return this.#add(key, entry, time);
    }
    const { occurrences } = known;
    const repeated = known.origin === origin ? occurrences.find((one) => one.time === time) : occurrences[0];
    return repeated?.occurrence.repeat() ?? this.#add(key, known, time);
  }

  #add(key: string, entry: Entry, time: bigint): NewOccurrence {
    const { occurrences } = entry;
    const occurrence = new NewOccurrence((isRefused) => {
      if (!isRefused) return;
      const index = occurrences.findIndex((one) => one.occurrence === occurrence);
      if (index >= 0) occurrences.splice(index, 1);
      if (occurrences.length === 0 && this.#entries.peek(key) === entry) this.#entries.delete(key);
    });
    occurrences.push({ time, occurrence });
    if (occurrences.length > MAX_TIMES) occurrences.shift();
    return occurrence;
  }
}

/** Key of an exception in its trace; undefined without a trace, because equal exceptions are then separate occurrences. */
function keyOf(failure: OtlpFailure): string | undefined {
  const { traceId } = traceOf(failure);
  const attributes = failureAttributes(failure);
  if (traceId === '' || !hasException(attributes)) return undefined;
  const parts = ['exception.type', 'exception.message', 'exception.stacktrace'].map((key) => attributes.get(key) ?? '');
  if (parts.every((part) => part === '')) return undefined;
  return traceId + parts.map(digestOf).join('');
}

/** A short digest is enough to distinguish exceptions of one trace. */
function digestOf(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return ` ${text.length}:${crc32(text)}`;
}
