import { type ExceptionHeader, findExceptionHeader, findLeadingName } from '../exception-header.js';
import {
  type ExceptionForm,
  isLogLine,
  messageFrom,
  stackFrom,
  startException,
  type TraceFamily,
} from '../trace-family.js';

const THREAD = /^Exception in thread "([^"]{0,256})" /;
const QUALIFIED_FIRST = /^\s*((?:[a-z_$][\w$]*\.)+[A-Z_$][\w$]*)(?::(?: |$)|$)/;
const FRAME =
  /^\s+at [^\s()]+\((?:[\w$.-]+\.(?:java|kt|kts|scala|groovy|clj)(?::\d+)?|Native Method|Unknown Source|[\w$.<>-]+(?::\d+)?)\)(?: ~?\[[^\]]*\])?\s*$/;
const NEXT_EXCEPTION = /^\s*(?:Caused by|Suppressed|Wrapped by): /;
const OMITTED = /^\s+\.\.\. \d+ (?:more|common frames omitted|frames? (?:truncated|excluded))/;
const CIRCULAR = /^\s*(?:Caused by: |Suppressed: )?\[CIRCULAR REFERENCE: ?/;

/** Traces of `printStackTrace` and JVM loggers. The outermost exception is the failure. */
export const JAVA: TraceFamily = {
  format: 'java',

  begin(line) {
    if (THREAD.test(line)) return startException(EXCEPTION, true);
    if (headerOf(line) !== undefined) return startException(EXCEPTION, false);
    if (isLogLine(line) || findLeadingName(line) === undefined) return undefined;
    return startException(BARE_NAME, false);
  },

  parse(lines) {
    const first = lines[0] ?? '';
    const at = THREAD.exec(first)?.[0].length ?? 0;
    const header = headerOf(first) ?? findLeadingName(first) ?? { at, name: 'Exception', messageAt: first.length };
    return {
      errorName: header.name,
      message: messageFrom(lines, 0, header.messageAt, isTrace),
      stack: stackFrom(lines, 0, header.at),
      level: THREAD.exec(first)?.[1] === 'main' ? 'fatal' : 'error',
    };
  },
};

/** Finds a qualified class name at the start, or an error name anywhere. */
function headerOf(line: string): ExceptionHeader | undefined {
  const thread = THREAD.exec(line)?.[0].length ?? 0;
  const match = QUALIFIED_FIRST.exec(line.slice(thread));
  const name = match?.[1];
  if (match === null || name === undefined) {
    const any = thread === 0 ? undefined : findLeadingName(line.slice(thread));
    if (any === undefined) return findExceptionHeader(line);
    return { at: thread, name: any.name, messageAt: thread + any.messageAt };
  }
  const at = thread + match[0].indexOf(name);
  return { at, name, messageAt: thread + match[0].length };
}

function isTrace(line: string): boolean {
  return FRAME.test(line) || NEXT_EXCEPTION.test(line) || OMITTED.test(line) || CIRCULAR.test(line);
}

const EXCEPTION: ExceptionForm = {
  isHeader: (line) => headerOf(line) !== undefined,
  isTrace,
  furtherException: NEXT_EXCEPTION,
};
/** After a name that is alone proof of nothing: a frame follows at once. */
const BARE_NAME: ExceptionForm = { ...EXCEPTION, isHeader: () => true };
