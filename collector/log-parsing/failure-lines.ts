import { createJsonLines } from './json-lines.js';
import { createOpenTraces } from './open-traces.js';
import { createTextLine, type FailureLines, type LineSpan, type TextFailure } from './text-failure.js';

/** UTF-16 units of all held lines; above it every open trace ends. */
const MAX_HELD_LENGTH = 8 * 1_048_576;

/** Finds JSON log lines and stack traces, in the order in which they began, so that a restart from `waitingFrom` finds no failure twice. */
export function createFailureLines(minSeverity: string): FailureLines {
  const readJson = createJsonLines(minSeverity);
  const traces = createOpenTraces();
  let ready: TextFailure[] = [];
  let readyLength = 0;

  const add = (failures: readonly TextFailure[]): void => {
    for (const failure of failures) {
      if (failure.format === 'log' && minSeverity === 'fatal' && failure.value['level'] !== 'fatal') continue;
      ready.push(failure);
      readyLength += failure.text.length;
    }
  };
  const release = (): TextFailure[] => {
    if (ready.length === 0) return [];
    const waitingFrom = traces.waitingFrom();
    const released = ready.filter(({ span }) => span.to <= waitingFrom);
    ready = ready.filter(({ span }) => span.to > waitingFrom);
    readyLength = ready.reduce((sum, { text }) => sum + text.length, 0);
    return released.sort((one, other) => one.span.from - other.span.from);
  };

  return {
    push(printed: string, span: LineSpan): readonly TextFailure[] {
      const line = createTextLine(printed, span);
      const json = readJson(line);
      if (json === undefined) {
        add(traces.push(line));
      } else {
        add(traces.skip());
        add(json);
      }
      if (traces.heldLength() + readyLength > MAX_HELD_LENGTH) add(traces.endAll());
      return release();
    },
    flush(): readonly TextFailure[] {
      add(traces.endAll());
      return release();
    },
    get waitingFrom(): number {
      return ready.reduce((least, { span }) => Math.min(least, span.from), traces.waitingFrom());
    },
  };
}
