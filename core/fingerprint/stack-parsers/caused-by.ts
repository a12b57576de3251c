import type { StackFrame } from '../frames.js';
import { MAX_LINE_LENGTH, MAX_LINES, type ParsedStack } from './stack-parser.js';

type ParseLine = (line: string) => StackFrame | null;
type Take = (frame: StackFrame) => boolean;

const MARKS = ['Caused by: ', '[cause]: '] as const;
/** Causes that are looked at, the last ones of a longer chain. */
const MAX_CAUSES = 16;
const TYPE_NAME = /^(?:Uncaught )?([A-Za-z_$][\w.$]{0,255})(?=$|[:\s{(])/;

/**
 * A text in which each exception is followed by its cause, behind `Caused by:` or `[cause]:`; the last one is the root.
 * What was suppressed on the way is another failure and not looked at.
 */
export function parseCauses(stack: string, parseLine: ParseLine): ParsedStack {
  const starts = causeStarts(stack);
  const root = starts.at(-1);
  return {
    rootCause: root === undefined ? null : (TYPE_NAME.exec(stack.slice(root, root + MAX_LINE_LENGTH))?.[1] ?? null),
    walk: (take) => {
      let end = stack.length;
      for (const start of starts.toReversed()) {
        if (!walkException(stack, start, end, parseLine, take)) return;
        end = start;
      }
      walkException(stack, 0, end, parseLine, take);
    },
  };
}

/** Where the causes begin, behind their marks, in the order of the text. */
function causeStarts(stack: string): number[] {
  const starts: number[] = [];
  for (const mark of MARKS) {
    let at = stack.indexOf(mark);
    while (at >= 0) {
      if (isMarkAt(stack, at)) starts.push(at + mark.length);
      if (starts.length > MAX_CAUSES) starts.shift();
      at = stack.indexOf(mark, at + mark.length);
    }
  }
  return starts.sort((a, b) => a - b);
}

/** `Caused by:` stands at the beginning of a line (further in it belongs to something suppressed), `[cause]:` behind the indent of its depth. */
function isMarkAt(stack: string, at: number): boolean {
  return at > 0 && (stack[at] === '[' ? stack[at - 1] === ' ' : stack[at - 1] === '\n');
}

function walkException(stack: string, start: number, end: number, parseLine: ParseLine, take: Take): boolean {
  let at = start;
  for (let lines = 0; lines < MAX_LINES && at < end; lines++) {
    const newline = stack.indexOf('\n', at);
    const lineEnd = newline < 0 || newline > end ? end : newline;
    const line = stack.slice(at, Math.min(lineEnd, at + MAX_LINE_LENGTH)).trim();
    if (line.startsWith('at ')) {
      const frame = parseLine(line);
      if (frame !== null && !take(frame)) return false;
    } else if (line.startsWith('Suppressed: ')) return true;
    at = lineEnd + 1;
  }
  return true;
}
