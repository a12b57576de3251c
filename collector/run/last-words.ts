import { cutText } from '../../core/event/text.js';
import { detectParser } from '../../core/fingerprint/stack/parsers/stack-parsers.js';
import { findExceptionHeader } from '../log-parsing/exception-header.js';
import { END_FAMILIES, OpenTraces } from '../log-parsing/open-traces.js';
import { createTextLine, type TextFailure, type TextLine } from '../log-parsing/text-failure.js';

/** UTF-16 units of a line that are searched, and of a message. */
const MAX_MESSAGE = 2_048;
/** A line that goes on what the line before says. */
const GOES_ON = /^(?:\s|$)|^(?:stack ?trace(?:back)?|backtrace|traceback)\b.{0,64}:$/i;

/** Lines that do not say why a program failed. */
const SAYS_NOTHING: readonly RegExp[] = [
  // Blank lines, separators, carets, closing brackets.
  /^[^\p{L}\p{N}]*$/u,
  // Usage.
  /^\s*(?:usage|options|commands|arguments|examples?):|^\s+-{1,2}[A-Za-z]|^\s*(?:try|run|see|use) .{0,256}(?:help|usage|-h\b)/i,
  // Progress.
  /^\s*(?:\S{1,64} )?(?:[[|(].{0,256}[\])|] ?)?\d{1,3}(?:\.\d{1,4})? ?%|\d ?%(?: (?!\d)|$)|^\s*\[?\d{1,9}\/\d{1,9}\]?\s/,
  // Hints.
  /^\s*(?:note|hint|help|tip): |^\s*for (?:more|further) (?:information|details)|complete log of this run/i,
  // What Perl and shells add to the line before.
  /^(?:BEGIN failed--compilation aborted|Compilation failed in require) at |^Execution of .{1,512} aborted due to compilation errors\.$|^\S[^:]{0,511}: line \d{1,9}: `.*'$/,
  // Frames.
  /^\s+(?:at \S|@ +0x)|^\s*(?:#\d{1,5} |\d{1,5}: {1,3}(?:0x|\S{1,512}::))|^\t\S.{0,512}:\d{1,9}(?: \+0x\w{1,16})?$|\) ?\[0x\w{1,16}\]$|^(?:stack backtrace|goroutine \d.{0,256}):$|^created by \S|^(?:[\w.-]{1,128}\/){0,16}[\w-]{1,128}\.(?:\(\*?\w{1,128}\)\.)?\w[\w.]{0,256}(?:\(.{0,512}\))?$/,
  // What launchers add.
  /^(?:Node\.js v\d\S*|exit status \d{1,3}|Aborted(?: \(core dumped\))?|Crash dump is being written to.*|escript: There were compilation errors\.|\S{1,64}: Error is not recoverable: exiting now)$/,
];

/** Returns the index of the last line that may say why a program failed; -1 without one. */
export function lastMeaningful(lines: readonly string[]): number {
  return lines.findLastIndex((line) => {
    const start = cutText(lineOf(line, 0).clean, MAX_MESSAGE);
    return !SAYS_NOTHING.some((pattern) => pattern.test(start));
  });
}

/** What the last lines of a stream say: a failure of a known form, or a text; undefined if they say nothing. */
export function lastWordsOf(lines: readonly string[]): TextFailure | string | undefined {
  const at = lastMeaningful(lines);
  if (at === -1) return undefined;
  const traces = new OpenTraces(END_FAMILIES);
  const traced = lines.flatMap((line, index) => traces.push(lineOf(line, index)));
  const failure = [...traced, ...traces.endAll()].find(({ span }) => span.from <= at && span.to > at);
  const clean = lines.map((line, index) => lineOf(line, index).clean);
  // Calls may follow.
  const end = clean.findLastIndex((line, index) => index === at || detectParser(line) !== null) + 1;
  return failure ?? paragraphOf(clean.slice(0, end), at);
}

/** The last paragraph: indented lines and calls belong to the line before them, which names the failure if calls follow. */
function paragraphOf(lines: readonly string[], at: number): TextFailure | string {
  const calls = lines.map((line) => detectParser(line) !== null);
  const from = Math.max(
    lines.findLastIndex((line, index) => index <= at && calls[index] !== true && !GOES_ON.test(line)),
    0,
  );
  const text = lines.slice(from).join('\n').trim();
  if (!calls.includes(true, from + 1)) return cutText(text, MAX_MESSAGE);
  const [header = ''] = cutText(text, MAX_MESSAGE).split('\n', 1);
  const { name = 'ProcessExit', messageAt = 0 } = findExceptionHeader(header) ?? {};
  const value = { error_name: name, message: header.slice(messageAt).trim(), stack: text, level: 'fatal' };
  return { format: 'text', value, text, span: { from, to: lines.length } };
}

function lineOf(line: string, index: number): TextLine {
  return createTextLine(line, { from: index, to: index + 1 });
}
