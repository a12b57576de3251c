import { cutText } from '../../core/event/text.js';
import type { TextFailure } from './text-failure.js';
import type { TextLine } from './text-line.js';
import type { Step, TraceFamily, TraceStart } from './trace-family.js';

/** Lines of one trace. */
const MAX_TRACE_LINES = 2_000;
/** Bytes of one trace. */
const MAX_TRACE_BYTES = 1_048_576;
/** Lines in a row that a trace waits through for one of its own: of others, and those that may still be its own. */
const MAX_FOREIGN = 3;
const MAX_HELD = 16;

/**
 * A trace that may have begun. It takes lines in their order; lines that it only wants stay free for others until it takes a later one.
 * A trace that has outgrown its bounds goes on as one that swallows its lines.
 */
export class OpenTrace {
  readonly #family: TraceFamily;
  readonly #start: TraceStart;
  readonly #writer: string;
  readonly #first: TextLine;
  #accepted: TextLine[] = [];
  #held: TextLine[] = [];
  #bytes = 0;
  #foreign = 0;
  #isProven = false;
  #isOver = false;
  #isSwallowing = false;

  constructor(family: TraceFamily, start: TraceStart, first: TextLine) {
    this.#family = family;
    this.#start = start;
    this.#writer = first.writer;
    this.#first = first;
    this.#held.push(first);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isSwallowing(): boolean {
    return this.#isSwallowing;
  }

  /** Where the first line begins that this trace may still answer; undefined when it answers nothing any more. */
  get waitingFrom(): number | undefined {
    return this.#isOver || this.#isSwallowing ? undefined : this.#first.span.from;
  }

  /** Whether the trace began with a line that another one has taken since. */
  lostItsBeginning(takenByOthers: ReadonlySet<TextLine>): boolean {
    return !this.#isProven && takenByOthers.has(this.#first);
  }

  /** Whether the line is the last one that this trace may still have as its own. */
  holdsLast(line: TextLine): boolean {
    return this.#held.at(-1) === line;
  }

  /** UTF-16 units of the lines held. */
  heldLength(): number {
    const lengthOf = (lines: readonly TextLine[]): number =>
      lines.reduce((sum, { printed }) => sum + printed.length, 0);
    return this.#isSwallowing ? 0 : this.#bytes + lengthOf(this.#held);
  }

  /** What the line is to this trace. A trace of another writer never takes it. */
  classify(line: TextLine): Step {
    return line.writer === this.#writer ? this.#start.step(line.matched) : 'foreign';
  }

  /** Notes a line that another trace took or that is nobody's. */
  skip(): void {
    this.#foreign += 1;
    if (this.#foreign > MAX_FOREIGN) this.#isOver = true;
  }

  hold(line: TextLine): void {
    if (this.#isSwallowing) {
      this.skip();
      return;
    }
    this.#held.push(line);
    if (this.#held.length > MAX_HELD) this.#isOver = true;
  }

  end(): void {
    this.#isOver = true;
  }

  /**
   * Takes a line, and those that were wanted before it and are free still. Answers the lines that are its own now; `cut` is how many of them came
   * behind the bounds.
   */
  accept(line: TextLine | undefined, isFree: (line: TextLine) => boolean): { own: readonly TextLine[]; cut: number } {
    const own = [...this.#held.filter(isFree), ...(line === undefined ? [] : [line])];
    this.#held = [];
    this.#foreign = 0;
    this.#isProven = true;
    let cut = 0;
    for (const one of own) {
      const bytes = Buffer.byteLength(one.printed) + 1;
      const isFull = this.#accepted.length >= MAX_TRACE_LINES || this.#bytes + bytes > MAX_TRACE_BYTES;
      if (this.#isSwallowing || (isFull && this.#accepted.length > 0)) {
        this.#isSwallowing = true;
        cut += 1;
      } else {
        this.#accepted.push(one);
        this.#bytes += bytes;
      }
    }
    return { own, cut };
  }

  /** The failure that the lines taken are, once; undefined when the trace was never proven or has been answered. */
  release(): TextFailure | undefined {
    const taken = this.#accepted;
    this.#accepted = [];
    const [first] = taken;
    const last = taken.at(-1);
    if (!this.#isProven || first === undefined || last === undefined) return undefined;
    const { errorName, message, stack, level } = this.#family.parse(taken.map(({ clean }) => clean));
    return {
      format: this.#family.format,
      value: { error_name: errorName, message, stack, level },
      text: cutText(taken.map(({ printed }) => printed).join('\n'), MAX_TRACE_BYTES),
      span: { from: first.span.from, to: last.span.to },
    };
  }
}
