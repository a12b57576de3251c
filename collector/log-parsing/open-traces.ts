import { cutText } from '../../core/event/text.js';
import { DOTNET } from './families/dotnet.js';
import { ELIXIR } from './families/elixir.js';
import { GO } from './families/go.js';
import { JAVA } from './families/java.js';
import { LINE_FORMS } from './families/line-forms.js';
import { NODE } from './families/node.js';
import { PHP, PHP_LOGGED } from './families/php.js';
import { PYTHON } from './families/python.js';
import { RUBY, RUBY_LOGGED } from './families/ruby.js';
import { RUST } from './families/rust.js';
import { TEST_REPORT } from './families/test-report.js';
import { familyOfForm } from './line-form.js';
import type { TextFailure, TextLine } from './text-failure.js';
import type { Step, TraceFamily, TraceStart } from './trace-family.js';

/** The first family that accepts a line wins. */
const TRACE_FAMILIES: readonly TraceFamily[] = [
  TEST_REPORT,
  NODE,
  PYTHON,
  RUBY,
  RUBY_LOGGED,
  JAVA,
  DOTNET,
  GO,
  RUST,
  PHP,
  PHP_LOGGED,
  ELIXIR,
  ...LINE_FORMS.filter(({ onlyAtEnd }) => onlyAtEnd !== true).map(familyOfForm),
];
/** Forms that name the failure of a program that has ended. */
export const END_FAMILIES: readonly TraceFamily[] = LINE_FORMS.filter(({ onlyAtEnd }) => onlyAtEnd).map(familyOfForm);

/** Above it the oldest trace ends. */
const MAX_OPEN_TRACES = 32;

const MAX_TRACE_LINES = 2_000;
const MAX_TRACE_BYTES = 1_048_576;
/** Consecutive lines that a trace waits through for one of its own: foreign lines, and lines that may be its own. */
const MAX_FOREIGN = 3;
const MAX_HELD = 16;

/** The traces of one stream that have or may have begun. A line belongs to at most one of them. */
export class OpenTraces {
  readonly #families: readonly TraceFamily[];
  /** The trace that went on most recently comes first, then the one that began first. */
  #traces: OpenTrace[] = [];
  #acceptedLines = new WeakSet<TextLine>();

  constructor(families: readonly TraceFamily[] = TRACE_FAMILIES) {
    this.#families = families;
  }

  /** Offers a line to the open traces, then to the families as a first line. Returns the failures of ended traces. */
  push(line: TextLine): TextFailure[] {
    if (!this.#offer(line)) this.#begin(line);
    return this.#releaseEnded();
  }

  /** Counts a line that belongs to no trace. */
  skip(): TextFailure[] {
    for (const trace of this.#traces) trace.skip();
    return this.#releaseEnded();
  }

  endAll(): TextFailure[] {
    for (const trace of this.#traces) trace.isOver = true;
    this.#acceptedLines = new WeakSet();
    return this.#releaseEnded();
  }

  /** Start of the first line that a trace may still release; infinite without one. */
  get waitingFrom(): number {
    return Math.min(...this.#traces.map((trace) => trace.waitingFrom));
  }

  /** Approximate, in UTF-16 units. */
  get heldLength(): number {
    return this.#traces.reduce((sum, trace) => sum + trace.heldLength, 0);
  }

  /** Returns whether a trace accepted the line: the first one that does. */
  #offer(line: TextLine): boolean {
    const concerned: OpenTrace[] = [];
    const others: OpenTrace[] = [];
    let isAccepted = false;
    for (const trace of this.#traces) {
      const step: Step = isAccepted || trace.isOver ? 'foreign' : trace.classify(line);
      this.#take(trace, step, line);
      isAccepted ||= step === 'accept' || step === 'last';
      (step === 'foreign' ? others : concerned).push(trace);
    }
    this.#traces = [...concerned, ...others];
    return isAccepted;
  }

  #take(trace: OpenTrace, step: Step, line: TextLine): void {
    switch (step) {
      case 'accept':
        this.#accept(trace, line);
        break;
      case 'last':
        this.#accept(trace, line);
        trace.isOver = true;
        break;
      case 'hold':
        trace.hold(line);
        break;
      case 'ended':
        trace.isOver = true;
        break;
      case 'foreign':
        trace.skip();
        break;
    }
  }

  #accept(trace: OpenTrace, line: TextLine | undefined): void {
    const lines = trace.accept(line, (held) => !this.#acceptedLines.has(held));
    for (const accepted of lines) this.#acceptedLines.add(accepted);
    const accepted = new Set(lines);
    for (const other of this.#traces) if (other !== trace && other.isReplacedBy(trace, accepted)) other.discard();
  }

  #begin(line: TextLine): void {
    const begun = this.#beginningWith(line);
    if (begun.length === 0) return;
    const before = this.#acceptedLines.has(line) ? [] : this.#traces.filter((trace) => trace.holdsLast(line));
    this.#traces = [...before, ...begun, ...this.#traces.filter((trace) => !before.includes(trace))];
    for (const oldest of this.#traces.slice(MAX_OPEN_TRACES)) oldest.isOver = true;
  }

  /** The traces that may begin with a line; a certain one replaces the others. */
  #beginningWith(line: TextLine): OpenTrace[] {
    const begun: OpenTrace[] = [];
    for (const family of this.#families) {
      const start = family.begin(line.matched);
      if (start === undefined) continue;
      const trace = new OpenTrace(family, start, line);
      if (start.isCertain) {
        this.#accept(trace, undefined);
        return [trace];
      }
      begun.push(trace);
    }
    return begun;
  }

  #releaseEnded(): TextFailure[] {
    const ended = this.#traces.filter((trace) => trace.isOver || trace.isSwallowing);
    if (ended.length === 0) return [];
    this.#traces = this.#traces.filter((trace) => !trace.isOver);
    return ended.flatMap((trace) => trace.release() ?? []);
  }
}

/** A trace that may have begun. Held lines stay free for others until a later one is accepted; those beyond the bounds are dropped. */
class OpenTrace {
  readonly #family: TraceFamily;
  readonly #start: TraceStart;
  readonly #first: TextLine;
  #accepted: TextLine[] = [];
  #held: TextLine[] = [];
  #bytes = 0;
  #foreign = 0;
  #isProven = false;
  isOver = false;
  /** Whether the failure reached its bounds and is released; its further lines are dropped. */
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
  get heldLength(): number {
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
    const accepted = this.#held.filter(isFree);
    if (line !== undefined) accepted.push(line);
    this.#held = [];
    this.#foreign = 0;
    this.#isProven = true;
    for (const each of accepted) this.#keep(each);
    return accepted;
  }

  #keep(line: TextLine): void {
    const bytes = Buffer.byteLength(line.printed) + 1;
    const isFull = this.#accepted.length >= MAX_TRACE_LINES || this.#bytes + bytes > MAX_TRACE_BYTES;
    if (isFull && this.#accepted.length > 0) this.isSwallowing = true;
    if (this.isSwallowing) return;
    this.#accepted.push(line);
    this.#bytes += bytes;
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
