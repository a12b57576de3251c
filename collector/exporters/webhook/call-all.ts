import type { ArrivalSignal } from '../../../core/storage/following/arrival-bell.js';
import { wait } from '../sending/wait.js';
import type { AlertBook } from './alert-book.js';
import type { CallRate } from './call-rate.js';
import { type DeliverCallOptions, deliverCall } from './deliver-call.js';

/** How what waits is told. */
export interface CallAllOptions {
  /** Rings for new alerts. */
  readonly bell: ArrivalSignal;
  readonly rate: CallRate;
  readonly deliver: DeliverCallOptions;
  /** Makes the book durable; never rejects. */
  readonly save: () => Promise<void>;
  /** Alerts in one call, at most. */
  readonly maxTogether: number;
}

/** One call after the other until it is told to stop: each alert alone, those that had to wait for the rate together. */
export async function callAll(
  book: AlertBook,
  { bell, rate, deliver, save, maxTogether }: CallAllOptions,
): Promise<void> {
  const { stop } = deliver;
  let isHeldBack = false;
  while (!stop.aborted) {
    const listening = bell.listen();
    if (book.untold === 0) {
      await listening.untilRung(1, undefined, stop);
      continue;
    }
    if (rate.waitMs > 0) {
      isHeldBack = true;
      await wait(rate.waitMs, stop);
      continue;
    }
    const call = book.begin(isHeldBack || book.isOverfull ? maxTogether : 1);
    isHeldBack = false;
    if (call === undefined) continue;
    rate.called();
    // With what came of the call before, where that was not written yet.
    await save();
    if ((await deliverCall(call, deliver)) === 'stopped') return;
    book.done();
    const isNextAtOnce = book.hasWaiting && rate.waitMs === 0 && !stop.aborted;
    if (!isNextAtOnce) await save();
  }
}
