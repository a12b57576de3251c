import { type Call, writtenCall } from '../families/call.js';
import { pythonFrame } from '../families/python-frame.js';
import { indentOf, linesOf } from './frame-lines.js';
import type { StackParser } from './stack-parser.js';
import { framesOfCalls, parsedStack, sharedChain, type TracedException } from './traced-exception.js';

const LOCATION = /^File "([^"]{1,500})", line (\d{1,9})(?:,? in (.{1,256}))?$/;
/** Pages of Django write the line in the source below. */
const PAGE_LOCATION = /^File "([^"]{1,500})" in ([\w<>.]{1,256})$/;
/** The thread that crashed, in a dump of all threads; its calls are innermost first. */
const CRASHED_THREAD = /^Current thread 0x\w{1,16} \(most recent call first\):$/;
const IPYTHON_CELL =
  /^(?:Cell|Input) In ?\[\d{1,9}\](?:, line (\d{1,9}))?(?:, in (?:<cell line: \d{1,9}>\(\)|([\w<>.]{1,256})(?:\(.*)?))?$/;
const IPYTHON_LOCATION = /^File (\S{1,500}):(\d{1,9})(?:, in ([\w<>.]{1,256})(?:\(.*)?)?$/;
/** Before version 8 of IPython; the number of the line is marked in the source below. */
const IPYTHON_FILE = /^(\S{1,500}\.pyx?|<ipython-input-[\w-]{1,80}>) in ([\w<>.]{1,256})(?:\(.*)?$/;
/** A line of a box of Rich. */
const BOXED = /^│ {1,4}(\S{1,500}\.pyx?):(\d{1,9}) in ([\w<>.]{1,256}) {1,400}│$/;
/** Pytest: the source of a function, then its location, of the innermost one with the type of the error. */
const TESTED = /^(\S{1,500}\.pyx?):(\d{1,9}):(?: in ([\w<>.]{1,256})| [A-Z][\w.]{0,100})?$/;
const DEFINED = /^(?:async )?def ([A-Za-z_]\w{0,255})\(/;
const MODULE = '<module>';

function isPythonLocation(line: string): boolean {
  return mayBeLocation(line) && callOf(line) !== null;
}

/** A fast test that most lines fail. */
function mayBeLocation(line: string): boolean {
  if (line.startsWith('File ') || line.startsWith('Cell In') || line.startsWith('Input In')) return true;
  return line.includes('.py') || line.startsWith('<ipython-input-');
}

/** Parses `File "cart.py", line 3, in total`, the location of a syntax error without a function, and the forms of IPython, Rich and pytest. */
function callOf(line: string): Call | null {
  const location = LOCATION.exec(line) ?? IPYTHON_LOCATION.exec(line) ?? BOXED.exec(line) ?? TESTED.exec(line);
  if (location !== null) {
    return writtenCall({ path: location[1] ?? '', line: Number(location[2]), name: location[3] ?? MODULE });
  }
  const file = PAGE_LOCATION.exec(line) ?? IPYTHON_FILE.exec(line);
  if (file !== null) return writtenCall({ path: file[1] ?? '', name: file[2] ?? MODULE });
  const [cell, at, name = MODULE] = IPYTHON_CELL.exec(line) ?? [];
  if (cell === undefined) return null;
  return writtenCall({ path: '<ipython-input>', line: at === undefined ? null : Number(at), name });
}

const TITLE = /^(?:\w{1,200} {2,200})?(?:\+ )?(?:Exception Group )?Traceback \(most recent call last\)/;
const LINK =
  /^(?:The above exception was the direct cause of the following exception|(During handling of the above exception, another exception occurred)):/;
const HEADER = /^([A-Za-z_][\w.<>]{0,255})(?:: ?(.*))?$/;
/** The drawing of a group: `+-+---- 1 ----` opens it, `+---- 2 ----` goes on, `+--------` closes it. */
const BRANCH = /^( *)\+(-\+)?-{8,}( (?:\d{1,6}|\.{3}) -{8,})?$/;
const MARGIN = /^( *)(?:\| ?|\+ (?=Exception Group ))(.*)$/;
/** Column of the margin of the outermost group. */
const OUTERMOST = 2;

interface Section {
  readonly indent: number;
  readonly locations: string[];
  readonly members: Branch[];
  type: string | null;
  message: string | null;
}

/** The lines of one margin: a chain, the root first. */
interface Branch {
  readonly column: number;
  readonly chain: Section[];
  /** Null after a line that links two exceptions. */
  current: Section | null;
  /** The function whose source was read last. */
  defined: string | null;
}

/** Python: the most recent call is last, and a cause comes before its wrapper. */
export const pythonParser: StackParser = {
  family: 'python',
  isEvidence: (line) => {
    const text = line.startsWith('| ') ? line.slice(2).trimStart() : line;
    return isPythonLocation(text) || (text.includes('Traceback (') && TITLE.test(text));
  },
  parse: (stack) => {
    const outermost = branchOf(linesOf(stack));
    return parsedStack(
      exceptionsOf(outermost),
      outermost.chain.findLast(({ members }) => members.length > 0),
    );
  },
};

/** The lines of the outermost margin, with the groups in it. */
function branchOf(lines: readonly string[]): Branch {
  const reader = new BranchReader();
  for (const line of lines) reader.readLine(line);
  return reader.outermost;
}

/** Follows the drawing of groups of exceptions. */
class BranchReader {
  readonly outermost = createBranch(OUTERMOST);
  /** From the outermost margin to the innermost. */
  #open: Branch[] = [this.outermost];

  readLine(line: string): void {
    const branching = line.includes('+-') ? BRANCH.exec(line) : null;
    if (branching !== null) this.#openMember(branching);
    else this.#readText(line);
  }

  /** Closes the branches at this column or further in, and opens the next member of the group. */
  #openMember([, indent = '', opening, member]: RegExpExecArray): void {
    const column = indent.length + (opening === undefined ? 0 : 2);
    this.#open = this.#open.filter((branch) => branch === this.outermost || branch.column < column);
    const group = this.#open.at(-1)?.chain.at(-1);
    if (member === undefined || group === undefined) return;
    const branch = createBranch(column);
    group.members.push(branch);
    this.#open.push(branch);
  }

  #readText(line: string): void {
    const margin = isDrawing(line) ? MARGIN.exec(line) : null;
    const branch = margin === null ? undefined : this.#open.find(({ column }) => column === margin[1]?.length);
    if (branch === undefined) parseLine(this.outermost, line);
    else parseLine(branch, margin?.[2] ?? '');
  }
}

/** A fast test, because most lines have no margin. */
function isDrawing(line: string): boolean {
  return line.startsWith(' ') && (line.includes('| ') || line.includes('+ ') || line.endsWith('|'));
}

function createBranch(column: number): Branch {
  return { column, chain: [], current: null, defined: null };
}

function parseLine(branch: Branch, line: string): void {
  const text = locatedText(branch, line.trimStart());
  if (text === '') return;
  const link = text.endsWith(':') ? LINK.exec(text) : null;
  if (link !== null) {
    branch.current = null;
    // The exception that was being handled is not the cause.
    if (link[1] !== undefined) branch.chain.length = 0;
  } else if (branch.current === null) startSection(branch, text, indentOf(line));
  else if (branch.current.type === null) parseInSection(branch.current, text, indentOf(line));
}

/** Returns a line, of pytest with the function in whose source it is; Loguru marks the call that caught the exception. */
function locatedText(branch: Branch, text: string): string {
  if (text.startsWith('> File "')) return text.slice(2);
  branch.defined = DEFINED.exec(text)?.[1] ?? branch.defined;
  const [, path, at, name] = text.includes('.py') ? (TESTED.exec(text) ?? []) : [];
  return path === undefined || name !== undefined ? text : `${path}:${at}: in ${branch.defined ?? MODULE}`;
}

/** Collects locations, which are parsed when their frame is visited, up to the header. */
function parseInSection(section: Section, text: string, indent: number): void {
  if (mayBeLocation(text) && (text.startsWith('File ') || callOf(text) !== null)) {
    if (/, line \d{1,9} in /.test(text)) section.locations.unshift(text);
    else section.locations.push(text);
  } else if (CRASHED_THREAD.test(text)) section.locations.length = 0;
  else if (indent <= section.indent) parseHeader(section, text);
}

function startSection(branch: Branch, text: string, indent: number): void {
  const isLocation = isPythonLocation(text);
  // A member of a group may have no traceback.
  const isHeader = branch.column > OUTERMOST && HEADER.test(text);
  if (!isLocation && !isHeader && !TITLE.test(text)) return;
  const section: Section = {
    indent: isLocation ? Math.max(0, indent - 2) : indent,
    locations: isLocation ? [text] : [],
    members: [],
    type: null,
    message: null,
  };
  branch.chain.push(section);
  branch.current = section;
  if (isHeader && !isLocation && !TITLE.test(text)) parseHeader(section, text);
}

function parseHeader(section: Section, text: string): void {
  const header = HEADER.exec(text);
  if (header === null) return;
  section.type = header[1] ?? null;
  section.message = header[2] ?? null;
}

/** Returns the exceptions of a chain, the root first; the members of a group, if all are alike, come before the group. */
function exceptionsOf({ chain }: Branch): TracedException[] {
  return chain.flatMap(({ type, message, members, locations }) => [
    ...sharedChain(members.map(exceptionsOf)),
    { type, message, frames: framesOfCalls(locations.toReversed(), callOf, pythonFrame) },
  ]);
}
