import type { LRUCache } from 'lru-cache';
import type { KnownGrouping, ReceivedEvent } from '../../../core/contract/stages.js';
import { MAX_SAMPLED, type RawPayload, sampledOf, weightOf } from '../../../core/event/raw-payload.js';
import type { Outcome } from '../../component/consumer.js';
import { type NewSampledOut, type SampledOut, type SampledOutEvents, withSampledCount } from './sampled-out-events.js';
import type { SamplingRule } from './sampling-rule.js';

/** The current interval of one issue. */
export interface SamplingWindow {
  /** Start of the interval, milliseconds. */
  beganMs: number;
  /** Events in the interval. */
  seen: number;
}

interface DecisionOptions {
  readonly rule: SamplingRule;
  /** By issue, of the most recent ones. */
  readonly windows: LRUCache<string, SamplingWindow>;
  readonly sampledOut: SampledOutEvents;
  readonly receiver: string;
  readonly nowMs: number;
}

interface Share {
  readonly key: string;
  readonly window: SamplingWindow;
  readonly beganMs: number;
  seen: number;
  /** Weight of the batch's events that no forwarded event represents yet. */
  waiting: number;
  last: RawPayload | undefined;
}

interface Carrier {
  readonly key: string;
  /** Index among the forwarded events. */
  readonly index: number;
  /** Of earlier batches. */
  readonly before: SampledOut | undefined;
  readonly ofBatch: NewSampledOut | undefined;
}

/** Decides on one batch, unseen by others. Its effects apply with `commit`, after the pipeline accepted it; `rollback` undoes them. */
export class BatchDecision {
  readonly #options: DecisionOptions;
  /** By issue. */
  readonly #shares = new Map<string, Share>();
  readonly #carriers: Carrier[] = [];

  constructor(options: DecisionOptions) {
    this.#options = options;
  }

  /** Number of forwarded events that represent others. */
  get carriers(): number {
    return this.#carriers.length;
  }

  /** Returns the event to forward as number `index`, or undefined if it is sampled out. `key` identifies its issue. */
  decide(event: ReceivedEvent, key: string, grouping: KnownGrouping, index: number): ReceivedEvent | undefined {
    const { rule, sampledOut } = this.#options;
    const weight = weightOf(event.payload.extra);
    // The event that counts its occurrence was stored.
    if (weight === 0) return { ...event, grouping };
    const share = this.#shareOf(key);
    const isSampledIn = rule.samplesIn(share.window.seen);
    share.window.seen += 1;
    share.seen += 1;
    // If nothing more can be held, the event is forwarded.
    if (isSampledIn || sampledOut.isFull) return this.#sampleIn(share, event, grouping, index);
    share.waiting += weight;
    share.last = event.payload;
    return undefined;
  }

  /** The pipeline accepted the forwarded events; `outcomes` are in their order. */
  commit(outcomes: readonly Outcome[]): void {
    for (const carrier of this.#carriers) this.#settle(carrier, outcomes[carrier.index]);
    for (const share of this.#shares.values()) {
      const waiting = this.#removeWaiting(share);
      if (waiting !== undefined) this.#options.sampledOut.add(share.key, waiting);
    }
  }

  /** The pipeline refused the batch; its sender retries. */
  rollback(): void {
    for (const { key, before } of this.#carriers) {
      if (before !== undefined) this.#options.sampledOut.putBack(key, before);
    }
    for (const { window, beganMs, seen } of this.#shares.values()) if (window.beganMs === beganMs) window.seen -= seen;
  }

  #shareOf(key: string): Share {
    const existing = this.#shares.get(key);
    if (existing !== undefined) return existing;
    const { rule, windows, nowMs } = this.#options;
    const window = windows.get(key) ?? { beganMs: nowMs, seen: 0 };
    if (nowMs - window.beganMs >= rule.intervalMs) {
      window.beganMs = nowMs;
      window.seen = 0;
    }
    windows.set(key, window);
    const share: Share = { key, window, beganMs: window.beganMs, seen: 0, waiting: 0, last: undefined };
    this.#shares.set(key, share);
    return share;
  }

  #sampleIn(share: Share, event: ReceivedEvent, grouping: KnownGrouping, index: number): ReceivedEvent {
    const { key, waiting } = share;
    const { sampledOut } = this.#options;
    const before = sampledOut.remove(key);
    const sampled = sampledOf(event.payload.extra) + (before?.events ?? 0) + waiting;
    if (before === undefined && waiting === 0) return { ...event, grouping };
    if (sampled > MAX_SAMPLED) {
      // More than one event can represent: left to summaries.
      if (before !== undefined) sampledOut.putBack(key, before);
      return { ...event, grouping };
    }
    this.#carriers.push({ key, index, before, ofBatch: this.#removeWaiting(share) });
    // Without bytes and grouping, which belong to the unchanged payload.
    return { payload: withSampledCount(event.payload, sampled) };
  }

  /** The sampled-out events of the batch that no forwarded event represents yet. */
  #removeWaiting(share: Share): NewSampledOut | undefined {
    const { waiting, last } = share;
    if (last === undefined) return undefined;
    share.waiting = 0;
    share.last = undefined;
    const { nowMs, receiver } = this.#options;
    return { events: waiting, sinceMs: nowMs, held: last, receiver };
  }

  /** A later sampling processor counts for us; one that drops the event does not represent the others. */
  #settle({ key, before, ofBatch }: Carrier, outcome: Outcome | undefined): void {
    const { sampledOut } = this.#options;
    const isCounted = outcome?.kind === 'stored' || (outcome?.kind === 'dropped' && outcome.as === 'sampled');
    if (isCounted) {
      if (before !== undefined) sampledOut.settle(key, before, before.events);
      return;
    }
    if (before !== undefined) sampledOut.putBack(key, before);
    if (ofBatch !== undefined) sampledOut.add(key, ofBatch);
  }
}
