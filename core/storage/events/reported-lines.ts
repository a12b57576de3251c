import type { Fault } from '../../event/fault.js';

/** Remembered lines; beyond them the memory starts over. */
const MAX_REPORTED = 1000;

/** Reports each unreadable raw line once. */
export class ReportedLines {
  readonly #onFault: (fault: Fault) => void;
  readonly #reported = new Set<string>();

  constructor(onFault: (fault: Fault) => void) {
    this.#onFault = onFault;
  }

  report(eventId: string, fault: Fault): void {
    if (this.#reported.has(eventId)) return;
    if (this.#reported.size >= MAX_REPORTED) this.#reported.clear();
    this.#reported.add(eventId);
    this.#onFault(fault);
  }
}
