import type { Fault } from '../../../../core/event/fault.js';
import type { Settlement } from '../../intake/intake.js';

/** The first report of an exception. The caller that claims it stores it, then calls `settle` or `refuse`. */
export class NewOccurrence {
  readonly kind = 'new';
  /** The report of the other signal that counts the same occurrence; undefined: this one counts. */
  readonly countedBy: RepeatedOccurrence | undefined;
  #isEnded = false;
  #isSettled = false;
  #settlement: Settlement;
  /** Created for the first repetition that waits. */
  #waiting: Waiting | undefined;

  constructor(countedBy?: RepeatedOccurrence) {
    this.countedBy = countedBy;
  }

  /** Called once, by `settle` or `refuse`. */
  protected onEnd(_isRefused: boolean, _settlement: Settlement): void {}

  /** It is stored, or rejected for good. */
  settle(settlement?: Settlement): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#isSettled = true;
    this.#settlement = settlement;
    this.onEnd(false, settlement);
    this.#waiting?.resolve(settlement);
  }

  /** It was refused; the next report is stored instead. Does nothing if it is settled. */
  refuse(fault: Fault): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.onEnd(true, undefined);
    this.#waiting?.reject(fault);
  }

  /** Returns the claim of a later report. */
  repeat(): RepeatedOccurrence {
    if (this.#isSettled) return repeatOf(this.#settlement);
    this.#waiting ??= beginWaiting();
    return { kind: 'repeated', settled: this.#waiting.promise };
  }
}

/** An occurrence that was reported before. */
export interface RepeatedOccurrence {
  readonly kind: 'repeated';
  /** Resolves when the first report is settled; rejects with its refusal. */
  readonly settled: Promise<Settlement>;
}

/** Whether a failure is the first report of an exception. */
export type Claim = NewOccurrence | RepeatedOccurrence;

/** Returns the claim of a report whose occurrence is settled. */
export function repeatOf(settlement: Settlement): RepeatedOccurrence {
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
