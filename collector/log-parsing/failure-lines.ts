import { createJsonLines } from './json-lines.js';
import type { LogSeverity } from './log-level.js';
import { createOpenTraces, lowestOf } from './open-traces.js';
import type { FailureLines, LineSpan, TextFailure } from './text-failure.js';
import { createTextLine } from './text-line.js';

/** UTF-16 units held by everything that waits; when there are more, all of it is answered as it is. */
const MAX_HELD_LENGTH = 8 * 1_048_576;

/**
 * Finds failures in lines of text: JSON lines of a log by their level, stack traces by their form. Failures are answered in the order in which they
 * began, and one that lies inside a longer one waits for it: reading again from `waitingFrom` finds none twice.
 */
export function createFailureLines(minSeverity: LogSeverity): FailureLines {
  const readJson = createJsonLines(minSeverity);
  const tracks = createOpenTraces();
  let ready: TextFailure[] = [];
  let readyLength = 0;

  const add = (failures: readonly TextFailure[]): void => {
    ready.push(...failures);
    for (const { text } of failures) readyLength += text.length;
  };
  const release = (): TextFailure[] => {
    if (ready.length === 0) return [];
    const waitingFrom = tracks.waitingFrom() ?? Number.POSITIVE_INFINITY;
    const answered = ready.filter(({ span }) => span.to <= waitingFrom);
    ready = ready.filter(({ span }) => span.to > waitingFrom);
    readyLength = ready.reduce((sum, { text }) => sum + text.length, 0);
    return answered.sort((one, other) => one.span.from - other.span.from);
  };

  return {
    push(printed: string, span: LineSpan): readonly TextFailure[] {
      const line = createTextLine(printed, span);
      const json = readJson(line);
      if (json === undefined) {
        add(tracks.push(line));
      } else {
        add(tracks.skip());
        add(json);
      }
      if (tracks.heldLength() + readyLength > MAX_HELD_LENGTH) add(tracks.endAll());
      return release();
    },
    flush(): readonly TextFailure[] {
      add(tracks.endAll());
      return release();
    },
    get waitingFrom(): number | undefined {
      return lowestOf([tracks.waitingFrom(), ...ready.map(({ span }) => span.from)]);
    },
    get linesCut(): number {
      return tracks.linesCut();
    },
  };
}
