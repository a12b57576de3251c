/** Where a line names an exception. */
export interface ExceptionHeader {
  /** Where the name begins. */
  readonly at: number;
  readonly name: string;
  /** Where the message begins; the end of the line when there is none. */
  readonly messageAt: number;
}

/** UTF-16 units of a line in which the name is looked for: behind time, level, logger and words of the logger. */
const MAX_BEFORE_NAME = 512;
/** Most lines have none of these, and are done with by it. */
const ANY_ENDING = /Error|Exception|Failure|Fault|Throwable|Interrupt|Rejection/;
const WORD = /[\w$.]+/g;
const NAME = /(?:^|[.$_])[A-Z][\w$]{0,127}$/;
const NAME_OF_ERROR = /(?:Error|Exception|Failure|Fault|Throwable|Interrupt|Rejection)\d{0,2}$/;
const MAY_STAND_BEFORE = /[\s[("'`>:|=]/;
const BEHIND_NAME = /^(?: \[[\w.-]{1,64}\])?(?::(?: |$)|$)/;
const ANY_NAME_FIRST = /^([A-Z_$][\w$.]{0,127})((?: \[[\w.-]{1,64}\])?(?::(?: |$)|$))/;

/** The first word of a line that names an error by its ending, followed by a colon or by nothing; undefined when there is none. */
export function findExceptionHeader(line: string): ExceptionHeader | undefined {
  const head = line.slice(0, MAX_BEFORE_NAME);
  if (!ANY_ENDING.test(head)) return undefined;
  for (const { 0: name, index: at } of head.matchAll(WORD)) {
    if (!NAME_OF_ERROR.test(name.slice(-24)) || !NAME.test(name)) continue;
    if (at > 0 && !MAY_STAND_BEFORE.test(head.charAt(at - 1))) continue;
    const end = at + name.length;
    const behind = BEHIND_NAME.exec(line.slice(end, end + MAX_BEHIND_NAME));
    if (behind !== null && endsWell(line, end, behind[0])) return { at, name, messageAt: end + behind[0].length };
  }
  return undefined;
}

/** A line that begins with whatever capital name and a colon, or is nothing but it: enough only where a frame follows at once. */
export function findLeadingName(line: string): ExceptionHeader | undefined {
  const found = ANY_NAME_FIRST.exec(line);
  if (found === null) return undefined;
  return { at: 0, name: found[1] ?? '', messageAt: found[0].length };
}

const MAX_BEHIND_NAME = 80;

/** The end of the piece that was looked at is not the end of the line. */
function endsWell(line: string, end: number, behind: string): boolean {
  return behind.endsWith(' ') || end + behind.length === line.length;
}
