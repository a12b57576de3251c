import { messageFrom, stackFrom, type TraceFamily, type TraceStart } from '../trace-family.js';

const EXCEPTION = /^(?:.{0,256}\s)?\*\* \(([A-Z][\w.]{0,255}|EXIT from #PID<[\d.]{1,32}>|exit|throw|stop)\) ?/;
const NAME_OF_ERROR = /(?:Error|Exception)$|^EXIT from /;
/** One such exit passes on what a process reported before. */
const PASSED_ON = /^\*\* \((?:EXIT from |exit\) exited in: )/;
const EXIT = /\*\* \((?:EXIT|exit)\b/;
const REPORT =
  /\[error\]\s+(?:(?:GenServer|Task|Process|:gen_statem|State machine|Ranch listener|Agent) .{1,512}(?:terminating|raised an exception|terminated)|#PID<.{1,512}terminated)/;
const FRAME =
  /^\s+(?:\([\w.]{1,128}(?: [\w.+-]{1,128})?\) )?[^\s:(][^:]{0,512}:\d{1,9}: \S|^\s+\([\w.]{1,128}(?: [\w.+-]{1,128})?\) \S|^\s{4,64}:?[A-Za-z_][\w.]{0,200}\.[a-z_]\w{0,200}[!?]?(?:\/\d{1,3}|\(.*\))$/;
const DETAIL =
  /^\s*(?:Last message(?: \(from .{1,128}\))?|State|Function|Args|Client #PID<.{1,64}|Start Call|Initial Call|Ancestors|Server|Request|Process Label|Queue)\s*:/;

/** Elixir exceptions, and reports of processes that crashed. */
export const ELIXIR: TraceFamily = {
  format: 'elixir',

  begin(line) {
    if (!line.includes('** (') && !line.includes('[error]')) return undefined;
    if (REPORT.test(line)) return { isCertain: false, step: report() };
    const name = EXCEPTION.exec(line)?.[1];
    // Two stars and a word in brackets also begin a line of Markdown.
    return name === undefined ? undefined : { isCertain: NAME_OF_ERROR.test(name), step: trace() };
  },

  parse(lines) {
    const headers = lines.flatMap((line, index) => (EXCEPTION.test(line) ? [index] : []));
    const first = headers.find((index) => !EXIT.test(lines[index] ?? '')) ?? headers[0] ?? 0;
    const match = EXCEPTION.exec(lines[first] ?? '');
    const report = REPORT.exec(lines[0] ?? '');
    const at = report === null ? lines[0]?.indexOf('** (') : report.index + report[0].search(/[^[\]a-z\s]/);
    return {
      errorName: match?.[1]?.replace(/ from .*$/, '') ?? 'RuntimeError',
      message: messageFrom(lines, first, match?.[0].length ?? 0, (line) => FRAME.test(line) || DETAIL.test(line)),
      stack: stackFrom(lines, 0, Math.max(at ?? 0, 0)),
      level: 'error',
    };
  },
};

function report(): TraceStart['step'] {
  const behind = trace(true);
  let hasException = false;
  return (line) => {
    if (hasException) return behind(line);
    hasException = EXCEPTION.test(line);
    if (hasException) return 'accept';
    return REPORT.test(line) ? 'ended' : 'hold';
  };
}

function trace(isReport = false): TraceStart['step'] {
  let mayPassOn = isReport;
  let hasFrames = false;
  return (line) => {
    if (FRAME.test(line) || DETAIL.test(line)) {
      hasFrames = true;
      return 'accept';
    }
    if (line.trim() === '') return 'hold';
    if (/^\s+\*\* \(/.test(line)) return 'accept';
    if (mayPassOn && PASSED_ON.test(line)) {
      mayPassOn = false;
      return 'accept';
    }
    if (REPORT.test(line) || EXCEPTION.test(line)) return 'ended';
    return hasFrames ? 'foreign' : 'hold';
  };
}
