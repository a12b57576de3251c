import { isLogLine, stackFrom, type TraceFamily, type TraceStart } from '../trace-family.js';

const PANICKED = /(?:thread '([^']{0,256})'(?: \(\d{1,20}\))? )?panicked at (.*)/;
const OVERFLOWED = /^thread '([^']{0,256})'(?: \(\d{1,20}\))? has overflowed its stack$/;
const LOCATION_ONLY = /:\d{1,9}:\d{1,9}:$/;
const OLD_END = /', [^']{1,1024}:\d{1,9}:\d{1,9}$/;
const BACKTRACE = /^(?:[Ss]tack backtrace:|\s*━+ BACKTRACE ━+)$/;
const NOTE = /^note: (?:run with|[Ss]ome details are omitted|backtrace)/;
const FRAME = /^\s+(?:\d{1,6}: |at \S)/;
const RETURNED = /^Error: (.*)$/;
const CAUSES = /^Caused by:$/;
/** The eyre library numbers the error and its causes, and prints where it was created. */
const CAUSE = /^(?: {4}| {3}(?=\d))(?:\s*\d{1,3}: )?(\S.*)$/;
const NUMBERED = /^ {3}\d{1,3}: \S/;
const LOCATION = /^Location:$|^ {3,4}\S{1,512}\.rs:\d{1,9}(?::\d{1,9})?$/;
const RUNTIME_ERROR = /^fatal runtime error: /;

/** Errors with causes that `main` returned, and Rust panics with the message after the location (since 1.73), or in quotation marks before it. */
export const RUST: TraceFamily = {
  format: 'rust',

  begin(line) {
    if (RETURNED.test(line)) return { isCertain: false, step: returned() };
    if (!line.includes("thread '") && !line.includes('panicked at ')) return undefined;
    if (OVERFLOWED.test(line)) return { isCertain: true, step: overflow };
    const match = PANICKED.exec(line);
    if (match === null) return undefined;
    const rest = match[2] ?? '';
    if (LOCATION_ONLY.test(rest)) return { isCertain: true, step: newForm() };
    if (!rest.startsWith("'")) return undefined;
    return { isCertain: OLD_END.test(rest), step: oldForm(!OLD_END.test(rest)) };
  },

  parse(lines) {
    const first = lines[0] ?? '';
    if (RETURNED.test(first)) {
      return { errorName: 'Error', message: messageOfChain(lines), stack: stackFrom(lines), level: 'fatal' };
    }
    const match = PANICKED.exec(first);
    const thread = match?.[1] ?? OVERFLOWED.exec(first)?.[1] ?? '';
    return {
      errorName: 'panic',
      message: match === null ? 'stack overflow' : parseMessage(lines, match[2] ?? ''),
      stack: stackFrom(lines, 0, match?.index ?? 0),
      level: thread === 'main' || match === null ? 'fatal' : 'error',
    };
  },
};

function parseMessage(lines: readonly string[], rest: string): string {
  const end = lines.findIndex((line) => BACKTRACE.test(line) || NOTE.test(line));
  const behind = lines.slice(1, end === -1 ? lines.length : end);
  if (LOCATION_ONLY.test(rest)) return behind.join('\n').trim();
  const quoted = [rest, ...(OLD_END.test(rest) ? [] : behind)].join('\n');
  const quote = quoted.lastIndexOf("', ");
  return quoted.slice(1, quote === -1 ? undefined : quote).trim();
}

/** The contexts and the root of an error that `main` returned, joined as anyhow does in one line. */
function messageOfChain(lines: readonly string[]): string {
  const end = lines.findIndex((line) => BACKTRACE.test(line) || LOCATION.test(line));
  const above = lines.slice(1, end === -1 ? lines.length : end);
  const causes = above
    .slice(above.findIndex((line) => CAUSES.test(line)) + 1)
    .flatMap((line) => CAUSE.exec(line)?.[1] ?? []);
  return [RETURNED.exec(lines[0] ?? '')?.[1] ?? '', ...causes].filter((text) => text !== '').join(': ');
}

function returned(): TraceStart['step'] {
  let isOpen = false;
  return (line) => {
    if (line === '') return 'hold';
    if (BACKTRACE.test(line) || CAUSES.test(line) || LOCATION.test(line) || NUMBERED.test(line)) {
      isOpen = true;
      return 'accept';
    }
    if (!isOpen) return isLogLine(line) || /^\s+at /.test(line) ? 'ended' : 'hold';
    return CAUSE.test(line) || FRAME.test(line) ? 'accept' : 'foreign';
  };
}

function newForm(): TraceStart['step'] {
  let hasMessage = false;
  const behind = afterMessage();
  return (line) => {
    if (hasMessage) return behind(line);
    hasMessage = true;
    return PANICKED.test(line) ? 'ended' : 'accept';
  };
}

function oldForm(startsOpen: boolean): TraceStart['step'] {
  let isOpen = startsOpen;
  const behind = afterMessage();
  return (line) => {
    if (!isOpen) return behind(line);
    isOpen = !OLD_END.test(line);
    return isOpen ? 'hold' : 'accept';
  };
}

function afterMessage(): TraceStart['step'] {
  let hasFrames = false;
  return (line) => {
    if (NOTE.test(line)) return 'last';
    if (PANICKED.test(line)) return 'ended';
    if (BACKTRACE.test(line)) {
      hasFrames = true;
      return 'accept';
    }
    if (!hasFrames) return isLogLine(line) ? 'ended' : 'hold';
    if (FRAME.test(line)) return 'accept';
    return line === '' ? 'hold' : 'foreign';
  };
}

function overflow(line: string): 'last' | 'hold' | 'ended' {
  if (RUNTIME_ERROR.test(line)) return 'last';
  return line === '' ? 'hold' : 'ended';
}
