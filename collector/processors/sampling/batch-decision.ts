import type { KnownGrouping, ReceivedEvent } from '../../../core/contract/stages.js';
import { MAX_SAMPLED, type RawPayload, sampledOf, weightOf } from '../../../core/event/raw-payload.js';
import type { Outcome } from '../../component/consumer.js';
import { withSampledCount } from './carry-sampled.js';
import type { IssueWindows, SamplingWindow } from './issue-windows.js';
import type { NewSampledOut, SampledOut, SampledOutEvents } from './sampled-out-events.js';
import type { SamplingRule } from './sampling-rule.js';

interface DecisionOptions {
  readonly rule: SamplingRule;
  readonly windows: IssueWindows;
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
export class BatchDecision {
  readonly #options: DecisionOptions;
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
    // The event that counts its occurrence was stored.
    if (weightOf(event.payload.extra) === 0) return { ...event, grouping };
    const share = this.#shareOf(key);
    const isSampledIn = this.#options.rule.samplesIn(share.window.seen);
    share.window.seen += 1;
    share.seen += 1;
    // If nothing more can be held, the event is forwarded.
    if (!isSampledIn && !this.#options.sampledOut.isFull) {
      share.waiting += weightOf(event.payload.extra);
      share.last = event.payload;
      return undefined;
    }
    return this.#sampleIn(share, event, grouping, index);
  }

  /** The pipeline accepted the forwarded events; `outcomes` are in their order. */
  commit(outcomes: readonly Outcome[]): void {
    const { sampledOut } = this.#options;
    for (const { key, index, before, own } of this.#carriers) {
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
    for (const share of this.#shares.values()) {
      const own = this.#removeOwn(share);
      if (own !== undefined) sampledOut.add(share.key, own);
    }
  }

  /** The pipeline refused the batch; its sender retries. */
  rollback(): void {
    const { sampledOut } = this.#options;
    for (const { key, before } of this.#carriers) if (before !== undefined) sampledOut.putBack(key, before);
    for (const { window, beganMs, seen } of this.#shares.values()) if (window.beganMs === beganMs) window.seen -= seen;
  }

  #shareOf(key: string): Share {
    const known = this.#shares.get(key);
    if (known !== undefined) return known;
    const window = this.#options.windows.at(key, this.#options.nowMs);
    const share: Share = { key, window, beganMs: window.beganMs, seen: 0, waiting: 0, last: undefined };
    this.#shares.set(key, share);
    return share;
  }

  #sampleIn(share: Share, event: ReceivedEvent, grouping: KnownGrouping, index: number): ReceivedEvent {
    const { sampledOut } = this.#options;
    const { key, waiting } = share;
    const before = sampledOut.remove(key);
    const sampled = sampledOf(event.payload.extra) + (before?.events ?? 0) + waiting;
    if (before === undefined && waiting === 0) return { ...event, grouping };
    if (sampled > MAX_SAMPLED) {
      // More than one event can represent: left to summaries.
      if (before !== undefined) sampledOut.putBack(key, before);
      return { ...event, grouping };
    }
    this.#carriers.push({ key, index, before, own: this.#removeOwn(share) });
    // Without bytes and grouping, which belong to the unchanged payload.
    return { payload: withSampledCount(event.payload, sampled) };
  }

  #removeOwn(share: Share): NewSampledOut | undefined {
    const { receiver, nowMs } = this.#options;
    const { waiting, last } = share;
    if (last === undefined) return undefined;
    share.waiting = 0;
    share.last = undefined;
    return { events: waiting, sinceMs: nowMs, held: last, receiver };
  }
}
