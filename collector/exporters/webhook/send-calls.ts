import type { ArrivalSignal } from '../../../core/storage/following/arrival-signal.js';
import { wait } from '../../component/until-done.js';
import type { AlertQueue } from './alert-queue.js';
import { type DeliverCallOptions, deliverCall } from './deliver-call.js';

const MINUTE_MS = 60_000;

/** Limits calls to a number per minute. */
export class CallRate {
  readonly #perMinute: number;
  readonly #nowMs: () => number;
  /** When the latest calls were made, oldest first. */
  readonly #calledAtMs: number[] = [];

  /** `nowMs` is monotonic, default `performance.now`. */
  constructor(perMinute: number, nowMs: () => number = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#nowMs = nowMs;
  }

  /** Milliseconds until one more may be made; 0: now. */
  get waitMs(): number {
    const [oldest = 0] = this.#calledAtMs;
    if (this.#calledAtMs.length < this.#perMinute) return 0;
    return Math.max(0, Math.ceil(oldest + MINUTE_MS - this.#nowMs()));
  }

  called(): void {
    this.#calledAtMs.push(this.#nowMs());
    if (this.#calledAtMs.length > this.#perMinute) this.#calledAtMs.shift();
  }
}

/** How calls are sent. */
export interface SendCallsOptions {
  readonly arrivals: ArrivalSignal;
  readonly rate: CallRate;
  readonly deliver: DeliverCallOptions;
  /** Makes the queue durable; never rejects. */
  readonly save: () => Promise<void>;
  readonly maxAlertsPerCall: number;
}

/** Makes one call after the other until stopped: single alerts, or together those that waited for the rate. */
export async function sendCalls(
  queue: AlertQueue,
  { arrivals, rate, deliver, save, maxAlertsPerCall: maxTogether }: SendCallsOptions,
): Promise<void> {
  const { stop } = deliver;
  let isHeldBack = false;
  while (!stop.aborted) {
    const listening = arrivals.subscribe();
    if (queue.pending === 0) {
      await listening.waitFor(1, undefined, stop);
      continue;
    }
    if (rate.waitMs > 0) {
      isHeldBack = true;
      await wait(rate.waitMs, stop);
      continue;
    }
    const call = queue.beginCall(isHeldBack || queue.isOverfull ? maxTogether : 1);
    isHeldBack = false;
    if (call === undefined) continue;
    rate.called();
    // Also saves the end of the previous call.
    await save();
    if ((await deliverCall(call, deliver)) === 'stopped') return;
    queue.endCall();
    const isNextAtOnce = queue.hasWaiting && rate.waitMs === 0 && !stop.aborted;
    if (!isNextAtOnce) await save();
  }
}
