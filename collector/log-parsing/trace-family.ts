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
    if (isTrace(line.slice(0, MAX_MATCHED_LENGTH))) break;
    parts.push(line);
  }
  return parts.join('\n').trim();
}

/** The lines from the name of the error on, without what a logger printed before it. */
export function stackFrom(lines: readonly string[], first = 0, at = 0): string {
  return [lines[first]?.slice(at) ?? '', ...lines.slice(first + 1)].join('\n').trimEnd();
}

/**
 * What a line is to a trace that has begun: `take` it is mine; `want` it is mine if I take a later one; `last` it is mine and I end with it;
 * `over` I have ended before it; `foreign` it is not mine, another writer may have printed it in between.
 */
export type Step = 'take' | 'want' | 'last' | 'over' | 'foreign';

/** A trace that may have begun with a line. */
export interface TraceStart {
  /** True when the first line alone is proof enough; else the first `take` proves it. */
  readonly isCertain: boolean;
  /** Says what the next line is; not called again after `last` or `over`. */
  readonly step: (line: string) => Step;
}

/** What a whole trace says. */
export interface ParsedTrace {
  readonly errorName: string;
  readonly message: string;
  /** Without what a logger printed before it. */
  readonly stack: string;
  /** `fatal` where the text says that the program ended by it, else `error`. */
  readonly level: 'error' | 'fatal';
}

/** Stack traces of one language. Lines come without colours and without what a container or a system log put before them. */
export interface TraceFamily {
  readonly format: string;
  /** A start when the line may be the first one of a trace. The line is at most `MAX_LOOKED` long. */
  begin(line: string): TraceStart | undefined;
  /** Reads the lines that a trace took, at least one. */
  parse(lines: readonly string[]): ParsedTrace;
}

/** UTF-16 units of a line that are looked at. */
export const MAX_MATCHED_LENGTH = 4_096;
