import type { KnownGrouping, ReceivedEvent } from '../../../core/contract/stages.js';
import { MAX_SAMPLED, type RawPayload, sampledOf, weightOf } from '../../../core/event/raw-payload.js';
import type { Outcome } from '../../component/consumer.js';
import { withSampledCount } from './carry-sampled.js';
import type { IssueWindows, SamplingWindow } from './issue-windows.js';
import type { NewSampledOut, SampledOut, SampledOutEvents } from './sampled-out-events.js';
import type { SamplingRule } from './sampling-rule.js';

/** What the decisions on a batch are made with. */
export interface DecisionOptions {
  readonly rule: SamplingRule;
  readonly windows: IssueWindows;
  readonly sampledOut: SampledOutEvents;
  /** Component id of the receiver of the batch. */
  readonly receiver: string;
  readonly nowMs: number;
}

/** What a batch did to one issue. */
interface Share {
  readonly key: string;
  readonly window: SamplingWindow;
  readonly beganMs: number;
  /** Events of the batch that the window counts. */
  seen: number;
  /** Events of the batch for which no kept one stands yet, those for which they stand themselves included. */
  waiting: number;
  /** The last of them. */
  last: RawPayload | undefined;
}

/** A kept event that stands for others. */
interface Carrier {
  readonly key: string;
  /** Among the kept events of the batch. */
  readonly place: number;
  /** Of earlier batches. */
  readonly before: SampledOut | undefined;
  /** Of this batch. */
  readonly own: NewSampledOut | undefined;
}

/**
 * Decides on the events of one batch, and holds back what follows from it until its fate is known: `commit` when the line took it, `undo` when it did not;
 * then all is as if it had never come. What a batch did not keep is nobody else's to count before.
 */
export class BatchDecision {
  readonly #options: DecisionOptions;
  readonly #shares = new Map<string, Share>();
  readonly #carriers: Carrier[] = [];

  constructor(options: DecisionOptions) {
    this.#options = options;
  }

  /** Events that go on and stand for others. */
  get carriers(): number {
    return this.#carriers.length;
  }

  /** The event as it goes on, at this place among those that do; undefined where it is not kept. `key` names its issue. */
  decide(event: ReceivedEvent, key: string, grouping: KnownGrouping, place: number): ReceivedEvent | undefined {
    const share = this.#shareOf(key);
    const isKept = this.#options.rule.samplesIn(share.window.seen);
    share.window.seen += 1;
    share.seen += 1;
    // Where there is no room to hold it, keeping it is what loses nothing.
    if (!isKept && this.#hold(share, event.payload)) return undefined;
    return this.#keep(share, event, grouping, place);
  }

  /** The line has taken what was kept; its outcomes are in that order. */
  commit(outcomes: readonly Outcome[]): void {
    const { sampledOut: unkept } = this.#options;
    for (const { key, place, before, own } of this.#carriers) {
      const outcome = outcomes[place];
      // A processor behind this one that samples counts for us; one that drops the event says nothing of those for which it stood.
      const isCounted = outcome?.kind === 'stored' || outcome?.as === 'sampled';
      if (isCounted) {
        if (before !== undefined) unkept.settle(key, before, before.events);
      } else {
        if (before !== undefined) unkept.putBack(key, before);
        if (own !== undefined) unkept.add(key, own);
      }
    }
    for (const share of this.#shares.values()) {
      const own = this.#takeOwn(share);
      if (own !== undefined) unkept.add(share.key, own);
    }
  }

  /** The line has refused the batch: its sender comes again with it. */
  rollback(): void {
    const { sampledOut: unkept } = this.#options;
    for (const { key, before } of this.#carriers) if (before !== undefined) unkept.putBack(key, before);
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

  #hold(share: Share, payload: RawPayload): boolean {
    if (this.#options.sampledOut.isFull) return false;
    share.waiting += weightOf(payload.extra);
    share.last = payload;
    return true;
  }

  #keep(share: Share, event: ReceivedEvent, grouping: KnownGrouping, place: number): ReceivedEvent {
    const { sampledOut: unkept } = this.#options;
    const { key, waiting } = share;
    const before = unkept.remove(key);
    const sampled = sampledOf(event.payload.extra) + (before?.events ?? 0) + waiting;
    if (before === undefined && waiting === 0) return { ...event, grouping };
    if (sampled > MAX_SAMPLED) {
      // More than one event can say. A summary goes round by round.
      if (before !== undefined) unkept.putBack(key, before);
      return { ...event, grouping };
    }
    this.#carriers.push({ key, place, before, own: this.#takeOwn(share) });
    // Neither its bytes nor its grouping: they are of the payload as it was.
    return { payload: withSampledCount(event.payload, sampled) };
  }

  #takeOwn(share: Share): NewSampledOut | undefined {
    const { receiver, nowMs } = this.#options;
    const { waiting, last } = share;
    if (last === undefined) return undefined;
    share.waiting = 0;
    share.last = undefined;
    return { events: waiting, sinceMs: nowMs, held: { payload: last, receiver } };
  }
}
