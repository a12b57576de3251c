import { isLogLine, stackFrom, type TraceFamily, type TraceStart } from '../trace-family.js';

const TITLE = 'Traceback (most recent call last):';
const GROUP_TITLE = /^\s*\+ Exception Group Traceback \(most recent call last\):$/;
const FILE = /^\s*(?:\| +)?File "/;
const FILE_ALONE = /^ {2}File "[^"]{1,1024}", line \d{1,9}$/;
const SYNTAX = /^(?:SyntaxError|IndentationError|TabError)(?:: |$)/;
const EXCEPTION = /^([A-Za-z_][\w.]{0,255}(?:\.<locals>\.[\w.]{1,255})?)(?:: (.*)|:?)$/s;
const LEVEL_WORD = /^(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)$/i;
const GROUP_LINE = /^\s+[|+]/;
const GROUP_MARGIN = /^\s+\| /;
/** Lines of source and carets under a frame's location. */
const MAX_FRAME_LINES = 16;
const CHAIN =
  /^(?:The above exception was the direct cause of the following exception|During handling of the above exception, another exception occurred):$/;

/** Python tracebacks, exception groups, and syntax errors without a title. The last exception of a chain is the failure. */
export const PYTHON: TraceFamily = {
  format: 'python',

  begin(line) {
    if (FILE_ALONE.test(line)) return { isCertain: false, step: syntaxError() };
    return line.endsWith(TITLE) ? { isCertain: false, step: traceback(GROUP_TITLE.test(line)) } : undefined;
  },

  parse(lines) {
    const title = lines[0]?.lastIndexOf(TITLE) ?? -1;
    const isGroup = GROUP_TITLE.test(lines[0] ?? '');
    const found = exceptionIn(lines, isGroup);
    return { ...found, stack: stackFrom(lines, 0, isGroup || title === -1 ? 0 : title), level: 'error' };
  },
};

function exceptionOn(line: string): { errorName: string; message: string } | undefined {
  const found = EXCEPTION.exec(line);
  const errorName = found?.[1] ?? '';
  if (found === null || LEVEL_WORD.test(errorName)) return undefined;
  return { errorName, message: found[2]?.trim() ?? '' };
}

/** The first exception of a group, or the one after the frames of the last traceback, which is not indented. */
function exceptionIn(lines: readonly string[], isGroup: boolean): { errorName: string; message: string } {
  const after = isGroup
    ? lines.filter((line) => GROUP_MARGIN.test(line)).map((line) => line.replace(GROUP_MARGIN, ''))
    : lines.slice(lines.findLastIndex((line) => FILE.test(line)) + 1);
  const found = after.map(exceptionOn).find((one) => one !== undefined);
  return found ?? { errorName: isGroup ? 'ExceptionGroup' : 'Exception', message: '' };
}

function syntaxError(): TraceStart['step'] {
  return (line) => {
    if (SYNTAX.test(line)) return 'last';
    return /^\s+\S/.test(line) ? 'hold' : 'ended';
  };
}

function traceback(startsAsGroup: boolean): TraceStart['step'] {
  let state: 'title' | 'frames' | 'exception' | 'chain' = 'title';
  let isGroup = startsAsGroup;
  let linesOfFrame = 0;
  return (line) => {
    if (line.trim() === '') return 'hold';
    if (line.endsWith(TITLE) && !(isGroup && GROUP_MARGIN.test(line))) {
      if (state !== 'chain') return 'ended';
      state = 'title';
      isGroup = GROUP_TITLE.test(line);
      return 'accept';
    }
    if (state === 'title') {
      if (!FILE.test(line)) return isGroup && GROUP_LINE.test(line) ? 'accept' : 'foreign';
      state = 'frames';
      return 'accept';
    }
    if (CHAIN.test(line)) {
      state = 'chain';
      return 'accept';
    }
    if (isGroup) return GROUP_LINE.test(line) ? 'accept' : 'foreign';
    if (state === 'frames') {
      linesOfFrame = FILE.test(line) ? 0 : linesOfFrame + 1;
      if (/^\s/.test(line)) return linesOfFrame > MAX_FRAME_LINES ? 'foreign' : 'accept';
      if (exceptionOn(line) === undefined) return 'foreign';
      state = 'exception';
      return 'accept';
    }
    return isLogLine(line) ? 'ended' : 'hold';
  };
}
