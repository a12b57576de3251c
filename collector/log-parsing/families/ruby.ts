import { messageFrom, stackFrom, type TraceFamily, type TraceStart } from '../trace-family.js';

const LOCATION = /^(?:.{0,256}\s)?(<internal:[^>]{1,512}>|[^\s:][^:]{0,1023}):\d{1,9}:in [`'](?:[^']{0,256})': /;
const CLASS = / \(([A-Z]\w{0,127}(?:::[A-Z]\w{0,127}){0,16})\)$/;
/** What the Logger of Ruby and the tags of Rails print before each line, or only before the first one. */
const LOGGER = /^(?:[A-Z], \[[^\]]{1,64}\] {1,2}[A-Z]{1,8} -- [^:]{0,128}: )?(?:\[[^\]]{1,128}\] ){0,8}/;
const LOGGED = /^([A-Z]\w{0,127}(?:::[A-Z]\w{0,127}){0,16}) \((.*)\):$/;
const CALL = /^\s{0,8}\S[^:]{0,1023}:\d{1,9}:in [`']/;
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

/** An exception that the Logger of Ruby prints as `message (Class)`, or Rails as `Class (message):`; its calls have no `from`. */
export const RUBY_LOGGED: TraceFamily = {
  format: 'ruby',

  begin(line) {
    if (!/\):?$/.test(line.slice(-2))) return undefined;
    const rest = line.replace(LOGGER, '');
    const isLogged = LOGGED.test(rest) || (rest !== line && CLASS.test(rest));
    return isLogged ? { isCertain: false, step: afterLogged } : undefined;
  },

  parse(lines) {
    const bare = lines.map((line) => line.replace(LOGGER, ''));
    const [header = ''] = bare;
    const match = LOGGED.exec(header) ?? ['', CLASS.exec(header)?.[1] ?? '', header.replace(CLASS, '')];
    return { errorName: match[1] ?? '', message: match[2] ?? '', stack: stackFrom(bare), level: 'error' };
  },
};

function afterLogged(line: string): 'accept' | 'hold' | 'ended' {
  const rest = line.replace(LOGGER, '');
  return CALL.test(rest) ? 'accept' : /^(?:\s|$)/.test(rest) ? 'hold' : 'ended';
}
