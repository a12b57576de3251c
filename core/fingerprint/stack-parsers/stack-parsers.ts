import { javaParser } from './java.js';
import { MAX_LINE_LENGTH, MAX_LINES, type StackParser } from './stack-parser.js';
import { v8Parser } from './v8.js';

/** All families of stack text. A line counts for the first row that writes such lines, so the stricter family comes first. */
const STACK_PARSERS: readonly StackParser[] = [javaParser, v8Parser];

/** Lines of evidence after which a family is certain. */
const ENOUGH = 3;

/** The parser of the family that wrote most of the first lines with evidence; null when there is no evidence at all. */
export function detectParser(stack: string): StackParser | null {
  const evidence = new Map<StackParser, number>();
  let best: StackParser | null = null;
  let at = 0;
  for (let lines = 0; lines < MAX_LINES && at < stack.length; lines++) {
    const newline = stack.indexOf('\n', at);
    const end = newline < 0 ? stack.length : newline;
    const line = stack.slice(at, Math.min(end, at + MAX_LINE_LENGTH)).trim();
    const parser = STACK_PARSERS.find((row) => row.isEvidence(line));
    if (parser !== undefined) {
      const count = (evidence.get(parser) ?? 0) + 1;
      evidence.set(parser, count);
      if (best === null || count > (evidence.get(best) ?? 0)) best = parser;
      if (count === ENOUGH) break;
    }
    at = end + 1;
  }
  return best;
}
