import { DOTNET } from './families/dotnet.js';
import { ELIXIR } from './families/elixir.js';
import { GO } from './families/go.js';
import { JAVA } from './families/java.js';
import { LINE_FORMS } from './families/line-forms.js';
import { NODE } from './families/node.js';
import { PHP } from './families/php.js';
import { PYTHON } from './families/python.js';
import { RUBY, RUBY_LOGGED } from './families/ruby.js';
import { RUST } from './families/rust.js';
import { TEST_REPORT } from './families/test-report.js';
import { familyOfForm } from './line-form.js';
import { OpenTrace } from './open-trace.js';
import type { TextFailure, TextLine } from './text-failure.js';
import type { TraceFamily } from './trace-family.js';

/** The first family that accepts a line wins. */
const TRACE_FAMILIES: readonly TraceFamily[] = [
  ...[TEST_REPORT, NODE, PYTHON, RUBY, RUBY_LOGGED, JAVA, DOTNET, GO, RUST, PHP, ELIXIR],
  ...LINE_FORMS.filter(({ onlyAtEnd }) => onlyAtEnd !== true).map(familyOfForm),
];
/** Forms that name the failure of a program that has ended. */
export const END_FAMILIES: readonly TraceFamily[] = LINE_FORMS.filter(({ onlyAtEnd }) => onlyAtEnd).map(familyOfForm);

/** Above it the oldest trace ends. */
const MAX_OPEN_TRACES = 32;

/** Creates the traces of one stream that have or may have begun: none yet. A line belongs to at most one of them. */
export function createOpenTraces(families = TRACE_FAMILIES) {
  // The trace that went on most recently comes first, then the one that began first.
  let traces: OpenTrace[] = [];
  // Lines that a trace accepted.
  let owned = new WeakSet<TextLine>();

  const sweep = (): TextFailure[] => {
    const ended = traces.filter((trace) => trace.isOver || trace.isSwallowing);
    if (ended.length === 0) return [];
    traces = traces.filter((trace) => !trace.isOver);
    return ended.flatMap((trace) => trace.release() ?? []);
  };
  const accept = (trace: OpenTrace, line: TextLine | undefined): void => {
    const own = trace.accept(line, (one) => !owned.has(one));
    for (const one of own) owned.add(one);
    const accepted = new Set(own);
    for (const other of traces) if (other !== trace && other.isReplacedBy(trace, accepted)) other.discard();
  };
  /** Returns whether a trace accepted the line. */
  const offer = (line: TextLine): boolean => {
    const forward: OpenTrace[] = [];
    const rest: OpenTrace[] = [];
    let isAccepted = false;
    for (const trace of traces) {
      const step = isAccepted || trace.isOver ? 'foreign' : trace.classify(line);
      if (step === 'accept' || step === 'last') {
        accept(trace, line);
        if (step === 'last') trace.isOver = true;
        isAccepted = true;
      } else if (step === 'hold') trace.hold(line);
      else if (step === 'ended') trace.isOver = true;
      else trace.skip();
      (step === 'foreign' ? rest : forward).push(trace);
    }
    traces = [...forward, ...rest];
    return isAccepted;
  };
  const begin = (line: TextLine): void => {
    const begun: OpenTrace[] = [];
    for (const family of families) {
      const start = family.begin(line.matched);
      if (start === undefined) continue;
      const trace = new OpenTrace(family, start, line);
      begun.push(trace);
      if (!start.isCertain) continue;
      accept(trace, undefined);
      // A certain trace replaces uncertain ones.
      begun.splice(0, begun.length, trace);
      break;
    }
    if (begun.length === 0) return;
    const before = owned.has(line) ? [] : traces.filter((trace) => trace.holdsLast(line));
    traces = [...before, ...begun, ...traces.filter((trace) => !before.includes(trace))];
    for (const oldest of traces.slice(MAX_OPEN_TRACES)) oldest.isOver = true;
  };

  return {
    /** Offers a line to the open traces, then to the families as a first line. Returns the failures of ended traces. */
    push(line: TextLine): TextFailure[] {
      if (!offer(line)) begin(line);
      return sweep();
    },
    /** Counts a line that belongs to no trace. */
    skip(): TextFailure[] {
      for (const trace of traces) trace.skip();
      return sweep();
    },
    endAll(): TextFailure[] {
      for (const trace of traces) trace.isOver = true;
      owned = new WeakSet();
      return sweep();
    },
    /** Start of the first line that a trace may still release; infinite without one. */
    waitingFrom: () => Math.min(...traces.map((trace) => trace.waitingFrom)),
    /** Approximate, in UTF-16 units. */
    heldLength: () => traces.reduce((sum, trace) => sum + trace.heldLength(), 0),
  };
}
