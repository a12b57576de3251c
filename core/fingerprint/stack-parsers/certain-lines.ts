/**
 * Most lines that begin with `at ` can be told by one look. What matches here no other family's test takes: it has no spaces in its place, no `!` and no
 * `+` as native frames have, two numbers behind its path as Java and .NET never write them.
 */
const SCRIPT_LINE =
  /^at (?:[^\s(!+?][^(!+]* \([^()!+\s]*:\d{1,9}:\d{1,9}\)|(?:async )?[^\s()!+?]+\.[cm]?[jt]sx?:\d{1,9}:\d{1,9})$/;
const JAVA_LINE =
  /^at [\w$@/-][\w.$@/-]*\.[\w$@/-]+\((?:[A-Z]\w{0,100}\.(?:java|kt|scala|groovy):\d{1,9}|Native Method|Unknown Source)\)$/;

/** Whether a line that begins with `at ` is certainly one of V8. */
export function isCertainScriptLine(line: string): boolean {
  return SCRIPT_LINE.test(line);
}

/** Whether a line that begins with `at ` is certainly one of the Java machine. */
export function isCertainJavaLine(line: string): boolean {
  return JAVA_LINE.test(line);
}
