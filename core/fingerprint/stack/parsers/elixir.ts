import { writtenCall } from '../families/call.js';
import { elixirFrame, isElixirFunction } from '../families/elixir-frame.js';
import type { StackFrame } from '../frames.js';
import { indentOf, linesOf } from './frame-lines.js';
import type { StackParser } from './stack-parser.js';
import { framesOf, parsedStack, type TracedException } from './traced-exception.js';

const TUPLE =
  /\{'?((?:[a-z]|Elixir\.)[\w@.]{0,100})'?,\s{0,80}'?([a-z_-][^,'{}]{0,200})'?,[^{}]{0,300}\[\{file,\s{0,40}"([^"]{1,300})"\},\s{0,40}\{line,\s{0,40}(\d{1,9})\}/g;
const SHELL =
  /^in (?:function|call from)\s{1,8}(?:'?([a-z][\w@.]{0,100})'?:)?'?([^'/(\s]{1,200})'?\/\d{1,3} {1,8}\(([^(),]{1,300}), line (\d{1,9})\)$/;
/** A function none of whose clauses accepts its arguments is not among its calls. */
const CLAUSE =
  /no function clause matching\s{1,80}(?:'?([a-z][\w@.]{0,100})'?:)?'?([^'(\s]{1,200})'?\([\s\S]{0,1000}?\) \(([^(),]{1,300}), line (\d{1,9})\)/g;
const MAX_TEXT = 65_536;

/** Frames of Erlang: tuples `{module,function,arity,[{file,…},{line,…}]}`, which are the cause of an exit, then lines of its shell. */
function* erlangFrames(lines: readonly string[]): Iterable<StackFrame> {
  const text = lines.join('\n').slice(0, MAX_TEXT);
  if (text.includes('{file,')) for (const call of text.matchAll(TUPLE)) yield frameAt(call);
  for (const call of text.matchAll(CLAUSE)) yield frameAt(call);
  for (const line of lines) {
    const call = line.includes(', line ') ? SHELL.exec(line.trimStart()) : null;
    if (call !== null) yield frameAt(call);
  }
}

function frameAt([, module = '', name = '', path = '', line]: RegExpExecArray): StackFrame {
  return elixirFrame(writtenCall({ name, module, path, line: Number(line) }));
}

const CALL =
  /^(?:\(([a-z]\w{0,60})(?: [\w.+-]{1,60})?\) )?(?:([^\s:()]{1,300}\.(?:exs?|erl|eex|heex|leex)):(\d{1,9}):? )?(\S.{0,600})$/;
/** Trackers of errors write the location as Python does. */
const LIKE_PYTHON = /^File "([^"]{1,300}\.(?:exs?|erl|eex|heex|leex))", line (\d{1,9}), in /;
const HEADER = /^\*\* \((EXIT from [^)]{1,100}|[A-Za-z_][\w.]{0,255})\)(?: (.*))?$/;

interface Section {
  readonly type: string;
  readonly message: string | null;
  readonly indent: number;
  readonly lines: string[];
}

/** Elixir and Erlang: `(app version) file:line: Module.function/arity`; the reason of an exit is indented below it with its calls. */
export const elixirParser: StackParser = {
  family: 'elixir',
  isEvidence: (line) => isCall(line) || line.includes('{file,') || (line.startsWith('in ') && SHELL.test(line)),
  parse: (stack) => {
    const lines = linesOf(stack);
    const sections = sectionsOf(lines);
    if (sections.some((section) => section.lines.length > 0)) return parsedStack(sections.map(traced).toReversed());
    return parsedStack([{ type: null, message: null, frames: () => erlangFrames(lines) }]);
  },
};

/** Whether a line is an application in parentheses or a file of the family, then a function. */
function isCall(line: string): boolean {
  if (line.startsWith('File "')) return LIKE_PYTHON.test(line);
  const isLikely = line.startsWith('(') || (line.includes('.e') && line.includes(':'));
  if (!isLikely) return false;
  const call = CALL.exec(line);
  if (call === null) return false;
  return (call[1] !== undefined || call[2] !== undefined) && isElixirFunction(call[4] ?? '');
}

function sectionsOf(lines: readonly string[]): Section[] {
  const sections: Section[] = [];
  let open: Section[] = [];
  for (const line of lines) {
    const text = line.trimStart();
    const indent = indentOf(line);
    const header = text.startsWith('** (') ? HEADER.exec(text) : null;
    if (header !== null) {
      const section = { type: header[1] ?? '', message: header[2] ?? null, indent, lines: [] };
      open = [...open.filter((other) => other.indent < indent), section];
      sections.push(section);
    } else if (isCall(text)) {
      if (sections.length === 0) sections.push({ type: '', message: null, indent: -1, lines: [] });
      const owner = open.findLast((other) => other.indent < indent) ?? sections[0];
      owner?.lines.push(text);
    }
  }
  return sections;
}

function traced({ type, message, lines }: Section): TracedException {
  const name = type === '' ? null : type.replace(/^EXIT from .*$/, 'EXIT');
  return { type: name, message, frames: framesOf(lines, frameOf) };
}

function frameOf(line: string): StackFrame | null {
  const call = CALL.exec(line.replace(LIKE_PYTHON, '$1:$2: '));
  if (call === null) return null;
  const [, image = '', path = '', at, name = ''] = call;
  return elixirFrame(writtenCall({ name, path, image, line: at === undefined ? null : Number(at) }));
}
