import { writtenCall } from '../families/call.js';
import { dotnetFrame, withoutArguments } from '../families/dotnet-frame.js';
import type { StackFrame } from '../frames.js';
import { dotnetLine, HEADER_OF_CALLS, isEndOfInner, isOtherCall } from './dotnet-lines.js';
import { linesOf } from './frame-lines.js';
import type { StackParser } from './stack-parser.js';
import { firstChain, framesOf, parsedStack, type TracedException } from './traced-exception.js';

const INNER = ' ---> ';
/** A member of a group, in any language of the .NET Framework. */
const MEMBER = /^(.*?)---> \([^()#]{1,60}#\d{1,6}[^()]{0,20}\) (.*)$/;
/** Mono and Unity write the innermost exception first. */
const RETHROWN = 'Rethrow as ';
const HEADER = /^([A-Za-z_][\w.+`]{0,255})(?: \(0x[0-9A-Fa-f]{1,8}\))?(?:: (.*))?$/;
/** The outermost group, which names the failure for its members, and how far it is searched for. */
const GROUP = /(?:^|---> |[Ee]xception[.:] )([\w.]{0,200}AggregateException): (.*?)\r?(?: ---> |$)/m;
const MAX_HEADERS = 2_048;
const HAS_LOCATION = /(?::line |\] in [^<].{0,499}:)\d{1,9}$/;

/** An offset or an unusual location behind the parameters. */
const BEHIND_PARAMETERS = /\) (?:\+ 0x|<(?:IL )?0x|(?:at|in) \S.{0,400} ?: \d{1,9}$)/;

/** One exception with its inner ones. */
interface Section {
  /** The first line; null before it. */
  header: string | null;
  /** Header of the innermost exception; null until it is found. */
  root: string | null;
  readonly parts: string[][];
}

/** .NET: an exception, its inner ones after `--->`, the calls of the innermost, then those of outer ones; of an aggregate one member decides. */
export const dotnetParser: StackParser = {
  family: 'dotnet',
  isEvidence: (line) => {
    if (line.startsWith('at (wrapper ')) return true;
    if (line.startsWith('at ')) {
      // Java and scripts write a file and a line, without a space.
      const open = line.indexOf('(');
      if (line.includes(':', open) && !line.includes(' ', open)) return false;
      return isDotnetFrame(isInOtherForm(line) ? dotnetLine(line) : line);
    }
    if (line.startsWith('--- ')) return isEndOfInner(line) || line.startsWith('--- End of stack trace from');
    return isOtherCall(line) && isDotnetFrame(dotnetLine(line));
  },
  parse: (stack) => {
    const [, type, message = null] = GROUP.exec(stack.slice(0, MAX_HEADERS)) ?? [];
    return parsedStack(
      exceptionsOf(linesOf(stack).flatMap(linesIn)),
      type === undefined ? undefined : { type, message },
    );
  },
};

/** Whether a call has an assembly, an offset or an unusual location behind the name. */
function isInOtherForm(line: string): boolean {
  return line.includes(', Version=') || (line.includes(') ') && BEHIND_PARAMETERS.test(line));
}

/** A logger may write the first call behind the message. */
const CALL_INDENT = '   ';

function linesIn(written: string): string | string[] {
  const line = written.trimStart();
  const call = line.startsWith('at ') ? -1 : line.indexOf(`${CALL_INDENT}at `);
  if (call < 0) return dotnetLine(line);
  return [line.slice(0, call).trimEnd(), dotnetLine(line.slice(call + CALL_INDENT.length))];
}

function exceptionsOf(lines: readonly string[]): TracedException[] {
  const [main, ...members] = sectionsOf(lines);
  if (main === undefined) return [];
  const hasLocations = lines.some((line) => HAS_LOCATION.test(line));
  const around = chainOf(main, hasLocations);
  if (members.length === 0) return around;
  const chains = [around, ...members.map((member) => chainOf(member, hasLocations))];
  const first = firstChain(chains);
  if (first === around) return around;
  // The deciding member is followed by its wrappers, not by the member that comes first in the text.
  return [...first, ...(around.length === 1 ? around : around.slice(1))];
}

function sectionsOf(lines: readonly string[]): Section[] {
  const sections: Section[] = [{ header: null, root: null, parts: [[]] }];
  for (const line of lines) {
    const member = line.includes('---> (') ? MEMBER.exec(line) : null;
    if (member !== null) sections.push({ header: null, root: member[2] ?? '', parts: [[]] });
    parseLine(sections.at(-1), member?.[2] ?? line);
  }
  return sections;
}

function parseLine(section: Section | undefined, line: string): void {
  if (section === undefined) return;
  if (line.startsWith('at ')) section.parts.at(-1)?.push(line.replace(/<---$/, ''));
  else if (isEndOfInner(line)) section.parts.push([]);
  else if (HEADER_OF_CALLS.test(line)) {
    const [, inPage, inLog] = HEADER_OF_CALLS.exec(line) ?? [];
    section.root ??= inPage ?? inLog ?? null;
    if (section.parts[0]?.length !== 0) section.parts.push([]);
  } else if (line.startsWith(RETHROWN)) {
    section.root ??= section.header;
    section.parts.push([]);
  } else if (section.parts.length === 1 && section.parts[0]?.length === 0) {
    section.header ??= line === '' ? null : line;
    // Older versions write the whole chain in one line.
    const inner = ` ${line}`.lastIndexOf(INNER);
    if (inner >= 0) section.root = line.slice(inner + INNER.length - 1);
  }
}

/** Returns the exceptions of a section, the innermost first. */
function chainOf({ root, parts }: Section, hasLocations: boolean): TracedException[] {
  const header = HEADER.exec(root ?? '');
  // Without its end, the calls of an inner exception are the only ones.
  const isCut = parts.length === 1 && /(?:Exception|Error)$/.test(header?.[1] ?? '');
  return (isCut ? [...parts, []] : parts).map((lines, at) => ({
    type: at === 0 ? (header?.[1] ?? null) : null,
    message: at === 0 ? (header?.[2] ?? null) : null,
    frames: framesOf(lines, (line) => parseFrame(line, hasLocations)),
  }));
}

const LOCATION = /\) in (.{1,500}):line (\d{1,9})$/;
const MONO_LOCATION = /\) (?:\[0x[0-9a-f]{1,8}\]|<0x[0-9a-f]{1,16} \+ 0x[0-9a-f]{1,8}>) in (.{1,500}):(\d{1,9})$/;
/** A type with the name of a parameter, which generated methods omit. */
const PARAMETER = /^(?:(?:ref|out|in|params|this|readonly) ){0,2}[\w.`+&*<>[\],|?]{1,300} [\w@<>|#=]{0,100}$/;
const NESTED = /\([^()]{0,400}\)|<[^<>]{0,400}>/g;
/** Sources in parentheses as Java writes them. */
const JAVA_SOURCE = /^(?:Native Method|Unknown Source)/;

/** Whether a trimmed line that begins with `at` is a frame of .NET and not of Java or JavaScript. */
function isDotnetFrame(line: string): boolean {
  if (!line.endsWith(')')) return line.includes(' in ') && (LOCATION.test(line) || MONO_LOCATION.test(line));
  const open = line.indexOf('(');
  const name = line.slice(line.lastIndexOf(' ', open - 1) + 1, open);
  if (open < 5 || (!name.includes('.') && !name.startsWith('lambda_method'))) return false;
  const inside = line.slice(open + 1, -1);
  if (inside === '' || JAVA_SOURCE.test(inside)) return inside === '';
  return areTypes(inside) || (inside.includes(' ') && areParameters(inside));
}

/** Types in an overflowed stack and in the event log of Windows, which leave out the names: in a namespace, or of the runtime. */
const TYPE =
  /^(?:(?:[A-Za-z_]\w{0,100}[.+]){1,12}[A-Z_]\w{0,100}|Boolean|Byte|Char|Decimal|Double|U?Int(?:16|32|64|Ptr)|Object|SByte|Single|String|Void)[&*]{0,3}(?: ByRef)?$/;

function areTypes(inside: string): boolean {
  return withoutArguments(inside)
    .split(/, ?/)
    .every((part) => TYPE.test(part));
}

function areParameters(inside: string): boolean {
  const flat = /[(<]/.test(inside) ? inside.replace(NESTED, 'T').replace(NESTED, 'T') : inside;
  return flat.split(', ').every((part) => PARAMETER.test(part));
}

/** Parses `at Namespace.Type.Method(Type name) in file:line 12`. */
function parseFrame(line: string, hasLocations: boolean): StackFrame | null {
  if (!line.includes('(', 4)) return null;
  const location = LOCATION.exec(line) ?? MONO_LOCATION.exec(line);
  const name = line.slice(3, location === null ? undefined : location.index + 1);
  const call = writtenCall({ name, path: location?.[1] ?? '', line: location === null ? null : Number(location[2]) });
  return dotnetFrame(call, { hasLocations });
}
