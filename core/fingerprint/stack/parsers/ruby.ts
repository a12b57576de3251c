import { type Call, writtenCall } from '../families/call.js';
import { rubyFrame } from '../families/ruby-frame.js';
import { linesOf } from './frame-lines.js';
import type { StackParser } from './stack-parser.js';
import { framesOfCalls, parsedStack, type TracedException } from './traced-exception.js';

const CALL = /^(?:(\d{1,5}): )?(?:from )?(\S.{0,499}?):(\d{1,9})(?::in [`']([^']{1,256})')?(?:: (.*))?$/;
const NAMED_CALL = /:\d{1,9}:in [`']/;
const TYPE = /^(.*?) ?\(([A-Z][\w:]{0,255})\)$/;

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
        .map(({ calls, ...one }) => ({ ...one, frames: framesOfCalls(calls, (call) => call, rubyFrame) }))
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
    const [, number, path = '', at, label = '', tail] = written;
    const call = writtenCall({ name: label, path, line: Number(at) });
    const isFrom = text.startsWith('from ');
    if (number !== undefined) before.push(call);
    else if (tail === undefined) {
      if (label !== '' || isFrom) addCaller(sections, call);
    } else if (label !== '' && !isFrom) {
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
