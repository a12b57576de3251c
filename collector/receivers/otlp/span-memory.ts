import type { KnownSpan } from './known-span.js';

/** How long spans are remembered. */
export interface SpanMemoryOptions {
  readonly windowMs: number;
  /** Monotonic milliseconds, default `performance.now`; handed in so that tests can let time pass. */
  readonly nowMs?: () => number;
}

interface Entry {
  readonly span: KnownSpan;
  readonly size: number;
  readonly untilMs: number;
}

const MAX_SPANS = 20_000;
/** UTF-16 units of all remembered texts. */
const MAX_SIZE = 8 * 1024 * 1024;

/** The spans of earlier requests, bounded in time, number and size; the oldest are forgotten first. */
export class SpanMemory {
  readonly #windowMs: number;
  readonly #nowMs: () => number;
  /** In the order in which they came. */
  readonly #entries = new Map<string, Entry>();
  #size = 0;

  constructor({ windowMs, nowMs }: SpanMemoryOptions) {
    this.#windowMs = windowMs;
    this.#nowMs = nowMs ?? (() => performance.now());
  }

  remember(traceId: string, span: KnownSpan): void {
    const key = traceId + span.spanId;
    this.#forget(key);
    const size = sizeOf(span);
    this.#entries.set(key, { span, size, untilMs: this.#nowMs() + this.#windowMs });
    this.#size += size;
    this.#forgetOld();
  }

  /** Undefined for one that never came or is forgotten. */
  find(traceId: string, spanId: string): KnownSpan | undefined {
    const entry = this.#entries.get(traceId + spanId);
    return entry !== undefined && this.#nowMs() < entry.untilMs ? entry.span : undefined;
  }

  #forgetOld(): void {
    const nowMs = this.#nowMs();
    for (const [key, { untilMs }] of this.#entries) {
      if (nowMs < untilMs && this.#entries.size <= MAX_SPANS && this.#size <= MAX_SIZE) return;
      this.#forget(key);
    }
  }

  #forget(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}

function sizeOf({ name, attributes }: KnownSpan): number {
  let size = name.length;
  for (const [key, value] of attributes) size += key.length + JSON.stringify(value).length;
  return size;
}
