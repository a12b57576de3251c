import { dotnetFrame, isDotnetFrame } from './dotnet-frame.js';
import type { StackParser } from './stack-parser.js';
import { linesOf } from './text-lines.js';
import { firstChain, parsedStack, type TracedException } from './traced-exception.js';

const INNER = ' ---> ';
const END_OF_INNER = '--- End of inner ';
const MEMBER = /^(.*?)---> \(Inner Exception #\d{1,6}\) (.*)$/;
const HEADER = /^([A-Za-z_][\w.+`]{0,255})(?: \(0x[0-9A-Fa-f]{1,8}\))?(?:: (.*))?$/;
const PLACED = /:line \d{1,9}$/;

/** What is told of one exception up to where its calls end. */
interface Section {
  /** Null until it is told. */
  root: string | null;
  readonly parts: string[][];
}

/**
 * .NET: an exception, behind `--->` what it was made of, then the calls of the innermost one and, behind each end of an inner trace, those of the one around it.
 * Of an aggregate one member stands for all.
 */
export const dotnetParser: StackParser = {
  family: 'dotnet',
  isEvidence: (line) =>
    line.startsWith('at ')
      ? isDotnetFrame(line)
      : line.startsWith(END_OF_INNER) || line.startsWith('--- End of stack trace from'),
  parse: (stack) => parsedStack(exceptionsOf(linesOf(stack))),
};

function exceptionsOf(lines: readonly string[]): TracedException[] {
  const [main, ...members] = sectionsOf(lines);
  if (main === undefined) return [];
  const isPlaced = lines.some((line) => PLACED.test(line));
  const around = chainOf(main, isPlaced);
  if (members.length === 0) return around;
  const chains = [around, ...members.map((member) => chainOf(member, isPlaced))];
  const first = firstChain(chains);
  if (first === around) return around;
  // Behind the member that stands for all comes what was made of it, not the member that the text tells first.
  return [...first, ...(around.length === 1 ? around : around.slice(1))];
}

function sectionsOf(lines: readonly string[]): Section[] {
  const sections: Section[] = [{ root: null, parts: [[]] }];
  for (const raw of lines) {
    const line = raw.trimStart();
    const member = line.includes('---> (Inner') ? MEMBER.exec(line) : null;
    if (member !== null) sections.push({ root: member[2] ?? '', parts: [[]] });
    readLine(sections.at(-1), member?.[2] ?? line);
  }
  return sections;
}

function readLine(section: Section | undefined, line: string): void {
  if (section === undefined) return;
  if (line.startsWith('at ')) section.parts.at(-1)?.push(line.replace(/<---$/, ''));
  else if (line.startsWith(END_OF_INNER)) section.parts.push([]);
  else if (section.parts.length === 1 && section.parts[0]?.length === 0) {
    // Older versions write the whole chain in one line.
    const inner = ` ${line}`.lastIndexOf(INNER);
    if (inner >= 0) section.root = line.slice(inner + INNER.length - 1);
  }
}

/** The exceptions of a section, the innermost first. */
function chainOf({ root, parts }: Section, isPlaced: boolean): TracedException[] {
  const header = HEADER.exec(root ?? '');
  return parts.map((lines, at) => ({
    type: at === 0 ? (header?.[1] ?? null) : null,
    message: at === 0 ? (header?.[2] ?? null) : null,
    frames: function* () {
      for (const line of lines) {
        const frame = dotnetFrame(line, isPlaced);
        if (frame !== null) yield frame;
      }
    },
  }));
}
