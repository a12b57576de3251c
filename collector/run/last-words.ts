import { cutText } from '../../core/event/text.js';
import { createOpenTraces, END_FAMILIES } from '../log-parsing/open-traces.js';
import type { TextFailure } from '../log-parsing/text-failure.js';
import { createTextLine } from '../log-parsing/text-line.js';

/** UTF-16 units of a line that are searched, and of a message. */
const MAX_MESSAGE = 2_048;

/** Lines that do not say why a program failed. */
const SAYS_NOTHING: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  { what: 'blank lines, separators, carets, closing brackets', pattern: /^[^\p{L}\p{N}]*$/u },
  {
    what: 'usage',
    pattern:
      /^\s*(?:usage|options|commands|arguments|examples?):|^\s+-{1,2}[A-Za-z]|^\s*(?:try|run|see|use) .{0,256}(?:help|usage|-h\b)/i,
  },
  {
    what: 'progress',
    pattern:
      /^\s*(?:\S{1,64} )?(?:[[|(].{0,256}[\])|] ?)?\d{1,3}(?:\.\d{1,4})? ?%|\d ?%(?:\s|$)|^\s*\[?\d{1,9}\/\d{1,9}\]?\s/,
  },
  {
    what: 'hints',
    pattern: /^\s*(?:note|hint|help|tip): |^\s*for (?:more|further) (?:information|details)|complete log of this run/i,
  },
  {
    what: 'what Perl and shells add to the line before',
    pattern:
      /^(?:BEGIN failed--compilation aborted|Compilation failed in require) at |^\S[^:]{0,511}: line \d{1,9}: `.*'$/,
  },
  {
    what: 'what launchers add',
    pattern: /^(?:Node\.js v\d\S*|exit status \d{1,3}|Aborted(?: \(core dumped\))?|Crash dump is being written to.*)$/,
  },
];

/** Returns the index of the last line that may say why a program failed; -1 without one. */
export function lastMeaningful(lines: readonly string[]): number {
  return lines.findLastIndex((line) => {
    const { clean } = lineOf(line, 0);
    const start = clean.slice(0, MAX_MESSAGE);
    return !SAYS_NOTHING.some(({ pattern }) => pattern.test(start));
  });
}

/** What the last lines of a stream say: a failure of a known form, or a text; undefined if they say nothing. */
export function lastWordsOf(lines: readonly string[]): TextFailure | string | undefined {
  const at = lastMeaningful(lines);
  if (at === -1) return undefined;
  const traces = createOpenTraces(END_FAMILIES);
  const found = lines.flatMap((line, index) => traces.push(lineOf(line, index)));
  const failure = [...found, ...traces.endAll()].find(({ span }) => span.from <= at && span.to > at);
  return failure ?? cutText(lineOf(lines[at] ?? '', at).clean.trim(), MAX_MESSAGE);
}

function lineOf(line: string, index: number): ReturnType<typeof createTextLine> {
  return createTextLine(line, { from: index, to: index + 1 });
}
