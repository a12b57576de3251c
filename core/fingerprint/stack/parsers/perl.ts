import { createFrame, type StackFrame } from '../frames.js';
import { linesOf } from './frame-lines.js';
import type { StackParser } from './stack-parser.js';
import { parsedStack } from './traced-exception.js';

const CALL = /^((?:eval|require)\b.{0,2000}?|[^\s(]{1,500}\(.{0,2000}\)) called at (\S.{0,499}) line (\d{1,9})\.?$/;
const THROWN = / at (\S.{0,499}?) line (\d{1,9})(?:, <\w{1,64}> (?:line|chunk) \d{1,9})?\.$/;

interface Location {
  readonly path: string;
  readonly line: number;
}

/** Perl, as Carp prints it: the location of the failure, then each call with the location of its caller. */
export const perlParser: StackParser = {
  family: 'perl',
  isEvidence: (line) => line.includes(' called at ') && CALL.test(line),
  parse: (stack) => parsedStack([{ type: null, message: null, frames: () => framesOf(linesOf(stack)) }]),
};

function* framesOf(lines: readonly string[]): Iterable<StackFrame> {
  let location: Location | null = null;
  for (const line of lines) {
    const call = CALL.exec(line.trimStart());
    if (call === null) {
      const thrown: RegExpExecArray | null = location === null ? THROWN.exec(line) : null;
      if (thrown !== null) location = { path: thrown[1] ?? '', line: Number(thrown[2]) };
      continue;
    }
    yield frameAt(call[1] ?? '', location);
    location = { path: call[2] ?? '', line: Number(call[3]) };
  }
  if (location !== null) yield frameAt('', location);
}

/** `main::total(120)` is `total` of no module; `eval {...}` has no name. */
function frameAt(call: string, location: Location | null): StackFrame {
  const open = call.indexOf('(');
  const name = /^eval\b/.test(call) ? '' : call.slice(0, open < 0 ? undefined : open).trim();
  const at = name.lastIndexOf('::');
  const module = at < 0 ? '' : name.slice(0, at);
  const member = at < 0 ? name : name.slice(at + 2);
  return createFrame({ name: member, module: module === 'main' ? '' : module, ...location });
}
