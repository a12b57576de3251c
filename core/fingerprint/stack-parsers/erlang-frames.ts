import { normalizeFile } from '../frame-file.js';
import { normalizeFunction } from '../frame-function.js';
import type { StackFrame } from '../frames.js';
import { isAppFile } from '../in-app.js';

const TUPLE =
  /\{'?([a-z][\w@.]{0,100})'?,\s{0,40}'?([a-z_-][^,'{}]{0,200})'?,[^{}"]{0,200}\[\{file,\s{0,40}"([^"]{1,300})"\},\s{0,40}\{line,\s{0,40}(\d{1,9})\}/g;
const SHELL =
  /^in (?:function|call from)\s{1,8}(?:'?([a-z][\w@.]{0,100})'?:)?'?([^'/(\s]{1,200})'?\/\d{1,3} {1,8}\(([^(),]{1,300}), line (\d{1,9})\)$/;
const MADE_BY_COMPILER = /^-(.{1,150}?)\/\d{1,3}-/;
/** A script is a module that is numbered when it is run. */
const RUN = /(?:__\d{1,12}){2,}$/;
const MAX_TEXT = 65_536;

/** Whether a line tells the place of a call in one of Erlang's own forms. */
export function isErlangEvidence(line: string): boolean {
  if (line.startsWith('in ')) return SHELL.test(line);
  return line.includes('{file,') && line.includes('"');
}

/** The calls of Erlang's own forms: tuples `{module,function,arity,[{file,…},{line,…}]}`, and what its shell prints. */
export function* erlangFrames(lines: readonly string[]): Iterable<StackFrame> {
  for (const line of lines) {
    const call = line.includes(', line ') ? SHELL.exec(line.trimStart()) : null;
    if (call !== null) yield frameAt(call);
  }
  const text = lines.join('\n').slice(0, MAX_TEXT);
  if (!text.includes('{file,')) return;
  for (const call of text.matchAll(TUPLE)) yield frameAt(call);
}

function frameAt([, module, name = '', path = '', line]: RegExpExecArray): StackFrame {
  return {
    function: normalizeFunction(MADE_BY_COMPILER.exec(name)?.[1] ?? name),
    module: module?.replace(RUN, '') ?? null,
    file: normalizeFile(path),
    line: Number(line),
    column: null,
    inApp: isAppFile(path),
  };
}
