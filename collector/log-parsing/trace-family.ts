const LOG_LINE =
  /^\s{0,8}[[(]?(?:\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d,? (?:\d{4} \d{1,2}|\d\d):\d\d|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL|SEVERE|info|warn|dbug|fail|crit|trce)\b[\]:)\s])/;

/** Whether a line begins with a time or a level, as a logger's line does; it does not continue a message then. */
export function isLogLine(line: string): boolean {
  return LOG_LINE.test(line);
}

/** Returns a message of several lines: the rest of the first line from `messageAt`, and the lines before the first line of the trace. */
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

/** Returns the lines from the name of the error on, without the prefix that a logger printed. */
export function stackFrom(lines: readonly string[], first = 0, at = 0): string {
  return [lines[first]?.slice(at) ?? '', ...lines.slice(first + 1)].join('\n').trimEnd();
}

/** How a trace classifies a line; `hold`: its own if a later line is; `last`: its own, and ends it; `ended`: it ended before; `foreign`: another writer may have printed it in between. */
export type Step = 'accept' | 'hold' | 'last' | 'ended' | 'foreign';

/** A trace that may have begun with a line. */
export interface TraceStart {
  /** True if the first line proves the trace; otherwise the first `accept` proves it. */
  readonly isCertain: boolean;
  /** Classifies the next line; not called after `last` or `ended`. */
  readonly step: (line: string) => Step;
}

/** Traces with a header, a message of any lines, then frames and further exceptions. */
export interface ExceptionForm {
  isHeader(line: string): boolean;
  /** Whether a line is a frame, or the header of a further exception. */
  isTrace(line: string): boolean;
  readonly furtherException: RegExp;
}

/** Starts a trace whose header was read. */
export function startException(form: ExceptionForm, isCertain: boolean): TraceStart {
  const steps = new ExceptionSteps(form, isCertain);
  return { isCertain, step: (line) => steps.step(line) };
}

class ExceptionSteps {
  readonly #form: ExceptionForm;
  #isMessage = true;
  #isProven: boolean;

  constructor(form: ExceptionForm, isProven: boolean) {
    this.#form = form;
    this.#isProven = isProven;
  }

  step(line: string): Step {
    if (line.trim() === '') return 'hold';
    if (this.#form.isTrace(line)) return this.#traceLine(line);
    if (!this.#isMessage || isLogLine(line)) return 'foreign';
    return !this.#isProven && this.#form.isHeader(line) ? 'ended' : 'hold';
  }

  #traceLine(line: string): Step {
    this.#isMessage = this.#form.furtherException.test(line);
    // "Caused by" alone proves nothing: people write it too.
    if (this.#isMessage && !this.#isProven) return 'hold';
    this.#isProven = true;
    return 'accept';
  }
}

/** The fields of a complete trace. */
export interface ParsedTrace {
  readonly errorName: string;
  readonly message: string;
  /** Without the prefix that a logger printed; null for a line of a log. */
  readonly stack: string | null;
  /** `fatal` if the text says that the failure ended the program. */
  readonly level: 'error' | 'fatal';
}

/** Stack traces of one language. Lines come without control sequences and without the prefixes of container and system logs. */
export interface TraceFamily {
  readonly format: string;
  /** Whether it is a logger's line, which a trace after it replaces. Default: false. */
  readonly isLog?: boolean;
  /** Returns a start if the line, cut to `MAX_MATCHED_LENGTH`, may be the first one of a trace. */
  begin(line: string): TraceStart | undefined;
  /** Parses the accepted lines of a trace, at least one; undefined if they are not a failure after all. */
  parse(lines: readonly string[]): ParsedTrace | undefined;
}

/** UTF-16 units of a line that patterns are matched against. */
export const MAX_MATCHED_LENGTH = 4_096;
