import { type ExceptionHeader, findExceptionHeader, findLeadingName } from '../exception-header.js';
import { isLogLine, messageFrom, type Step, stackFrom, type TraceFamily, type TraceStart } from '../trace-family.js';

const CODE_LOCATION =
  /^(?:(?:file:\/\/|node:|\/|[A-Za-z]:[\\/])[^\n]{1,1024}|\[(?:worker )?eval\]|evalmachine\.<anonymous>):\d{1,9}$/;
/** Bun does not print the name of an `Error`. */
const UNNAMED = 'error: ';
/** Deno and loggers append causes. */
const FURTHER_ERROR = /^[Cc]aused by: \S/;
/** Class and name of an error; a build may have minified the class. */
const CLASS_AND_NAME = /^(?:Uncaught )?[A-Za-z_$][\w$]{0,127} \[([A-Z][\w$.]{0,120}(?:Error|Exception))\](?:: |:?$)/;
const CARETS = /^\s*\^[\^~]*\s*$/;
const FRAME_BEGIN = /^\s+at \S/;
const FRAME_END = /(?::\d{1,9}:\d{1,9}\)?|\(<anonymous>\)|\(native\)|\(index \d{1,9}\)| at <anonymous>)(?: \{|,)?$/;
const SHARED_FRAMES = /^\s+\.\.\. \d+ lines? matching cause stack trace \.\.\.$/;
const TRAILER = /^Node\.js v\d/;
const TRACE_HINT = /^\(Use `node --trace-[a-z]+/;
const OPENS_BLOCK = /[{[]$/;
/** An error without frames of its own; its members follow. */
const IN_BRACKETS = /^\[[A-Za-z_$][\w.$]{0,255}(?: \[\w{1,60}\])?(?:: .{0,4096})?\] \{$/;
const BLOCK_LINE = /^(?:\s|$)/;
const CLOSES_BLOCK = /^\s*[}\]]+$/;
/** Lines between the code location and the carets under it. */
const MAX_CODE_LINES = 4;

/** Traces of uncaught errors in Node and of `console.error(error)`: header, frames, own properties and causes in braces. */
export const NODE: TraceFamily = {
  format: 'node',

  begin(line) {
    if (CODE_LOCATION.test(line)) return { isCertain: false, step: afterCode() };
    return headerOf(line) === undefined ? undefined : { isCertain: false, step: afterHeader(line, false) };
  },

  parse(lines) {
    const trailer = lines.findIndex((line) => TRAILER.test(line));
    const isUncaught = trailer !== -1 || CODE_LOCATION.test(lines[0] ?? '');
    const ofError = trailer === -1 ? lines : lines.slice(0, trailer);
    const first = firstOfError(ofError);
    const line = ofError[first] ?? '';
    const header = ofError.some(isFrame) ? headerOf(line) : findExceptionHeader(line);
    return {
      // A thrown value may have no name.
      errorName: header?.name ?? '',
      message: messageOf(ofError, first, header?.messageAt ?? 0),
      stack: stackFrom(ofError, first, header?.at),
      level: isUncaught ? 'fatal' : 'error',
    };
  },
};

function headerOf(line: string): ExceptionHeader | undefined {
  const [whole, name] = CLASS_AND_NAME.exec(line) ?? [];
  if (whole !== undefined && name !== undefined && !isLogLine(line)) return { at: 0, name, messageAt: whole.length };
  const header = findExceptionHeader(line);
  if (header !== undefined || isLogLine(line)) return header;
  return line.startsWith(UNNAMED) ? { at: 0, name: 'Error', messageAt: UNNAMED.length } : findLeadingName(line);
}

function messageOf(lines: readonly string[], first: number, messageAt: number): string {
  const header = lines[first] ?? '';
  if (IN_BRACKETS.test(header)) return header.slice(messageAt, -'] {'.length);
  return withoutSource(messageFrom(lines, first, messageAt, (line) => isFrame(line) || TRACE_HINT.test(line)));
}

/** Deno quotes the line of the source between message and frames. */
function withoutSource(message: string): string {
  const lines = message.split('\n');
  const marks = lines.findIndex((line) => CARETS.test(line));
  return marks < 2 ? message : lines.toSpliced(marks - 1, 2).join('\n');
}

function isFrame(line: string): boolean {
  return (FRAME_BEGIN.test(line) && FRAME_END.test(line)) || SHARED_FRAMES.test(line);
}

/** Location, source, carets and a blank line may precede the error, and again those in a worker. */
function firstOfError(lines: readonly string[]): number {
  let first = 0;
  while (CODE_LOCATION.test(lines[first] ?? '')) {
    const marks = lines.findIndex((line, index) => index > first && CARETS.test(line));
    const next = lines.findIndex((line, index) => index > marks && line.trim() !== '');
    if (marks === -1 || next === -1) break;
    first = next;
  }
  return first;
}

function afterHeader(header: string, isAfterCode: boolean): TraceStart['step'] {
  const steps = new ErrorSteps(header, isAfterCode);
  return (line) => steps.step(line);
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
      return isMarked || seen < MAX_CODE_LINES ? 'hold' : 'ended';
    }
    if (line.trim() === '') return 'hold';
    after = afterHeader(line, true);
    return 'hold';
  };
}

/** Classifies the lines after the header of an error. */
class ErrorSteps {
  readonly #isAfterCode: boolean;
  readonly #mayHaveLongMessage: boolean;
  #state: 'message' | 'frames' | 'block' | 'after';

  constructor(header: string, isAfterCode: boolean) {
    this.#isAfterCode = isAfterCode;
    this.#mayHaveLongMessage = findExceptionHeader(header) !== undefined;
    this.#state = IN_BRACKETS.test(header) ? 'block' : 'message';
  }

  step(line: string): Step {
    if (isFrame(line) && this.#state !== 'after') return this.#frame(line);
    if (TRAILER.test(line)) return this.#state === 'message' && !this.#isAfterCode ? 'ended' : 'last';
    if (line.trim() === '') return 'hold';
    switch (this.#state) {
      case 'message':
        return this.#inMessage(line);
      case 'frames':
        return FURTHER_ERROR.test(line) ? this.#inMessageOfCause() : 'foreign';
      case 'block':
        return this.#inBlock(line);
      case 'after':
        return 'ended';
    }
  }

  #frame(line: string): Step {
    if (this.#state !== 'block') this.#state = OPENS_BLOCK.test(line) ? 'block' : 'frames';
    return 'accept';
  }

  #inMessageOfCause(): Step {
    this.#state = 'message';
    return 'hold';
  }

  #inMessage(line: string): Step {
    if (this.#isAfterCode && TRACE_HINT.test(line)) return 'accept';
    if (isLogLine(line)) return 'foreign';
    if (this.#isAfterCode) return 'hold';
    return this.#mayHaveLongMessage && findExceptionHeader(line) === undefined ? 'hold' : 'ended';
  }

  #inBlock(line: string): Step {
    if (CLOSES_BLOCK.test(line) && !/^\s/.test(line)) {
      this.#state = 'after';
      return 'accept';
    }
    return BLOCK_LINE.test(line) ? 'accept' : 'foreign';
  }
}
