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

const NODE = 'node:';
const PACKAGES = '/node_modules/';
const EVALUATED = 'eval at ';

/** A call whose class lies in a namespace of the language, behind the name of its module or not: all of this is in the first row of foreign modules. */
const OF_JAVA = /^at (?:java|javax|jakarta|jdk|sun|com\.sun|kotlin|kotlinx|scala|android|androidx)\.[^/(]*\.[^/(.]*\(/;
const OF_JAVA_MODULE =
  /^at [\w.@-]{1,60}\/(?:java|javax|jakarta|jdk|sun|com\.sun|kotlin|kotlinx|scala|android|androidx)\.[^/(]*\.[^/(.]*\(/;

/**
 * Whether a trimmed line, if it is a frame of V8 at all, is certainly one of a package or of Node itself. Most such lines are;
 * others are told when they are read.
 */
export function isForeignScriptLine(line: string): boolean {
  const end = line.charCodeAt(line.length - 1);
  const isBracketed = end === CLOSE;
  if (!isBracketed && !isDigit(end)) return false;
  const open = isBracketed ? line.indexOf(' (', 3) : -1;
  const start = open > 0 ? open + 2 : line.startsWith('async ', 3) ? 9 : 3;
  if (line.startsWith(NODE, start)) return isLetter(line.charCodeAt(start + NODE.length));
  return line.includes(PACKAGES, start) && !line.startsWith(EVALUATED, start);
}

/** The same for a line of the Java machine. */
export function isForeignJavaLine(line: string): boolean {
  return (line.includes('/') ? OF_JAVA_MODULE : OF_JAVA).test(line);
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function isLetter(unit: number): boolean {
  return unit >= 0x61 && unit <= 0x7a;
}
