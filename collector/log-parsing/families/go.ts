import { nameOfPanic } from '../../../core/fingerprint/stack/parsers/go.js';
import { type Step, stackFrom, type TraceFamily, type TraceStart } from '../trace-family.js';

const FIRST = /^(?:panic|fatal error): |^SIG[A-Z]{2,8}: |^(?:.{0,128} )?http: panic serving \S{1,256}: /;
const MAY_BE_FIRST = /^(?:panic|fatal error|SIG)|http: panic/;
const SERVING = /^(?:.{0,128} )?http: panic serving \S{1,256}: /;
const PANIC = /^\t?panic: /;
const GOROUTINE = /^goroutine \d+ .{0,256}\[.{1,256}\]:$/;
const SIGNAL = /^\[signal SIG/;
const LOCATION = /^\t\S.*:\d+(?: \+0x[0-9a-f]+)?(?: fp=0x[0-9a-f]{1,16} sp=\S{1,20} pc=\S{1,20})?$/;
const CREATED_BY = /^created by \S/;
const ELIDED = /^\.\.\.(?:additional|\d+) frames elided\.\.\.$/;
const REGISTER = /^(?:r\w{1,5}|[cdefgs]s|lr|pc|sp|fault)\s+0x[0-9a-f]+$/;
const EXIT = /^exit status \d{1,3}$/;
const RECOVERED = / \[recovered[^\]]{0,64}\]$/;

/** Panics and fatal errors of Go, including those that its HTTP server recovers. The last panic is the failure. */
export const GO: TraceFamily = {
  format: 'go',

  begin(line) {
    return MAY_BE_FIRST.test(line) && FIRST.test(line) ? { isCertain: false, step: panic() } : undefined;
  },

  parse(lines) {
    const first = lines[0] ?? '';
    const serving = SERVING.exec(first)?.[0].length;
    const end = lines.findIndex((line) => line.trim() === '' || GOROUTINE.test(line) || SIGNAL.test(line));
    const head = lines.slice(0, end === -1 ? 1 : end);
    const last = head.findLastIndex((line) => PANIC.test(line));
    const colon = first.indexOf(': ');
    const isPanic = last !== -1 || serving !== undefined;
    const printed = [
      last === -1 ? first.slice(serving ?? colon + 2) : head[last]?.replace(PANIC, ''),
      ...head.slice(Math.max(last, 0) + 1),
    ];
    const message = printed.join('\n').replace(RECOVERED, '').trim();
    return {
      errorName: isPanic ? nameOfPanic(message) : first.slice(0, colon),
      message,
      stack: stackFrom(lines, 0, serving === undefined ? 0 : first.lastIndexOf('http: panic serving ', serving)),
      level: serving === undefined ? 'fatal' : 'error',
    };
  },
};

function panic(): TraceStart['step'] {
  let hasFrames = false;
  return (line) => {
    if (GOROUTINE.test(line)) {
      hasFrames = true;
      return 'accept';
    }
    if (!hasFrames) return FIRST.test(line) && !PANIC.test(line) ? 'ended' : 'hold';
    return inFrames(line);
  };
}

function inFrames(line: string): Step {
  if (LOCATION.test(line) || ELIDED.test(line) || REGISTER.test(line)) return 'accept';
  if (EXIT.test(line)) return 'last';
  if (FIRST.test(line)) return 'ended';
  return line === '' || CREATED_BY.test(line) || isCall(line) ? 'hold' : 'foreign';
}

/** `pkg/path.(*Type).Method(0x1, {...})`: no space before the arguments. */
function isCall(line: string): boolean {
  if (!line.endsWith(')')) return false;
  const name = line.slice(0, line.indexOf('('));
  return name === 'panic' || (name.includes('.') && !/\s/.test(name));
}
