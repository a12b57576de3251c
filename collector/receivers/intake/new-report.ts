import type { Fault } from '../../../core/event/fault.js';
import type { Settlement } from './intake.js';

/** A report to store. The caller that claims it stores it, then calls `settle` or `refuse`. */
export class NewReport {
  readonly kind = 'new';
  /** The event that counts its occurrence, of earlier reports; undefined: this report counts. */
  readonly countedBy: RepeatedReport | undefined;
  #state: 'open' | 'settled' | 'refused' = 'open';
  #settlement: Settlement;
  /** Created for the first repetition that waits. */
  #waiting: Waiting | undefined;

  constructor(countedBy?: RepeatedReport) {
    this.countedBy = countedBy;
  }

  get isRefused(): boolean {
    return this.#state === 'refused';
  }

  /** Called once, by `settle` or `refuse`. */
  protected onEnd(_isRefused: boolean): void {}

  /** It is stored, or rejected for good. */
  settle(settlement?: Settlement): void {
    if (this.#state !== 'open') return;
    this.#state = 'settled';
    this.#settlement = settlement;
    this.onEnd(false);
    this.#waiting?.resolve(settlement);
  }

  /** It was refused; the next report is stored instead. Does nothing if it is settled. */
  refuse(fault: Fault): void {
    if (this.#state !== 'open') return;
    this.#state = 'refused';
    this.onEnd(true);
    this.#waiting?.reject(fault);
  }

  /** Returns the claim of a later report. */
  repeat(): RepeatedReport {
    if (this.#state === 'settled') return repeatOf(this.#settlement);
    this.#waiting ??= beginWaiting();
    return { kind: 'repeated', settled: this.#waiting.promise };
  }
}

/** A report of something that was reported before. */
export interface RepeatedReport {
  readonly kind: 'repeated';
  /** Resolves when the earlier report is settled; rejects with its refusal. */
  readonly settled: Promise<Settlement>;
}

/** Whether a report is stored, or only waits for an earlier one. */
export type Claim = NewReport | RepeatedReport;

/** Returns the claim of a report whose earlier one is settled. */
export function repeatOf(settlement: Settlement): RepeatedReport {
  return { kind: 'repeated', settled: Promise.resolve(settlement) };
}

/** What repetitions wait for. */
interface Waiting {
  readonly promise: Promise<Settlement>;
  readonly resolve: (settlement: Settlement) => void;
  readonly reject: (fault: Fault) => void;
}

/** `Promise.withResolvers` needs Node 22. */
function beginWaiting(): Waiting {
  let resolve: (settlement: Settlement) => void = () => undefined;
  let reject: (fault: Fault) => void = () => undefined;
  const promise = new Promise<Settlement>((onSettled, onRefused) => {
    resolve = onSettled;
    reject = onRefused;
  });
  // The waiting request may end before it awaits this.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
