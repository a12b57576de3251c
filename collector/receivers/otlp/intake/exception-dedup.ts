import { crc32 } from '@node-rs/crc32';
import { LRUCache } from 'lru-cache';
import type { Fault } from '../../../../core/event/fault.js';
import type { JsonValue } from '../../../../core/event/json.js';
import { hasException } from '../../../otlp/severity.js';
import { failureAttributes, type OtlpFailure, timeOf, traceOf } from '../decode/otlp-failure.js';

/** The first report of an occurrence: the caller that claimed it stores it, then says how that ended. */
export class NewOccurrence {
  readonly kind = 'new';
  #isSettled = false;
  /** Made for the first repetition that waits: mostly there is none. */
  #waiting:
    | { readonly promise: Promise<void>; readonly resolve: () => void; readonly reject: (fault: Fault) => void }
    | undefined;
  readonly #onEnd: ((isRefused: boolean) => void) | undefined;

  constructor(onEnd?: (isRefused: boolean) => void) {
    this.#onEnd = onEnd;
  }

  /** It is stored, or will never be and must not be tried again. */
  settle(): void {
    this.#isSettled = true;
    this.#onEnd?.(false);
    this.#waiting?.resolve();
  }

  /** It was refused: the next report of it is tried again. */
  refuse(fault: Fault): void {
    this.#onEnd?.(true);
    this.#waiting?.reject(fault);
  }

  /** The claim of a later report of the same. */
  repeat(): RepeatedOccurrence {
    if (this.#isSettled) return SETTLED;
    this.#waiting ??= withResolvers();
    return { kind: 'repeated', settled: this.#waiting.promise };
  }
}

/** One that was reported before. */
interface RepeatedOccurrence {
  readonly kind: 'repeated';
  /** Resolves when the first report is settled; rejects with the fault with which it was refused. */
  readonly settled: Promise<void>;
}

/** Whether a failure is the first report of an occurrence. */
export type Claim = NewOccurrence | RepeatedOccurrence;

/** The claim of what is stored already. */
export const SETTLED: RepeatedOccurrence = { kind: 'repeated', settled: Promise.resolve() };

/** `Promise.withResolvers` of later versions of Node. */
function withResolvers() {
  let resolve: () => void = () => undefined;
  let reject: (fault: Fault) => void = () => undefined;
  const promise = new Promise<void>((onSettled, onRefused) => {
    resolve = onSettled;
    reject = onRefused;
  });
  // The request that waits may end before it looks.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

/** How long occurrences are remembered. */
export interface ExceptionDedupOptions {
  /** `Infinity`: until others push them out. */
  readonly windowMs: number;
  /** Monotonic milliseconds, default `performance.now`; handed in so that tests can let time pass. */
  readonly nowMs?: () => number;
}

interface Entry {
  /** Signal and span of the first report. */
  readonly origin: string;
  /** Those from there, oldest first: each time is an occurrence of its own. */
  readonly occurrences: { readonly time: bigint; readonly occurrence: NewOccurrence }[];
}

const MAX_EXCEPTIONS = 10_000;
const MAX_TIMES = 100;
const ALWAYS_NEW = new NewOccurrence();

/**
 * The exceptions that were reported lately: an exception may be recorded on each span that it passes through, and once more as a log record
 * (`logs/dup`). The same exception of the same trace is another occurrence only where the same span and signal report it with another time.
 * Bounded in time and number; the oldest are forgotten first.
 */
export class ExceptionDedup {
  readonly #entries: LRUCache<string, Entry>;

  constructor({ windowMs, nowMs = () => performance.now() }: ExceptionDedupOptions) {
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
      const place = occurrences.findIndex((one) => one.occurrence === occurrence);
      if (place >= 0) occurrences.splice(place, 1);
      if (occurrences.length === 0 && this.#entries.peek(key) === entry) this.#entries.delete(key);
    });
    occurrences.push({ time, occurrence });
    if (occurrences.length > MAX_TIMES) occurrences.shift();
    return occurrence;
  }
}

/** What names the failure: the exception and its trace. Undefined where nothing does: without a trace, two alike are two. */
function keyOf(failure: OtlpFailure): string | undefined {
  const { traceId } = traceOf(failure);
  const attributes = failureAttributes(failure);
  if (traceId === '' || !hasException(attributes)) return undefined;
  const parts = ['exception.type', 'exception.message', 'exception.stacktrace'].map((key) => attributes.get(key) ?? '');
  if (parts.every((part) => part === '')) return undefined;
  return traceId + parts.map(digestOf).join('');
}

/** Short, because a stack would fill the memory. Only what one trace reports is told apart by it. */
function digestOf(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return ` ${text.length}:${crc32(text)}`;
}
