import { type FindSpan, type FoundSpans, joinSpans } from './known-span.js';
import { LateSpanSenders } from './late-span-senders.js';
import { type OtlpFailure, resourceOf, traceOf } from './otlp-failure.js';
import type { SpanMemory } from './span-memory.js';

/** What waiting for spans is built from. */
export interface LateSpansOptions {
  /** Tells when a span has come. */
  readonly spans: SpanMemory;
  /** The longest that a request waits, milliseconds; 0: none does. */
  readonly holdMs: number;
  readonly clock?: LateSpansClock;
}

/** Time, handed in so that tests can let it pass. */
export interface LateSpansClock {
  /** Monotonic milliseconds. */
  nowMs(): number;
  /** Calls back once; answers a function that calls this off. */
  after(ms: number, done: () => void): () => void;
}

/** A failure whose chain of parents is broken. */
export interface BrokenFailure {
  readonly failure: OtlpFailure;
  readonly find: FindSpan;
  /** What was known when it was read. */
  readonly joined: FoundSpans;
}

/** One whose chain may become whole. */
interface Pursued {
  readonly place: number;
  readonly broken: BrokenFailure;
  readonly sender: string;
  found: FoundSpans;
}

const MAX_WAITING_REQUESTS = 64;
/** Longer names of senders are told apart by their beginnings. */
const LONGEST_NAME = 200;

const REAL_CLOCK: LateSpansClock = {
  nowMs: () => performance.now(),
  after(ms, done) {
    const timer = setTimeout(done, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Lets requests wait a moment for spans that other requests bring: senders that export each span as it ends, or several batches at a time, deliver an
 * exception before the span that served its request. `close` once, then nobody waits any more.
 */
export class LateSpans {
  readonly #spans: SpanMemory;
  readonly #holdMs: number;
  readonly #clock: LateSpansClock;
  readonly #senders: LateSpanSenders;
  /** Ends the wait of each request. */
  readonly #waiting = new Set<() => void>();
  #closed = false;

  constructor({ spans, holdMs, clock = REAL_CLOCK }: LateSpansOptions) {
    this.#spans = spans;
    this.#holdMs = holdMs;
    this.#clock = clock;
    this.#senders = new LateSpanSenders(() => clock.nowMs());
  }

  /** Whether the failure would be waited for now. */
  wouldWait(failure: OtlpFailure, { missing }: FoundSpans): boolean {
    if (missing === undefined || this.#closed || this.#holdMs <= 0) return false;
    return this.#waiting.size < MAX_WAITING_REQUESTS && this.#senders.mayTry(senderOf(failure));
  }

  /** What is known of the spans of each failure of a request, when the chains are whole or it has waited for as long as it may. Never rejects. */
  async wait(failures: readonly BrokenFailure[]): Promise<FoundSpans[]> {
    const pursued: Pursued[] = [];
    const found = failures.map((broken, place) => {
      const now = joinNow(broken, broken.joined);
      const sender = senderOf(broken.failure);
      if (this.wouldWait(broken.failure, now)) pursued.push({ place, broken, sender, found: now });
      else if (now.missing === undefined) this.#senders.gained(sender);
      return now;
    });
    if (pursued.length === 0) return found;
    for (const { sender } of pursued) this.#senders.begin(sender);
    await this.#pursue(pursued);
    if (!this.#closed) this.#judge(pursued);
    for (const { place, found: last } of pursued) found[place] = last;
    return found;
  }

  /** Ends every wait. */
  close(): void {
    this.#closed = true;
    for (const end of this.#waiting) end();
  }

  /** Resolves when every chain is whole, when the time is over, or when it is closed. */
  #pursue(pursued: readonly Pursued[]): Promise<void> {
    return new Promise((resolve) => {
      const callOff = new Map<Pursued, () => void>();
      const end = (): void => {
        stopTimer();
        for (const off of callOff.values()) off();
        this.#waiting.delete(end);
        resolve();
      };
      const stopTimer = this.#clock.after(this.#holdMs, end);
      this.#waiting.add(end);
      const follow = (one: Pursued): void => {
        const { missing } = one.found;
        if (missing === undefined) {
          callOff.delete(one);
          if (callOff.size === 0) end();
          return;
        }
        const comes = (): void => {
          one.found = joinNow(one.broken, one.found);
          follow(one);
        };
        callOff.set(one, this.#spans.whenRemembered(traceOf(one.broken.failure).traceId, missing, comes));
      };
      for (const one of pursued) follow(one);
    });
  }

  #judge(pursued: readonly Pursued[]): void {
    const gained = new Set(pursued.filter(({ found }) => found.missing === undefined).map(({ sender }) => sender));
    for (const sender of new Set(pursued.map((one) => one.sender))) {
      if (gained.has(sender)) this.#senders.gained(sender);
      else this.#senders.inVain(sender);
    }
  }
}

/** Nothing that was known before is lost, although spans are forgotten in the meantime. */
function joinNow({ failure, find }: BrokenFailure, before: FoundSpans): FoundSpans {
  const { traceId, spanId } = traceOf(failure);
  const { own, server, missing } = joinSpans(traceId, spanId, find);
  return { own: own ?? before.own, server, missing };
}

/** Logs and traces of a service go their own ways. */
function senderOf(failure: OtlpFailure): string {
  const name = resourceOf(failure).attributes.get('service.name');
  return `${failure.signal} ${typeof name === 'string' ? name.slice(0, LONGEST_NAME) : ''}`;
}
