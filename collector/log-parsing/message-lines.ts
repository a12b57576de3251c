import { MAX_LOOKED } from './trace-family.js';

const LOG_LINE =
  /^\s{0,8}[[(]?(?:\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d,? (?:\d{4} \d{1,2}|\d\d):\d\d|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL|SEVERE|info|warn|dbug|fail|crit|trce)\b[\]:)\s])/;

/** Whether a line begins as a logger begins one, with a time or a level: it is then no further line of a message. */
export function isLogLine(line: string): boolean {
  return LOG_LINE.test(line);
}

/** A message of several lines: what stands behind its beginning in the first line, and the lines up to the first that belongs to the trace. */
export function messageFrom(
  lines: readonly string[],
  first: number,
  messageAt: number,
  isTrace: (line: string) => boolean,
): string {
  const parts = [lines[first]?.slice(messageAt) ?? ''];
  for (const line of lines.slice(first + 1)) {
    if (isTrace(line.slice(0, MAX_LOOKED))) break;
    parts.push(line);
  }
  return parts.join('\n').trim();
}

/** The lines from the name of the error on, without what a logger printed before it. */
export function stackFrom(lines: readonly string[], first = 0, at = 0): string {
  return [lines[first]?.slice(at) ?? '', ...lines.slice(first + 1)].join('\n').trimEnd();
}
