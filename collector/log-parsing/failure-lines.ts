import { readJsonLine } from './json-lines.js';
import { OpenTraces } from './open-traces.js';
import { createTextLine, type FailureLines, type LineSpan, type TextFailure } from './text-failure.js';

/** UTF-16 units of all held lines; above it every open trace ends. */
const MAX_HELD_LENGTH = 8 * 1_048_576;

/** Finds JSON log lines and stack traces, in the order in which they began, so that a restart from `waitingFrom` finds no failure twice. */
export function createFailureLines(minSeverity: string): FailureLines {
  return new FailureFinder(minSeverity);
}

class FailureFinder implements FailureLines {
  readonly #minSeverity: string;
  readonly #traces = new OpenTraces();
  /** Complete failures that wait for an open trace, which began before them. */
  #ready: TextFailure[] = [];

  constructor(minSeverity: string) {
    this.#minSeverity = minSeverity;
  }

  push(printed: string, span: LineSpan): readonly TextFailure[] {
    const line = createTextLine(printed, span);
    const ofJson = readJsonLine(line, this.#minSeverity);
    if (ofJson === undefined) {
      this.#add(this.#traces.push(line));
    } else {
      this.#add(this.#traces.skip());
      this.#add(ofJson);
    }
    if (this.#heldLength() > MAX_HELD_LENGTH) this.#add(this.#traces.endAll());
    return this.#release();
  }

  flush(): readonly TextFailure[] {
    this.#add(this.#traces.endAll());
    return this.#release();
  }

  get waitingFrom(): number {
    return this.#ready.reduce((least, { span }) => Math.min(least, span.from), this.#traces.waitingFrom);
  }

  #add(failures: readonly TextFailure[]): void {
    for (const failure of failures) {
      const isBelow = failure.format === 'log' && this.#minSeverity === 'fatal' && failure.value['level'] !== 'fatal';
      if (!isBelow) this.#ready.push(failure);
    }
  }

  #heldLength(): number {
    return this.#ready.reduce((sum, { text }) => sum + text.length, this.#traces.heldLength);
  }

  #release(): TextFailure[] {
    if (this.#ready.length === 0) return [];
    const { waitingFrom } = this.#traces;
    const released = this.#ready.filter(({ span }) => span.to <= waitingFrom);
    this.#ready = this.#ready.filter(({ span }) => span.to > waitingFrom);
    return released.sort((one, other) => one.span.from - other.span.from);
  }
}
