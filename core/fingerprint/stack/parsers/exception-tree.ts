import { frameKey, type StackFrame } from '../frames.js';
import { createLineVisitor, type IsForeignLine, type ParseLine, parsePlainLines } from './frame-lines.js';
import { MAX_LINE_LENGTH, MAX_LINES, type ParsedStack } from './stack-parser.js';
import { isCancellation } from './traced-exception.js';

/** Exceptions of one text; each further one replaces the one before. */
const MAX_EXCEPTIONS = 128;

const CAUSE = '[cause]: ';
const CAUSED_BY = 'Caused by: ';
/** As pino writes it. */
const CAUSED_BY_LOWER = 'caused by: ';
const MEMBERS = '[errors]: [';
const HEADER =
  /^\[?(?:Uncaught )?(?:DOMException \[)?(?!(?:undefined|null|true|false)\b)([A-Za-z_$][\w.$]{0,255})(?: \[\w{1,60}\]|\])?(?=$|[:\s{(\]])(?::\s{1,8}(\S.*))?/;
const NEVER: IsForeignLine = () => false;
/** Indent of each level of an inspected error. */
const INDENT = 2;

interface Exception {
  readonly type: string | null;
  readonly message: string | null;
  /** Columns before its mark; -1 if it ends with the text or the next mark. */
  readonly indent: number;
  readonly frames: string[];
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
  const { path, member } = pathToRoot(parseTree(stack), parseLine);
  while (path.length > 1 && path[0] !== undefined && isCancellation(path[0])) path.shift();
  const root = path.length > 1 ? path[0] : undefined;
  return {
    rootCause: root?.type ?? null,
    rootMessage: root?.type == null ? null : root.message,
    // Only from a group the path goes on to a member instead of a cause.
    group: path.findLast((one, at) => at > 0 && path[at - 1] !== one.cause),
    walk: (visit, defer) => {
      const visitLine = createLineVisitor(parseLine, isForeign, visit, defer);
      for (const { frames } of member === null ? path : [...path, member]) {
        for (const line of frames) if (!visitLine(line)) return;
      }
    },
  };
}

function hasMark(stack: string): boolean {
  if (stack.includes(CAUSE) || stack.includes(MEMBERS)) return true;
  // Searching for a leading line break is slow.
  if (!stack.includes('aused by: ')) return false;
  return [CAUSED_BY, CAUSED_BY_LOWER].some((mark) => stack.startsWith(mark) || stack.includes(`\n${mark}`));
}

function parseTree(stack: string): Exception {
  const top = exceptionOf('', -1);
  let open: Open[] = [{ exception: top, membersAt: null }];
  let count = 1;
  let at = 0;
  while (at < stack.length) {
    const newline = stack.indexOf('\n', at);
    const end = newline < 0 ? stack.length : newline;
    const whole = stack.slice(at, Math.min(end, at + MAX_LINE_LENGTH));
    at = end + 1;
    const line = whole.trim();
    if (line === '') continue;
    const indent = whole.length - whole.trimStart().length;
    const isCausedBy = indent === 0 && (line.startsWith(CAUSED_BY) || line.startsWith(CAUSED_BY_LOWER));
    if (!isCausedBy) open = stillOpen(open, indent);
    const current = open.at(-1);
    if (current === undefined) break;
    const mark = markIn(line);
    if (mark === MEMBERS) current.membersAt = indent;
    else if (mark !== null || isMember(current, line, indent)) {
      const header = mark === null ? line : line.slice(mark.length);
      const next = exceptionOf(header, isCausedBy ? -1 : indent);
      if (count >= MAX_EXCEPTIONS) detach(open);
      else count++;
      const parent = open.at(-1);
      if (parent === undefined) break;
      if (mark === null) parent.exception.members.push(next);
      else parent.exception.cause = next;
      open.push({ exception: next, membersAt: null });
    } else if (current.exception.frames.length < MAX_LINES) current.exception.frames.push(line);
  }
  return top;
}

/** Removes the innermost exception to make room for another. */
function detach(open: Open[]): void {
  if (open.length < 2) return;
  const last = open.pop()?.exception;
  const parent = open.at(-1)?.exception;
  if (parent === undefined || last === undefined) return;
  if (parent.cause === last) parent.cause = null;
  else parent.members.pop();
}

/** Closes the exceptions and lists that began at the indent of the line or further in. */
function stillOpen(open: Open[], indent: number): Open[] {
  const last = open.at(-1);
  if (last === undefined || (last.exception.indent < indent && last.membersAt === null)) return open;
  const left = open.filter(({ exception }) => exception.indent < indent);
  for (const one of left) if (one.membersAt !== null && indent <= one.membersAt) one.membersAt = null;
  return left;
}

function markIn(line: string): string | null {
  for (const mark of [CAUSE, CAUSED_BY, CAUSED_BY_LOWER, MEMBERS]) if (line.startsWith(mark)) return mark;
  return null;
}

function isMember({ membersAt }: Open, line: string, indent: number): boolean {
  return membersAt !== null && indent === membersAt + INDENT && !line.startsWith('at ') && HEADER.test(line);
}

function exceptionOf(header: string, indent: number): Exception {
  const found = HEADER.exec(header);
  const message = found?.[2] ?? null;
  return {
    type: found?.[1] ?? null,
    // An error without frames is in brackets.
    message: header.startsWith('[') ? (message?.replace(/\](?: \{|,)?$/, '') ?? null) : message,
    indent,
    frames: [],
    cause: null,
    members: [],
  };
}

/**
 * Returns the exceptions from the root to the top; one without type and frames is a value and skipped. A group of different failures is a root of its
 * own; `member` is its first one, whose frames may decide if the group has none.
 */
function pathToRoot(top: Exception, parseLine: ParseLine): { path: Exception[]; member: Exception | null } {
  const path = [top];
  for (let at = top; ; ) {
    const { cause, members } = at;
    if (cause !== null && (cause.type !== null || cause.frames.length > 0)) at = cause;
    else {
      const ranked = members
        .map((member) => ({ member, key: sortKey(leafOf(member), parseLine) }))
        .sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0));
      const [first] = ranked;
      if (first === undefined) return { path, member: null };
      if (first.key !== ranked.at(-1)?.key) return { path, member: first.member };
      at = first.member;
    }
    path.unshift(at);
  }
}

/** The last cause of a member; nested groups are compared by their own names. */
function leafOf(member: Exception): Exception {
  let leaf = member;
  while (leaf.cause !== null && leaf.cause.type !== null) leaf = leaf.cause;
  return leaf;
}

function sortKey({ type, frames }: Exception, parseLine: ParseLine): string {
  const first = firstFrame(frames, parseLine);
  return `${type ?? ''}\n${first === null ? '' : frameKey(first)}`;
}

function firstFrame(lines: readonly string[], parseLine: ParseLine): StackFrame | null {
  for (const line of lines) {
    const frame = parseLine(line);
    if (frame !== null) return frame;
  }
  return null;
}
