import type { Fault } from '../../../core/event/fault.js';

/** One that nobody has reported before: whoever claimed it stores it, and then says how that ended. */
export interface NewOccurrence {
  readonly kind: 'new';
  /** It is stored, or will never be and nobody shall try again. */
  settle(): void;
  /** It was refused: the next one who reports it has a try of his own. */
  refuse(fault: Fault): void;
}

/** One that was reported before. */
interface RepeatedOccurrence {
  readonly kind: 'repeated';
  /** Resolves when the first report is settled; rejects with the fault with which it was refused. */
  readonly settled: Promise<void>;
}

/** Whether a failure is the first report of an occurrence. */
export type Claim = NewOccurrence | RepeatedOccurrence;

/** How a claim ended, for those that wait for it, and the two ways to end it: `Promise.withResolvers` of later versions of Node. */
export function withSettling(): { promise: Promise<void>; resolve: () => void; reject: (fault: Fault) => void } {
  let resolve: () => void = () => undefined;
  let reject: (fault: Fault) => void = () => undefined;
  const promise = new Promise<void>((onSettled, onRefused) => {
    resolve = onSettled;
    reject = onRefused;
  });
  return { promise, resolve, reject };
}
