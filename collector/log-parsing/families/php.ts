import { isLogLine, type ParsedTrace, stackFrom, type TraceFamily, type TraceStart } from '../trace-family.js';

const FATAL = /(?:^|[\s:])(?:PHP )?((?:Fatal|Parse|Recoverable fatal|Catchable fatal) error): {1,2}/;
const UNCAUGHT = 'Uncaught ';
const ON_LINE = / in \S.{0,1023} on line \d{1,9}$/;
const IN_FILE = / in \S[^\n]{0,1023}:\d{1,9}$/;
/** UTF-16 units at the end of a message that may be the location. */
const MAX_LOCATION = 1_100;
const NAME = String.raw`[A-Za-z_]\w{0,127}`;
const CLASS = String.raw`\\?${NAME}(?:\\${NAME}){0,16}`;
const CLASS_WITH_NAMESPACE = String.raw`\\?${NAME}(?:\\${NAME}){1,16}`;
/** Before version 7, name and message were quoted. */
const QUOTED = "' with message ";
const EXCEPTION = new RegExp(`^(?:PHP )?(?:exception ')?(${CLASS})(?:${QUOTED}|: |$| in )`);
const LOGGED = /\{(?:"[^{}]{0,400},)?"exception":"\[object\] \(([A-Za-z_][\w\\]{0,255})\(code: [^)]{0,64}\): /;
const TITLE =
  /^(?:PHP )?(?:Stack [Tt]race:|\[stacktrace\]|\[previous exception\] |Call Stack:|Exception trace:|#trace)/;
const FRAME = /^(?:PHP )?\s*(?:#?\d{1,6}(?: |\. )|\d{1,6}\.\d{1,6} {1,12}\d{1,12} {1,8}\d{1,4}\. )/;
/** A call that nothing else prints. */
const CALL = /^\s{0,8}#\d{1,5} (?:\S.{0,1023}?\(\d{1,9}\)|\[internal function\]): \S/;
const MAIN = /^\s{0,8}#\d{1,5} \{main\}/;
/** A call on a console of Symfony. */
const CONSOLE_CALL = /^ {1,8}(?:\S{1,512}\(\) )?at \S.{0,1023}\.php:\d{1,9}$/;
/** A line that may be a header, by its class, file, level or first words; only calls below it prove it. */
const MAY_BE_HEADER =
  /(?:Error|Exception)(?:: | in |\]|' with|$)|\.php(?:[:( ]|$)|ERROR|CRITICAL|ALERT|EMERGENCY|^(?:\[\w{1,20}\] )?(?:Undefined|Call to|Uncaught) /;
const CLASS_IN = new RegExp(
  `(?:^|[\\s\\]:"([])(?:exception ')?(${CLASS_WITH_NAMESPACE}|(?:[A-Z]\\w{0,120})?(?:Error|Exception))(?:${QUOTED}|: | in )`,
);
/** The class of an exception on a console of Symfony, alone in its line. */
const CLASS_IN_BRACKETS = new RegExp(`^\\s{1,8}\\[(${CLASS})(?: \\([^)]{1,64}\\))?\\]\\s*$`);
/** A location at the end of a header; of Drupal with the method. */
const LOCATION = / (?:in|at) \S[^\n]{0,1023}?(?::| on line | \(line )\d{1,9}(?: of .{1,1023})?[).]{0,2}$/;
const NEXT = new RegExp(`^(?:PHP )?Next (?=${CLASS}(?:: | in ))`);
/** Lines between a header and its calls. */
const MAX_MESSAGE_LINES = 6;
const THROWN = /^(?:PHP )? {2}thrown in /;
const LOGGED_END = /^"\}/;

/** PHP fatal errors, uncaught exceptions, and exceptions in Monolog's line format. The last exception of a chain is the failure. */
export const PHP: TraceFamily = {
  format: 'php',

  begin(line) {
    if (!line.includes('rror: ') && !line.includes('"exception":"[')) return undefined;
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
    return { ...uncaughtIn(unfold(lines), messageAt + UNCAUGHT.length), stack, level: 'fatal' };
  },
};

/** Name and message of the last exception of a chain; those of the first one begin at `at` in the first line. */
function uncaughtIn(lines: readonly string[], at: number): Pick<ParsedTrace, 'errorName' | 'message'> {
  const next = lines.findLastIndex((line) => NEXT.test(line));
  const head = next === -1 ? (lines[0] ?? '').slice(at) : (lines[next] ?? '').replace(NEXT, '');
  const [written = '', errorName = 'Exception'] = EXCEPTION.exec(head) ?? [];
  const behind = lines.slice(Math.max(next, 0) + 1);
  const end = behind.findIndex((line) => TITLE.test(line));
  const own = head.slice(written.replace(/ in $/, '').length);
  const message = withoutLocation([own, ...behind.slice(0, Math.max(end, 0))].join('\n'), IN_FILE);
  return { errorName, message: written.endsWith(QUOTED) ? message.replace(/^'|'$/g, '') : message };
}

/** The lines of a trace that a web server wrote on one line, with a space or `\n` for a newline. */
function unfold(lines: readonly string[]): readonly string[] {
  const [first = '', ...others] = lines;
  if (!first.includes('Stack trace:')) return lines;
  return [...first.split(/(?:\\n| )(?=Stack trace:|#\d{1,5} | {0,2}thrown in )/), ...others];
}

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

/** PHP exceptions that a logger or a console printed in a form of its own, with a header or without. */
export const PHP_LOGGED: TraceFamily = {
  format: 'php',

  begin(line) {
    if (CALL.test(line)) return { isCertain: false, step: afterHeader(true) };
    return MAY_BE_HEADER.test(line) ? { isCertain: false, step: afterHeader(false) } : undefined;
  },

  parse(lines) {
    const end = lines.findIndex(isOfTrace);
    const header = lines.slice(0, end);
    const bracketed = header.findIndex((line) => CLASS_IN_BRACKETS.test(line));
    const [first = ''] = header;
    const named = bracketed === -1 ? CLASS_IN.exec(first) : CLASS_IN_BRACKETS.exec(header[bracketed] ?? '');
    const messageAt = bracketed === -1 && named !== null ? named.index + named[0].length : 0;
    const printed = header
      .slice(bracketed + 1)
      .join('\n')
      .slice(messageAt);
    return {
      errorName: named?.[1]?.replace(/^\\/, '') ?? 'Exception',
      message: withoutLocation(printed, LOCATION),
      stack: stackFrom(lines),
      level: 'error',
    };
  },
};

function isOfTrace(line: string): boolean {
  return CALL.test(line) || MAIN.test(line) || TITLE.test(line) || CONSOLE_CALL.test(line);
}

/** A second call proves a trace that began with one. */
function afterHeader(isInCalls: boolean): TraceStart['step'] {
  let hasCalls = isInCalls;
  let held = 0;
  return (line) => {
    if (CALL.test(line) || MAIN.test(line) || CONSOLE_CALL.test(line)) {
      hasCalls = true;
      return MAIN.test(line) ? 'last' : 'accept';
    }
    if (line.trim() === '' || TITLE.test(line)) return 'hold';
    held += 1;
    return hasCalls || held > MAX_MESSAGE_LINES || isLogLine(line) ? 'ended' : 'hold';
  };
}
