import { isLogLine, type Step, stackFrom, type TraceFamily, type TraceStart } from '../trace-family.js';

const TITLE = 'Traceback (most recent call last):';
const GROUP_TITLE = /^\s*\+ Exception Group Traceback \(most recent call last\):$/;
/** Loguru marks the call that caught the exception. */
const FILE = /^(?:> |\s*(?:\| +)?)File "/;
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
    if (!line.endsWith(TITLE)) return undefined;
    const steps = new TracebackSteps(line);
    return { isCertain: false, step: (next) => steps.step(next) };
  },

  parse(printed) {
    const indent = indentOf(printed[0] ?? '');
    const lines = indent === '' ? printed : printed.map((line) => outdented(line, indent));
    const title = lines[0]?.lastIndexOf(TITLE) ?? -1;
    const isGroup = GROUP_TITLE.test(lines[0] ?? '');
    const exception = exceptionIn(lines, isGroup);
    return { ...exception, stack: stackFrom(lines, 0, isGroup || title === -1 ? 0 : title), level: 'error' };
  },
};

/** The spaces that a logger put before every line of a traceback. */
function indentOf(title: string): string {
  return title.trimStart() === TITLE ? title.slice(0, -TITLE.length) : '';
}

function outdented(line: string, indent: string): string {
  return line.startsWith(indent) ? line.slice(indent.length) : line;
}

function exceptionOn(line: string): { errorName: string; message: string } | undefined {
  const match = EXCEPTION.exec(line);
  const errorName = match?.[1] ?? '';
  if (match === null || LEVEL_WORD.test(errorName)) return undefined;
  return { errorName, message: match[2]?.trim() ?? '' };
}

/** The first exception of a group, or the one after the frames of the last traceback, which is not indented. */
function exceptionIn(lines: readonly string[], isGroup: boolean): { errorName: string; message: string } {
  const after = isGroup
    ? lines.filter((line) => GROUP_MARGIN.test(line)).map((line) => line.replace(GROUP_MARGIN, ''))
    : lines.slice(lines.findLastIndex((line) => FILE.test(line)) + 1);
  const exception = after.map(exceptionOn).find((parsed) => parsed !== undefined);
  return exception ?? { errorName: isGroup ? 'ExceptionGroup' : 'Exception', message: '' };
}

function syntaxError(): TraceStart['step'] {
  return (line) => {
    if (SYNTAX.test(line)) return 'last';
    return /^\s+\S/.test(line) ? 'hold' : 'ended';
  };
}

/** Classifies the lines after the title of a traceback. */
class TracebackSteps {
  #state: 'title' | 'frames' | 'exception' | 'chain' = 'title';
  readonly #indent: string;
  #isGroup: boolean;
  #linesOfFrame = 0;

  constructor(title: string) {
    this.#indent = indentOf(title);
    this.#isGroup = GROUP_TITLE.test(title);
  }

  step(printed: string): Step {
    const line = outdented(printed, this.#indent);
    if (line.trim() === '') return 'hold';
    if (this.#isTitle(line)) return this.#furtherTitle(line);
    if (this.#state === 'title') return this.#afterTitle(line);
    if (CHAIN.test(line)) {
      this.#state = 'chain';
      return 'accept';
    }
    if (this.#isGroup) return GROUP_LINE.test(line) ? 'accept' : 'foreign';
    if (this.#state === 'frames') return this.#inFrames(line);
    return isLogLine(line) ? 'ended' : 'hold';
  }

  /** The titles of a group's members belong to it. */
  #isTitle(line: string): boolean {
    return line.endsWith(TITLE) && !(this.#isGroup && GROUP_MARGIN.test(line));
  }

  #furtherTitle(line: string): Step {
    if (this.#state !== 'chain') return 'ended';
    this.#state = 'title';
    this.#isGroup = GROUP_TITLE.test(line);
    return 'accept';
  }

  #afterTitle(line: string): Step {
    if (!FILE.test(line)) return this.#isGroup && GROUP_LINE.test(line) ? 'accept' : 'foreign';
    this.#state = 'frames';
    return 'accept';
  }

  #inFrames(line: string): Step {
    const isFile = FILE.test(line);
    this.#linesOfFrame = isFile ? 0 : this.#linesOfFrame + 1;
    // Copies of a log may have lost their indent.
    if (isFile || /^\s/.test(line)) return this.#linesOfFrame > MAX_FRAME_LINES ? 'foreign' : 'accept';
    if (exceptionOn(line) === undefined) return 'foreign';
    this.#state = 'exception';
    return 'accept';
  }
}
