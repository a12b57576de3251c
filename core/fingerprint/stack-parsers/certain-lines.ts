const CLOSE = 0x29;

const NAMED_SCRIPT_LINE = /^at [^\s(!+?][^(!+]* \([^()!+\s]*:\d{1,9}:\d{1,9}\)$/;
const BARE_SCRIPT_LINE = /^at (?:async )?[^\s()!+?]+\.[cm]?[jt]sx?:\d{1,9}:\d{1,9}$/;
const JAVA_LINE =
  /^at [\w$@/-][\w.$@/-]*\.[\w$@/-]+\((?:[A-Za-z]\w{0,100}\.(?:java|kt|scala|groovy):\d{1,9}|Native Method|Unknown Source)\)$/;

/**
 * Whether a line that begins with `at ` is certainly one of V8. Most lines can be told by one look, and what is taken here no other family's test takes:
 * it has no spaces in its place, no `!` and no `+` as native frames have, two numbers behind its path as Java and .NET never write them.
 */
export function isCertainScriptLine(line: string): boolean {
  return (line.charCodeAt(line.length - 1) === CLOSE ? NAMED_SCRIPT_LINE : BARE_SCRIPT_LINE).test(line);
}

/** The same for a line of the Java machine. */
export function isCertainJavaLine(line: string): boolean {
  return JAVA_LINE.test(line);
}
