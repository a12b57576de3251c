import { createFrame, type StackFrame } from '../frames.js';
import { isAppFile } from '../in-app.js';
import { linesOf } from './frame-lines.js';
import type { StackParser } from './stack-parser.js';
import { type Location, parsedStack, type TracedException } from './traced-exception.js';

const CALL = /^(?:(\d{1,5}): )?(?:from )?(\S.{0,499}?):(\d{1,9})(?::in [`']([^']{1,256})')?(?:: (.*))?$/;
const NAMED_CALL = /:\d{1,9}:in [`']/;
const TYPE = /^(.*?) ?\(([A-Z][\w:]{0,255})\)$/;
/** Prefix of a block or a clause, before the name of its method. */
const PART_OF_METHOD = /^(?:(?:block(?: \(\d{1,6} levels\))?|rescue|ensure) in )+/;
const ADDRESS = /#<([\w:]{1,200}):0x[0-9a-f]{1,16}>/g;
const JRUBY = /^(?:org[/\\]jruby|java|jdk)[/\\]|^uri:classloader:/;
const JRUBY_METHOD = /^(?:org\.jruby|java)\./;
const MAIN = '<main>';

interface Call extends Location {
  readonly label: string | undefined;
}

interface Section extends Pick<TracedException, 'type' | 'message'> {
  readonly calls: Call[];
}

/** Ruby: the innermost call with message and type, callers after `from`, then the cause in the same form, which most code raises again to wrap. */
export const rubyParser: StackParser = {
  family: 'ruby',
  isEvidence: (line) => line.includes(':in ') && NAMED_CALL.test(line) && CALL.test(line),
  parse: (stack) =>
    parsedStack(
      sectionsOf(linesOf(stack))
        .map(({ calls, ...one }) => ({ ...one, frames: () => framesFrom(calls) }))
        .toReversed(),
    ),
};

/** Returns the exceptions in the order of the text, each before its cause. */
function sectionsOf(lines: readonly string[]): Section[] {
  const sections: Section[] = [];
  /** Callers before their exception, as in older versions. */
  let before: Call[] = [];
  for (const line of lines) {
    const text = line.trimStart();
    const written = CALL.exec(text);
    if (written === null) continue;
    const [, number, path = '', at, label, tail] = written;
    const call = { path, line: Number(at), label };
    const isFrom = text.startsWith('from ');
    if (number !== undefined) before.push(call);
    else if (tail === undefined) {
      if (label !== undefined || isFrom) addCaller(sections, call);
    } else if (label !== undefined && !isFrom) {
      sections.push({ calls: [call, ...before.reverse()], ...parseTail(tail) });
      before = [];
    }
  }
  if (before.length > 0) sections.push({ calls: before.reverse(), type: null, message: null });
  return sections;
}

function addCaller(sections: Section[], call: Call): void {
  if (sections.length === 0) sections.push({ calls: [], type: null, message: null });
  sections.at(-1)?.calls.push(call);
}

function parseTail(tail: string): { type: string | null; message: string | null } {
  const typed = TYPE.exec(tail);
  return typed === null ? { type: null, message: tail } : { type: typed[2] ?? null, message: typed[1] ?? null };
}

function* framesFrom(calls: readonly Call[]): Iterable<StackFrame> {
  for (const [at, call] of calls.entries()) {
    const { path, line, label = '' } = call;
    const isForeign = JRUBY.test(path) || JRUBY_METHOD.test(label) || isBuiltIn(call, calls[at + 1]);
    yield createFrame({ name: methodOf(label), path, line, inApp: isAppFile(path) && !isForeign });
  }
}

function methodOf(label: string): string {
  const method = label.replace(PART_OF_METHOD, '').replace(ADDRESS, '#<$1>');
  return method === '<top (required)>' ? MAIN : method;
}

/** A method that is not written in Ruby has the location of its caller. */
function isBuiltIn(call: Call, caller: Call | undefined): boolean {
  if (caller === undefined || call.label === undefined || PART_OF_METHOD.test(call.label)) return false;
  return caller.path === call.path && caller.line === call.line && caller.label !== call.label;
}
