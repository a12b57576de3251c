import { type IsForeignLine, indentOf, type ParseLine, parsePlainLines } from './frame-lines.js';
import { MAX_LINE_LENGTH, MAX_LINES, type ParsedStack } from './stack-parser.js';
import {
  firstChain,
  framesOf,
  isCancellation,
  parsedStack,
  sharedChain,
  type TracedException,
  withoutCancellations,
} from './traced-exception.js';

/** Exceptions of one text; each further one replaces the one before. */
const MAX_EXCEPTIONS = 128;

const CAUSE = '[cause]: ';
/** A cause that was assigned and not passed to the constructor. */
const ASSIGNED_CAUSE = 'cause: ';
const ERROR_IN_LINE = /^\[?[\w$. [\]]{0,256}(?:Error|Exception)\b/;
const CAUSED_BY = 'Caused by: ';
/** As pino writes it. */
const CAUSED_BY_LOWER = 'caused by: ';
const MEMBERS = '[errors]: [';
const MARKS = [CAUSE, CAUSED_BY, CAUSED_BY_LOWER, MEMBERS] as const;
const HEADER =
  /^\[?(?:Uncaught )?(?:DOMException \[)?(?!(?:undefined|null|true|false)\b)([A-Za-z_$][\w.$]{0,255}(?:\[\d{1,9}\])?)(?: \[(\w{1,60})\]|\])?(?=$|[:\s{(\]])(?::\s{1,8}(\S.*))?/;
/** Behind the class of an error stands its name, or a code. */
const ERROR_NAME = /(?:Error|Exception)$/;
const NEVER: IsForeignLine = () => false;
/** Indent of each level of an inspected error. */
const INDENT = 2;

interface Exception {
  readonly type: string | null;
  readonly message: string | null;
  /** Columns before its mark; -1 if it ends with the text or the next mark. */
  readonly indent: number;
  /** Those that may be frames. */
  readonly lines: string[];
  cause: Exception | null;
  readonly members: Exception[];
}

/** An exception that is open while lines are parsed; `membersAt` is the indent of its open list of members, or null. */
interface Open {
  readonly exception: Exception;
  membersAt: number | null;
}

/**
 * Parses nested exceptions as Node inspects them (`[cause]: …`, `[errors]: [ … ]`) or loggers write them (`Caused by: …`). The root is the last
 * cause; members of a group count if all have the same type and innermost frame, else the group does.
 */
export function parseExceptionTree(stack: string, parseLine: ParseLine, isForeign: IsForeignLine = NEVER): ParsedStack {
  if (!hasMark(stack)) return parsePlainLines(stack, parseLine, isForeign);
  const toTraced = ({ type, message, lines }: Exception): TracedException => ({
    type,
    message,
    frames: framesOf(lines, parseLine, isForeign),
  });
  const path = withoutCancellations(pathToRoot(parseTree(stack), toTraced), isCancellation);
  // Only from a group the path goes on to a member instead of a cause.
  const group = path.find((one, at) => at < path.length - 1 && path[at + 1] !== one.cause);
  return parsedStack(path.toReversed().map(toTraced), group);
}

/** Matches whenever a text has a cause that is not in brackets; faster than searching for each mark. */
const MAY_HAVE_CAUSE = /cause: |aused by: /;

function hasMark(stack: string): boolean {
  if (stack.includes(CAUSE) || stack.includes(MEMBERS)) return true;
  if (!MAY_HAVE_CAUSE.test(stack)) return false;
  if (stack.includes(ASSIGNED_CAUSE)) return true;
  return [CAUSED_BY, CAUSED_BY_LOWER].some((mark) => stack.startsWith(mark) || stack.includes(`\n${mark}`));
}

function parseTree(stack: string): Exception {
  const reader = new TreeReader();
  for (const line of stack.split('\n')) reader.readLine(line.slice(0, MAX_LINE_LENGTH));
  return reader.top;
}

/** Builds the tree from the lines of a text. */
class TreeReader {
  readonly top = exceptionOf('', -1);
  /** From the top to the innermost exception. */
  #open: Open[] = [{ exception: this.top, membersAt: null }];
  #count = 1;

  readLine(whole: string): void {
    const line = whole.trim();
    if (line === '') return;
    const indent = indentOf(whole);
    const isCausedBy = indent === 0 && (line.startsWith(CAUSED_BY) || line.startsWith(CAUSED_BY_LOWER));
    if (!isCausedBy) this.#closeAt(indent);
    const current = this.#open.at(-1);
    if (current === undefined) return;
    const mark = markOf(line, indent);
    if (mark === MEMBERS) current.membersAt = indent;
    else if (mark !== undefined) this.#add('cause', exceptionOf(line.slice(mark.length), isCausedBy ? -1 : indent));
    else if (isMember(current, line, indent)) this.#add('member', exceptionOf(line, indent));
    else if (current.exception.lines.length < MAX_LINES) current.exception.lines.push(line);
  }

  #add(relation: 'cause' | 'member', exception: Exception): void {
    if (this.#count >= MAX_EXCEPTIONS) this.#detachInnermost();
    else this.#count++;
    const parent = this.#open.at(-1)?.exception;
    if (relation === 'member') parent?.members.push(exception);
    else if (parent !== undefined) parent.cause = exception;
    this.#open.push({ exception, membersAt: null });
  }

  /** Makes room for another exception. */
  #detachInnermost(): void {
    if (this.#open.length < 2) return;
    const innermost = this.#open.pop()?.exception;
    const parent = this.#open.at(-1)?.exception;
    if (parent?.cause === innermost && parent !== undefined) parent.cause = null;
    else parent?.members.pop();
  }

  /** Closes the exceptions and lists that began at this indent or further in. */
  #closeAt(indent: number): void {
    const innermost = this.#open.at(-1);
    if (innermost === undefined || (innermost.exception.indent < indent && innermost.membersAt === null)) return;
    this.#open = this.#open.filter(({ exception }) => exception.indent < indent);
    for (const open of this.#open) if (open.membersAt !== null && indent <= open.membersAt) open.membersAt = null;
  }
}

function markOf(line: string, indent: number): string | undefined {
  if (indent > 0 && line.startsWith(ASSIGNED_CAUSE)) {
    return ERROR_IN_LINE.test(line.slice(ASSIGNED_CAUSE.length)) ? ASSIGNED_CAUSE : undefined;
  }
  return MARKS.find((one) => line.startsWith(one));
}

function isMember({ membersAt }: Open, line: string, indent: number): boolean {
  return membersAt !== null && indent === membersAt + INDENT && !line.startsWith('at ') && HEADER.test(line);
}

function exceptionOf(header: string, indent: number): Exception {
  const [, type = null, named = '', message = null] = HEADER.exec(header) ?? [];
  return {
    type: ERROR_NAME.test(named) ? named : type,
    // An error without frames is in brackets.
    message: header.startsWith('[') ? (message?.replace(/\](?: \{|,)?$/, '') ?? null) : message,
    indent,
    lines: [],
    cause: null,
    members: [],
  };
}

/** The exceptions from the top to the root; a group of different failures is a root, and its first member comes last, in case no frame decides. */
function pathToRoot(top: Exception, toTraced: (exception: Exception) => TracedException): Exception[] {
  const path = [top];
  for (let at = top; ; path.push(at)) {
    const { cause, members } = at;
    if (cause !== null && (cause.type !== null || cause.lines.length > 0)) {
      at = cause;
      continue;
    }
    const chains: (readonly TracedException[])[] = members.map((member) => [toTraced(leafOf(member))]);
    const first = members[chains.indexOf(firstChain(chains))];
    if (first === undefined) return path;
    if (sharedChain(chains).length === 0) {
      top.lines.push(...first.lines);
      return path;
    }
    at = first;
  }
}

/** The last cause of a member; nested groups are compared by their own names. */
function leafOf(member: Exception): Exception {
  let leaf = member;
  while (leaf.cause !== null && leaf.cause.type !== null) leaf = leaf.cause;
  return leaf;
}
