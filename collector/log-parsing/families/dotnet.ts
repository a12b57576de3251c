import { dotnetLine, isEndOfInner, isOtherCall } from '../../../core/fingerprint/stack/parsers/dotnet-lines.js';
import { type ExceptionHeader, findExceptionHeader } from '../exception-header.js';
import { type ExceptionForm, messageFrom, stackFrom, startException, type TraceFamily } from '../trace-family.js';

const UNHANDLED = /(?:^|\s)Unhandled [Ee]xception[.:] /;
const FRAME_BEGIN = /^\s+at [\w<>.`[\],+$|~-]+(?:\([^()]{0,2048}\)|\(.{0,512}\))/;
const FRAME_END = /\)(?: in .{1,1024}:line \d{1,9})?\s*$/;
const INDENTED = /^ {2,}\S/;
const JVM_LOCATION = /\((?:[\w$.-]+\.(?:java|kt|scala|groovy)(?::\d+)?|Native Method|Unknown Source)\)/;
const INNER = /^\s*---> /;
const RETHROWN = /^\s*--- End of stack trace from previous location/;

/** .NET exceptions as `ToString()` and the runtime print them. The outermost exception is the failure. */
export const DOTNET: TraceFamily = {
  format: 'dotnet',

  begin(line) {
    const header = findExceptionHeader(line);
    if (UNHANDLED.test(line) && header !== undefined) return startException(EXCEPTION, true);
    return header?.name.includes('.') ? startException(EXCEPTION, false) : undefined;
  },

  parse(lines) {
    const first = lines[0] ?? '';
    const header: ExceptionHeader = findExceptionHeader(first) ?? { at: 0, name: 'Exception', messageAt: 0 };
    return {
      errorName: header.name,
      message: messageFrom(lines, 0, header.messageAt, isTrace),
      stack: stackFrom(lines, 0, header.at),
      level: UNHANDLED.test(first.slice(0, header.at)) ? 'fatal' : 'error',
    };
  },
};

function isFrame(line: string): boolean {
  return FRAME_BEGIN.test(line) && FRAME_END.test(line) && !JVM_LOCATION.test(line);
}

/** Whether an indented line is a frame in another language of the .NET Framework. */
function isOtherFrame(line: string): boolean {
  return INDENTED.test(line) && isOtherCall(line.trim()) && isFrame(` ${dotnetLine(line.trim())}`);
}

function isTrace(line: string): boolean {
  return isFrame(line) || INNER.test(line) || RETHROWN.test(line) || isOtherFrame(line) || isEndOfInner(line.trim());
}

const EXCEPTION: ExceptionForm = {
  isHeader: (line) => findExceptionHeader(line) !== undefined,
  isTrace,
  furtherException: INNER,
};
