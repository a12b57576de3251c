/** Position of an exception's name and message in a line. */
export interface ExceptionHeader {
  readonly at: number;
  readonly name: string;
  /** Start of the message; the end of the line without one. */
  readonly messageAt: number;
}

/** UTF-16 units of a line that are searched for the name; time, level and logger may precede it. */
const MAX_BEFORE_NAME = 512;
/** A cheap test that most lines fail. */
const ANY_ENDING = /Error|Exception|Failure|Fault|Throwable|Interrupt|Rejection/;
const WORD = /[\w$.]+/g;
const NAME = /(?:^|[.$_])[A-Z][\w$]{0,127}$/;
const NAME_OF_ERROR = /(?:Error|Exception|Failure|Fault|Throwable|Interrupt|Rejection)\d{0,2}$/;
const MAY_STAND_BEFORE = /[\s[("'`>:|=]/;
/** Some libraries put the code of an answer into the name. */
const NUMBER_OF_NAME = /^\[\d{1,9}\]/;
const BEHIND_NAME = /^(?: \[[\w.-]{1,64}\])?(?::(?: |$)|$)/;
const ANY_NAME_FIRST = /^([A-Z_$][\w$.]{0,127})((?: \[[\w.-]{1,64}\])?(?::(?: |$)|$))/;

/** Returns the first word of a line that ends like an error name and is followed by a colon or the end of the line. */
export function findExceptionHeader(line: string): ExceptionHeader | undefined {
  const head = line.slice(0, MAX_BEFORE_NAME);
  if (!ANY_ENDING.test(head)) return undefined;
  for (const { 0: name, index: at } of head.matchAll(WORD)) {
    if (!NAME_OF_ERROR.test(name.slice(-24)) || !NAME.test(name)) continue;
    if (at > 0 && !MAY_STAND_BEFORE.test(head.charAt(at - 1))) continue;
    const end = at + name.length + (NUMBER_OF_NAME.exec(line.slice(at + name.length))?.[0].length ?? 0);
    const behind = BEHIND_NAME.exec(line.slice(end, end + MAX_BEHIND_NAME));
    if (behind === null) continue;
    const messageAt = end + behind[0].length;
    // The end of the searched slice is not always the end of the line.
    if (behind[0].endsWith(' ') || messageAt === line.length) return { at, name: line.slice(at, end), messageAt };
  }
  return undefined;
}

/** Returns any capitalized name that is alone on the line or followed by a colon; proof only if a frame follows at once. */
export function findLeadingName(line: string): ExceptionHeader | undefined {
  const match = ANY_NAME_FIRST.exec(line);
  if (match === null) return undefined;
  return { at: 0, name: match[1] ?? '', messageAt: match[0].length };
}

const MAX_BEHIND_NAME = 80;
