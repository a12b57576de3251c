import { isLogLine, messageFrom, type Step, stackFrom, type TraceFamily, type TraceStart } from '../trace-family.js';

const LOCATION = /^(?:.{0,256}\s)?(<internal:[^>]{1,512}>|[^\s:][^:]{0,1023}):\d{1,9}:in [`'](?:[^']{0,256})': /;
const CONSTANT = String.raw`[A-Z]\w{0,127}(?:::[A-Z]\w{0,127}){0,16}`;
const CLASS = new RegExp(` \\((${CONSTANT})\\)$`);
/** What the Logger of Ruby, Sidekiq and the tags of Rails print before each line, or only before the first one. */
const LOGGER =
  /^(?:[A-Z], \[[^\]]{1,64}\] {1,2}[A-Z]{1,8} -- [^:]{0,128}: |\d{4}-\d\d-\d\dT[\d:.]{8,18}Z (?:pid=)?\d{1,10} (?:tid=|TID-)[^:]{1,256} [A-Z]{4,5}: )?(?:\[[^\]]{1,128}\](?: |$)){0,8}/;
/** The forms of a header: of Rails, of the Logger, and of most others. */
const LOGGED = new RegExp(`^(${CONSTANT}) \\((?:(.*)\\):?$|(.*))`);
/** The last line of a message of Rails that has several. */
const LAST_LINE = /(\n[^\n]{0,1024})\):$/;
/** Other names prove nothing. */
const NAMED =
  /(?:^|[\s\]>"(<])#?((?:[A-Z]\w{0,127}::)+[A-Z]\w{0,127}|[A-Z]\w{0,120}(?:Error|Exception|Failure|Interrupt|Invalid|NotFound|Timeout))(?:: (.*)| - (.*?):?|:? ?)$/;
/** A fast test that most lines fail. */
const MAY_BE_NAMED = /(?:Error|Exception|Failure|Interrupt|Invalid|NotFound|Timeout)(?:[: ]|$)|::[A-Z]|\):?$/;
/** A message without its class, which calls must follow at once. */
const MESSAGE_ALONE =
  /^(?:undefined |uninitialized |wrong number|[Cc]an't |[Cc]annot |[Cc]ould ?n[o']t |[Ii]nvalid |[Uu]nexpected |[Nn]o such |[Mm]issing |key not found|divided by|failed )/;
const CALL =
  /^\s{0,16}(?:# )?(?:\S[^:]{0,1023}|[A-Z]:[^:]{1,1023}):\d{1,9}:in (?:[`']|(?:(?:block(?: \(\d{1,4} levels\))?|rescue|ensure) in ){0,4}(?:<top \(required\)>|[^\s:]{1,255})$)/;
/** A call of JRuby. */
const CALL_AT = /^\s{1,64}\S.{0,255} at (?:\/|[A-Z]:|org\/jruby|uri:)\S{1,1023}:\d{1,9}$/;
/** A line of a template, with its number. */
const SOURCE = /^\s{2,}\d{1,6}: /;
/** The title of another exception of a chain. */
const NEXT_EXCEPTION = /^(?:Caused by:|Causes:|Information for)/;
const UNHANDLED = 'unhandled exception';
const FROM = /^\s+from \S/;
const NUMBERED_FROM = /^\s+\d{1,6}: from \S/;
const OMITTED = /^\s+\.\.\. \d{1,9} levels\.\.\./;
const OLDEST_FIRST_TITLE = 'Traceback (most recent call last):';
const RESCUES = /:in [`'](?:rescue|ensure) in | \(Ractor::RemoteError\)$/;

/** Uncaught Ruby errors, newest call first, or oldest first below a title (Ruby 2.5 to 2.7). A cause follows if the frames say so. */
export const RUBY: TraceFamily = {
  format: 'ruby',

  begin(line) {
    if (line.endsWith(OLDEST_FIRST_TITLE)) return { isCertain: false, step: oldestFirst };
    return isHeader(line) ? { isCertain: true, step: newestFirst(line) } : undefined;
  },

  parse(lines) {
    const first = Math.max(lines.findIndex(isHeader), 0);
    const header = lines[first] ?? '';
    const location = LOCATION.exec(header);
    const message = header.slice(location?.[0].length ?? 0);
    const named = CLASS.exec(message);
    const wholeMessage = messageFrom([message.slice(0, named?.index), ...lines.slice(first + 1)], 0, 0, isTrace);
    const at = location === null ? 0 : header.lastIndexOf(location[1] ?? '', location[0].length);
    return {
      errorName: named?.[1] ?? 'RuntimeError',
      message: wholeMessage,
      stack: stackFrom(lines, 0, first === 0 ? at : lines[0]?.lastIndexOf(OLDEST_FIRST_TITLE)),
      level: 'error',
    };
  },
};

/** `file.rb:1:in 'm': message (SomeError)`. */
function isHeader(line: string): boolean {
  const location = line.includes(':in ') ? LOCATION.exec(line) : null;
  return location !== null && !FROM.test(line) && (CLASS.test(line) || line.slice(location[0].length) === UNHANDLED);
}

function isTrace(line: string): boolean {
  return FROM.test(line) || OMITTED.test(line) || isHeader(line);
}

function oldestFirst(line: string): 'accept' | 'last' | 'ended' | 'foreign' {
  if (NUMBERED_FROM.test(line) || OMITTED.test(line) || FROM.test(line)) return 'accept';
  if (line.endsWith(OLDEST_FIRST_TITLE)) return 'ended';
  return isHeader(line) ? 'last' : 'foreign';
}

function newestFirst(header: string): TraceStart['step'] {
  let hasFrames = false;
  let mayHaveCause = RESCUES.test(header);
  return (line) => {
    if (FROM.test(line) || OMITTED.test(line)) {
      hasFrames = true;
      mayHaveCause ||= RESCUES.test(line);
      return 'accept';
    }
    if (isHeader(line)) {
      if (!mayHaveCause) return 'ended';
      mayHaveCause = RESCUES.test(line);
      hasFrames = false;
      return 'accept';
    }
    return hasFrames && line !== '' ? 'foreign' : 'hold';
  };
}

/**
 * An exception whose calls have no `from`: the Logger of Ruby prints it as `message (Class)`, Rails as `Class (message):`, others as
 * `Class: message`, or the calls alone.
 */
export const RUBY_LOGGED: TraceFamily = {
  format: 'ruby',

  begin(line) {
    const bare = line.replace(LOGGER, '');
    const isCall = isBareCall(bare);
    const isNamed = !isCall && MAY_BE_NAMED.test(bare) && headerOf(bare) !== undefined;
    if (!isCall && !isNamed && !MESSAGE_ALONE.test(bare)) return undefined;
    const steps = new BareSteps(!isNamed);
    return { isCertain: false, step: (next) => steps.step(next.replace(LOGGER, '')) };
  },

  parse(lines) {
    const bare = lines.map((line) => line.replace(LOGGER, ''));
    const end = bare.findIndex(isBareCall);
    if (end === 0) return { errorName: 'Exception', message: '', stack: stackFrom(bare), level: 'error' };
    const header = headerOf(bare[0] ?? '');
    const isBehind = (line: string) => isBareCall(line) || NEXT_EXCEPTION.test(line) || SOURCE.test(line);
    const message = messageFrom([header?.message ?? bare[0] ?? '', ...bare.slice(1)], 0, 0, isBehind);
    return {
      errorName: header?.name ?? 'Exception',
      message: message.replace(LAST_LINE, '$1'),
      stack: stackFrom(bare),
      level: 'error',
    };
  },
};

function isBareCall(line: string): boolean {
  return (
    (line.includes(':in ') && CALL.test(line) && !FROM.test(line)) || (line.includes(' at ') && CALL_AT.test(line))
  );
}

/** Finds a header of any form in a line without its prefix. */
function headerOf(line: string): { name: string; message: string } | undefined {
  const [, logged, message, firstLine = ''] = LOGGED.exec(line) ?? [];
  if (logged !== undefined) return { name: logged, message: message ?? firstLine };
  const named = NAMED.exec(line);
  if (named !== null) return { name: named[1] ?? '', message: named[2] ?? named[3] ?? '' };
  const last = line.endsWith(')') ? CLASS.exec(line) : null;
  return last === null ? undefined : { name: last[1] ?? '', message: line.slice(0, last.index) };
}

/** Classifies the lines after a header or a first call. */
class BareSteps {
  #isInCalls: boolean;

  constructor(isInCalls: boolean) {
    this.#isInCalls = isInCalls;
  }

  step(line: string): Step {
    if (isBareCall(line)) {
      this.#isInCalls = true;
      return 'accept';
    }
    if (line.trim() === '') return 'hold';
    if (NEXT_EXCEPTION.test(line)) {
      this.#isInCalls = false;
      return 'hold';
    }
    if (this.#isInCalls) return OMITTED.test(line) ? 'accept' : 'ended';
    // The text of a message, or source of a template.
    return isLogLine(line) ? 'ended' : 'hold';
  }
}
