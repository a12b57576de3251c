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
  /** Of this batch. */
  readonly own: NewSampledOut | undefined;
}

/** Decides on one batch, unseen by others. Its effects apply with `commit`, after the pipeline accepted it; `rollback` undoes them. */
export type BatchDecision = ReturnType<typeof beginDecision>;

/** Begins the decisions on one batch. */
export function beginDecision({ rule, windows, sampledOut, receiver, nowMs }: DecisionOptions) {
  const shares = new Map<string, Share>();
  const carriers: Carrier[] = [];

  function shareOf(key: string): Share {
    const known = shares.get(key);
    if (known !== undefined) return known;
    const window = windows.get(key) ?? { beganMs: nowMs, seen: 0 };
    if (nowMs - window.beganMs >= rule.intervalMs) Object.assign(window, { beganMs: nowMs, seen: 0 });
    windows.set(key, window);
    const share: Share = { key, window, beganMs: window.beganMs, seen: 0, waiting: 0, last: undefined };
    shares.set(key, share);
    return share;
  }

  function sampleIn(share: Share, event: ReceivedEvent, grouping: KnownGrouping, index: number): ReceivedEvent {
    const { key, waiting } = share;
    const before = sampledOut.remove(key);
    const sampled = sampledOf(event.payload.extra) + (before?.events ?? 0) + waiting;
    if (before === undefined && waiting === 0) return { ...event, grouping };
    if (sampled > MAX_SAMPLED) {
      // More than one event can represent: left to summaries.
      if (before !== undefined) sampledOut.putBack(key, before);
      return { ...event, grouping };
    }
    carriers.push({ key, index, before, own: removeOwn(share) });
    // Without bytes and grouping, which belong to the unchanged payload.
    return { payload: withSampledCount(event.payload, sampled) };
  }

  function removeOwn(share: Share): NewSampledOut | undefined {
    const { waiting, last } = share;
    if (last === undefined) return undefined;
    share.waiting = 0;
    share.last = undefined;
    return { events: waiting, sinceMs: nowMs, held: last, receiver };
  }

  return {
    /** Number of forwarded events that represent others. */
    get carriers(): number {
      return carriers.length;
    },

    /** Returns the event to forward as number `index`, or undefined if it is sampled out. `key` identifies its issue. */
    decide(event: ReceivedEvent, key: string, grouping: KnownGrouping, index: number): ReceivedEvent | undefined {
      const weight = weightOf(event.payload.extra);
      // The event that counts its occurrence was stored.
      if (weight === 0) return { ...event, grouping };
      const share = shareOf(key);
      const isSampledIn = rule.samplesIn(share.window.seen);
      share.window.seen += 1;
      share.seen += 1;
      // If nothing more can be held, the event is forwarded.
      if (isSampledIn || sampledOut.isFull) return sampleIn(share, event, grouping, index);
      share.waiting += weight;
      share.last = event.payload;
      return undefined;
    },

    /** The pipeline accepted the forwarded events; `outcomes` are in their order. */
    commit(outcomes: readonly Outcome[]): void {
      for (const { key, index, before, own } of carriers) {
        const outcome = outcomes[index];
        // A later sampling processor counts for us; one that drops the event does not represent the others.
        const isCounted = outcome?.kind === 'stored' || outcome?.as === 'sampled';
        if (isCounted) {
          if (before !== undefined) sampledOut.settle(key, before, before.events);
        } else {
          if (before !== undefined) sampledOut.putBack(key, before);
          if (own !== undefined) sampledOut.add(key, own);
        }
      }
      for (const share of shares.values()) {
        const own = removeOwn(share);
        if (own !== undefined) sampledOut.add(share.key, own);
      }
    },

    /** The pipeline refused the batch; its sender retries. */
    rollback(): void {
      for (const { key, before } of carriers) if (before !== undefined) sampledOut.putBack(key, before);
      for (const { window, beganMs, seen } of shares.values()) if (window.beganMs === beganMs) window.seen -= seen;
    },
  };
}
