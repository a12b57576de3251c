import { type ParsedTrace, stackFrom, type TraceFamily, type TraceStart } from '../trace-family.js';

const FATAL = /(?:^|[\s:])(?:PHP )?((?:Fatal|Parse|Recoverable fatal|Catchable fatal) error): {1,2}/;
const UNCAUGHT = 'Uncaught ';
const ON_LINE = / in \S.{0,1023} on line \d{1,9}$/;
const IN_FILE = / in \S[^\n]{0,1023}:\d{1,9}$/;
/** UTF-16 units at the end of a message that may be the location. */
const MAX_LOCATION = 1_100;
const EXCEPTION = /^(?:PHP )?(\\?[A-Za-z_]\w{0,127}(?:\\[A-Za-z_]\w{0,127}){0,16})(?:: |$| in )/;
const LOGGED = /\{"exception":"\[object\] \(([A-Za-z_][\w\\]{0,255})\(code: [^)]{0,64}\): /;
const TITLE = /^(?:PHP )?(?:Stack trace:|\[stacktrace\]|\[previous exception\] )/;
const FRAME = /^(?:PHP )?\s*#?\d{1,6}(?: |\. )/;
const NEXT = /^(?:PHP )?Next (\\?[A-Za-z_]\w{0,127}(?:\\[A-Za-z_]\w{0,127}){0,16})(?:: | in )/;
const THROWN = /^(?:PHP )? {2}thrown in /;
const LOGGED_END = /^"\}/;

/** PHP fatal errors, uncaught exceptions, and exceptions in Monolog's line format. The last exception of a chain is the failure. */
export const PHP: TraceFamily = {
  format: 'php',

  begin(line) {
    if (!line.includes('rror: ') && !line.includes('{"exception"')) return undefined;
    if (LOGGED.test(line)) return { isCertain: true, step: trace() };
    const match = FATAL.exec(line);
    if (match === null) return undefined;
    const isUncaught = line.startsWith(UNCAUGHT, match.index + match[0].length);
    if (isUncaught) return { isCertain: true, step: trace() };
    return ON_LINE.test(line)
      ? { isCertain: true, step: (next) => (TITLE.test(next) || FRAME.test(next) ? 'accept' : 'ended') }
      : undefined;
  },

  parse(lines) {
    const first = lines[0] ?? '';
    const fatal = FATAL.exec(first);
    if (fatal === null) return parseMonolog(lines);
    const at = fatal.index + fatal[0].search(/[PFRC]/);
    const stack = stackFrom(lines, 0, at);
    const messageAt = fatal.index + fatal[0].length;
    if (!first.startsWith(UNCAUGHT, messageAt)) {
      const message = withoutLocation(first.slice(messageAt), ON_LINE);
      return { errorName: fatal[1] ?? 'Fatal error', message, stack, level: 'fatal' };
    }
    const next = lines.findLastIndex((line) => NEXT.test(line));
    const head =
      next === -1 ? first.slice(messageAt + UNCAUGHT.length) : (lines[next]?.replace(/^(?:PHP )?Next /, '') ?? '');
    const errorName = EXCEPTION.exec(head)?.[1] ?? 'Exception';
    const behind = lines.slice(Math.max(next, 0) + 1);
    const end = behind.findIndex((line) => TITLE.test(line));
    const printed = [head.slice(errorName.length), ...behind.slice(0, Math.max(end, 0))].join('\n');
    return { errorName, message: withoutLocation(printed, IN_FILE).replace(/^: /, ''), stack, level: 'fatal' };
  },
};

function withoutLocation(printed: string, location: RegExp): string {
  const end = Math.max(0, printed.length - MAX_LOCATION);
  return (printed.slice(0, end) + printed.slice(end).replace(location, '')).trim();
}

function parseMonolog(lines: readonly string[]): ParsedTrace {
  const first = lines[0] ?? '';
  const match = LOGGED.exec(first);
  const messageAt = (match?.index ?? 0) + (match?.[0].length ?? 0);
  const printed = first.slice(messageAt);
  const location = printed.lastIndexOf(' at ');
  return {
    errorName: match?.[1]?.replaceAll('\\\\', '\\') ?? 'Exception',
    message: (location === -1 ? printed : printed.slice(0, location)).trim(),
    stack: stackFrom(lines, 0, match?.index ?? 0),
    level: 'error',
  };
}

function trace(): TraceStart['step'] {
  let hasTitle = false;
  return (line) => {
    if (THROWN.test(line) || LOGGED_END.test(line)) return 'last';
    if (TITLE.test(line) || NEXT.test(line)) {
      hasTitle = TITLE.test(line);
      return 'accept';
    }
    if (FATAL.test(line)) return 'ended';
    if (!hasTitle || line.trim() === '') return 'hold';
    return FRAME.test(line) ? 'accept' : 'foreign';
  };
}
