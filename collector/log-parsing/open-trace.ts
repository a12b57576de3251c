import { cutText } from '../../core/event/text.js';
import type { TextFailure, TextLine } from './text-failure.js';
import type { Step, TraceFamily, TraceStart } from './trace-family.js';

const MAX_TRACE_LINES = 2_000;
const MAX_TRACE_BYTES = 1_048_576;
/** Consecutive lines that a trace waits through for one of its own: foreign lines, and lines that may be its own. */
const MAX_FOREIGN = 3;
const MAX_HELD = 16;

/** A trace that may have begun. Held lines stay free for others until a later one is accepted; those beyond the bounds are dropped. */
export class OpenTrace {
  readonly #family: TraceFamily;
  readonly #start: TraceStart;
  readonly #first: TextLine;
  #accepted: TextLine[] = [];
  #held: TextLine[] = [];
  #bytes = 0;
  #foreign = 0;
  #isProven = false;
  isOver = false;
  isSwallowing = false;

  constructor(family: TraceFamily, start: TraceStart, first: TextLine) {
    this.#family = family;
    this.#start = start;
    this.#first = first;
    this.#isProven = family.isLog === true;
    (this.#isProven ? this.#accepted : this.#held).push(first);
  }

  /** Start of the first line that this trace may still release; infinite after its end. */
  get waitingFrom(): number {
    return this.isOver || this.isSwallowing ? Number.POSITIVE_INFINITY : this.#first.span.from;
  }

  /** Whether another trace accepted the first line of this unproven one, or this is a logger's line before that trace. */
  isReplacedBy(other: OpenTrace, acceptedByOther: ReadonlySet<TextLine>): boolean {
    if (this.#family.isLog !== true) return !this.#isProven && acceptedByOther.has(this.#first);
    if (other.#family.isLog === true || other.#first.writer !== this.#first.writer) return false;
    return other.#first.span.from >= this.#first.span.from;
  }

  /** Ends without a failure. */
  discard(): void {
    this.#accepted = [];
    this.isOver = true;
  }

  holdsLast(line: TextLine): boolean {
    return this.#held.at(-1) === line;
  }

  /** UTF-16 units of the lines held. */
  heldLength(): number {
    return this.isSwallowing ? 0 : this.#held.reduce((sum, { printed }) => sum + printed.length, this.#bytes);
  }

  /** A line of another writer is always foreign. */
  classify(line: TextLine): Step {
    return line.writer === this.#first.writer ? this.#start.step(line.matched) : 'foreign';
  }

  /** Counts a foreign line. */
  skip(): void {
    this.#foreign += 1;
    if (this.#foreign > MAX_FOREIGN) this.isOver = true;
  }

  hold(line: TextLine): void {
    if (this.isSwallowing) {
      this.skip();
      return;
    }
    this.#held.push(line);
    if (this.#held.length > MAX_HELD) this.isOver = true;
  }

  /** Accepts a line and the held ones that are still free, and returns them. Those beyond the bounds are dropped. */
  accept(line: TextLine | undefined, isFree: (line: TextLine) => boolean): readonly TextLine[] {
    const own = [...this.#held.filter(isFree), ...(line === undefined ? [] : [line])];
    this.#held = [];
    this.#foreign = 0;
    this.#isProven = true;
    for (const one of own) {
      const bytes = Buffer.byteLength(one.printed) + 1;
      const isFull = this.#accepted.length >= MAX_TRACE_LINES || this.#bytes + bytes > MAX_TRACE_BYTES;
      if (this.isSwallowing || (isFull && this.#accepted.length > 0)) this.isSwallowing = true;
      else {
        this.#accepted.push(one);
        this.#bytes += bytes;
      }
    }
    return own;
  }

  /** Returns the failure once; undefined if the trace is not proven. */
  release(): TextFailure | undefined {
    const accepted = this.#accepted;
    this.#accepted = [];
    const [first] = accepted;
    const last = accepted.at(-1);
    if (!this.#isProven || first === undefined || last === undefined) return undefined;
    const parsed = this.#family.parse(accepted.map(({ clean }) => clean));
    if (parsed === undefined) return undefined;
    const { errorName, message, stack, level } = parsed;
    return {
      format: this.#family.format,
      value: { error_name: errorName, message, stack, level },
      text: cutText(accepted.map(({ printed }) => printed).join('\n'), MAX_TRACE_BYTES),
      span: { from: first.span.from, to: last.span.to },
    };
  }
}
