const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;

/**
 * When garbage may be collected by force: it keeps everything waiting, and where memory does not fall it is of no use. Above the hard limit after pauses that
 * double from 1 s to 10 s, between the limits after 10 s.
 */
export class CollectionPauses {
  #lastMs = Number.NEGATIVE_INFINITY;
  #pauseMs = FIRST_PAUSE_MS;

  /** Whether it is time, and if so counts it as done. */
  begin(nowMs: number, isAboveHard: boolean): boolean {
    if (nowMs - this.#lastMs < (isAboveHard ? this.#pauseMs : LONGEST_PAUSE_MS)) return false;
    this.#lastMs = nowMs;
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2);
    return true;
  }

  /** Memory has fallen. */
  relax(): void {
    this.#pauseMs = FIRST_PAUSE_MS;
  }
}
