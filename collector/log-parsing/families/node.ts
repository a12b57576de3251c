import { type ExceptionHeader, findExceptionHeader, findLeadingName } from '../exception-header.js';
import { isLogLine, messageFrom, type Step, stackFrom, type TraceFamily, type TraceStart } from '../trace-family.js';

const CODE_PLACE = /^(?:(?:file:\/\/|node:|\/|[A-Za-z]:[\\/])[^\n]{1,1024}|\[eval\]|evalmachine\.<anonymous>):\d{1,9}$/;
const CARETS = /^\s*\^[\^~]*\s*$/;
const FRAME_BEGIN = /^\s+at \S/;
const FRAME_END = /(?::\d{1,9}:\d{1,9}\)?|\(<anonymous>\)|\(native\)|\(index \d{1,9}\)| at <anonymous>)(?: \{|,)?$/;
const SHARED_FRAMES = /^\s+\.\.\. \d+ lines? matching cause stack trace \.\.\.$/;
const TRAILER = /^Node\.js v\d/;
const TRACE_HINT = /^\(Use `node --trace-[a-z]+/;
const OPENS_BLOCK = /[{[]$/;
const BLOCK_LINE = /^(?:\s|$)/;
const CLOSES_BLOCK = /^\s*[}\]]+$/;
/** Lines between the place in the code and the marks under it. */
const MAX_CODE_LINES = 4;

/** What Node prints for an uncaught error, and `console.error(error)`: header, frames, own properties and causes in braces. */
export const NODE: TraceFamily = {
  format: 'node',

  begin(line) {
    if (CODE_PLACE.test(line)) return { isCertain: false, step: afterCode() };
    return headerOf(line) === undefined ? undefined : { isCertain: false, step: afterHeader(line, false) };
  },

  parse(lines) {
    const trailer = lines.findIndex((line) => TRAILER.test(line));
    const isUncaught = trailer !== -1 || CODE_PLACE.test(lines[0] ?? '');
    const kept = trailer === -1 ? lines : lines.slice(0, trailer);
    const first = firstOfError(kept);
    const header = kept.some(isFrame) ? headerOf(kept[first] ?? '') : findExceptionHeader(kept[first] ?? '');
    return {
      // What was thrown may be no error and have no name.
      errorName: header?.name ?? '',
      message: messageFrom(kept, first, header?.messageAt ?? 0, isTrace),
      stack: stackFrom(kept, first, header?.at),
      level: isUncaught ? 'fatal' : 'error',
    };
  },
};

function headerOf(line: string): ExceptionHeader | undefined {
  return findExceptionHeader(line) ?? (isLogLine(line) ? undefined : findLeadingName(line));
}

function isFrame(line: string): boolean {
  return (FRAME_BEGIN.test(line) && FRAME_END.test(line)) || SHARED_FRAMES.test(line);
}

function isTrace(line: string): boolean {
  return isFrame(line) || TRACE_HINT.test(line);
}

/** Place in the code, source, marks, blank line: the error stands behind them. */
function firstOfError(lines: readonly string[]): number {
  if (!CODE_PLACE.test(lines[0] ?? '')) return 0;
  const marks = lines.findIndex((line) => CARETS.test(line));
  const first = lines.findIndex((line, place) => place > marks && line.trim() !== '');
  return marks === -1 || first === -1 ? 0 : first;
}

function afterCode(): TraceStart['step'] {
  let seen = 0;
  let after: TraceStart['step'] | undefined;
  let isMarked = false;
  return (line) => {
    if (after !== undefined) return after(line);
    seen += 1;
    if (!isMarked) {
      isMarked = CARETS.test(line);
      return isMarked || seen < MAX_CODE_LINES ? 'want' : 'over';
    }
    if (line.trim() === '') return 'want';
    after = afterHeader(line, true);
    return 'want';
  };
}

function afterHeader(first: string, isBehindCode: boolean): TraceStart['step'] {
  const mayHaveLongMessage = findExceptionHeader(first) !== undefined;
  let state: 'message' | 'frames' | 'block' | 'behind' = 'message';
  const inFrames = (line: string): Step => {
    state = OPENS_BLOCK.test(line) ? 'block' : 'frames';
    return 'take';
  };
  return (line) => {
    if (isFrame(line) && state !== 'behind') return state === 'block' ? 'take' : inFrames(line);
    if (TRAILER.test(line)) return state === 'message' && !isBehindCode ? 'over' : 'last';
    if (line.trim() === '') return 'want';
    if (state === 'block') {
      if (CLOSES_BLOCK.test(line) && !/^\s/.test(line)) state = 'behind';
      return BLOCK_LINE.test(line) || state === 'behind' ? 'take' : 'foreign';
    }
    if (state === 'behind') return 'over';
    if (state === 'frames') return 'foreign';
    if (isBehindCode && TRACE_HINT.test(line)) return 'take';
    if (isLogLine(line)) return 'foreign';
    if (isBehindCode) return 'want';
    return mayHaveLongMessage && findExceptionHeader(line) === undefined ? 'want' : 'over';
  };
}
