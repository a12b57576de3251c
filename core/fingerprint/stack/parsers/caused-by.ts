import { createLineVisitor, eachLine, type IsForeignLine, type ParseLine } from './frame-lines.js';
import { MAX_LINE_LENGTH, type ParsedStack } from './stack-parser.js';
import { isCancellation } from './traced-exception.js';

/** The first letter of `Caused by: ` and `caused by: ` is tested alone, because each search reads the whole stack. */
const MARKS = ['aused by: ', '[cause]: '] as const;
/** The last causes of a longer chain are used. */
const MAX_CAUSES = 16;
/** The message after the type, up to the end of its line. */
const MESSAGE = /^:\s{1,8}(\S[^\n]{0,1023})/;
const TYPE_NAME = /^(?:Uncaught )?([A-Za-z_$][\w.$]{0,255})(?=$|[:\s{(])/;

/** Parses a chain in which each cause follows after `Caused by:` or `[cause]:`; the last one is the root. Suppressed exceptions are skipped. */
export function parseCauses(stack: string, parseLine: ParseLine, isForeign: IsForeignLine): ParsedStack {
  const starts = causeStarts(stack);
  let root = rootOf(stack, starts.at(-1));
  let rootEnd = stack.length;
  while (isCancellation(root)) {
    rootEnd = starts.pop() ?? rootEnd;
    root = rootOf(stack, starts.at(-1));
  }
  return {
    rootCause: root.type,
    rootMessage: root.message,
    walk: (visit, defer) => {
      const visitLine = createLineVisitor(parseLine, isForeign, visit, defer);
      let end = rootEnd;
      for (let index = starts.length - 1; index >= -1; index--) {
        const start = starts[index] ?? 0;
        let isSuppressed = false;
        const isLeft = eachLine(
          stack,
          (line) => {
            isSuppressed = line.startsWith('Suppressed: ');
            return !isSuppressed && (!line.startsWith('at ') || visitLine(line));
          },
          start,
          end,
        );
        if (!isLeft && !isSuppressed) return;
        end = start;
      }
    },
  };
}

function rootOf(stack: string, start: number | undefined): { type: string | null; message: string | null } {
  if (start === undefined) return { type: null, message: null };
  const header = stack.slice(start, start + MAX_LINE_LENGTH);
  const type = TYPE_NAME.exec(header);
  if (type === null) return { type: null, message: null };
  return { type: type[1] ?? null, message: MESSAGE.exec(header.slice(type[0].length))?.[1] ?? null };
}

/** Positions of the causes, after their marks, in the order of the text. */
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

/** `Caused by:` must start a line (an indented one belongs to a suppressed exception), `[cause]:` follows its indent. */
function isMarkAt(stack: string, at: number): boolean {
  if (stack[at] === '[') return stack[at - 1] === ' ';
  return stack[at - 2] === '\n' && (stack[at - 1] === 'C' || stack[at - 1] === 'c');
}
