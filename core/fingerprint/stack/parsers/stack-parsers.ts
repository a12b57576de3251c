import { dartParser } from './dart.js';
import { dotnetParser } from './dotnet.js';
import { elixirParser } from './elixir.js';
import { eachLine } from './frame-lines.js';
import { goParser } from './go.js';
import { firefoxSafariParser, hermesParser, v8Parser } from './javascript.js';
import { bareJvmParser, javaParser, jvmParser, logcatParser } from './jvm.js';
import { luaParser, perlParser, shellParser } from './lua-perl-shell.js';
import { nativeImagesParser, nativeNumberedParser } from './native-lines.js';
import { phpParser } from './php.js';
import { pythonParser } from './python.js';
import { rubyParser } from './ruby.js';
import { rustParser } from './rust.js';
import type { StackParser } from './stack-parser.js';
import { appleParser, swiftParser } from './swift-apple.js';

/** All families. A line counts for the first row that accepts it, so stricter families come first. */
const STACK_PARSERS: readonly StackParser[] = [
  dotnetParser,
  jvmParser,
  javaParser,
  logcatParser,
  bareJvmParser,
  rustParser,
  elixirParser,
  pythonParser,
  rubyParser,
  phpParser,
  luaParser,
  perlParser,
  shellParser,
  goParser,
  dartParser,
  swiftParser,
  appleParser,
  nativeNumberedParser,
  nativeImagesParser,
  firefoxSafariParser,
  hermesParser,
  v8Parser,
];

/** Lines of evidence that decide. */
const ENOUGH = 3;

/** Families whose frames may begin with `at `, and those whose frames always do: only these test such a line. */
const MAY_BEGIN_WITH_AT: ReadonlySet<StackParser> = new Set([
  dotnetParser,
  jvmParser,
  javaParser,
  rustParser,
  phpParser,
  appleParser,
  nativeImagesParser,
  hermesParser,
  v8Parser,
]);
const ALWAYS_BEGIN_WITH_AT: ReadonlySet<StackParser> = new Set([jvmParser, javaParser, hermesParser, v8Parser]);

const WITH_AT = STACK_PARSERS.filter((row) => MAY_BEGIN_WITH_AT.has(row));
const OTHERS = STACK_PARSERS.filter((row) => !ALWAYS_BEGIN_WITH_AT.has(row));

/** Returns the parser with the most lines of evidence at the start of a stack; null without evidence. */
export function detectParser(stack: string): StackParser | null {
  return plainParser(stack) ?? mostEvident(stack);
}

/** The family of the first lines with `at `, if they agree before other lines could decide; else null. */
function plainParser(stack: string): StackParser | null {
  let family: StackParser | null = null;
  let count = 0;
  let others = 0;
  eachLine(stack, (line) => {
    if (!line.startsWith('at ')) return ++others < ENOUGH;
    const parser = WITH_AT.find((row) => row.isEvidence(line));
    if (parser === undefined || (family !== null && parser !== family)) return false;
    family = parser;
    return ++count < ENOUGH;
  });
  return count === ENOUGH ? family : null;
}

function mostEvident(stack: string): StackParser | null {
  const evidence = new Map<StackParser, number>();
  let best: StackParser | null = null;
  eachLine(stack, (line) => {
    const parser = (line.startsWith('at ') ? WITH_AT : OTHERS).find((row) => row.isEvidence(line));
    if (parser === undefined) return true;
    const count = (evidence.get(parser) ?? 0) + 1;
    evidence.set(parser, count);
    if (best === null || count > (evidence.get(best) ?? 0)) best = parser;
    return count < ENOUGH;
  });
  return best;
}

/** Families whose frames are decided by lines with `at ` alone, unless a mark of a cause or a member is in the stack. */
const READ_AT_LINES: ReadonlySet<StackParser | null> = new Set([v8Parser, javaParser]);
const MARKS = ['aused by', '[cause]: ', 'cause: ', '[errors]: [', 'Suppressed: '] as const;

/** Whether the first line of a stack, which often holds the values of a message, does not change what the other lines say. */
export function isPlainHeader(line: string): boolean {
  const text = line.trim();
  return text !== '' && !text.startsWith('at ') && !hasMark(line);
}

/** Whether a stack with a plain header is parsed from its lines with `at ` alone. */
export function isReadFromAtLines(stack: string): boolean {
  return READ_AT_LINES.has(plainParser(stack)) && !hasMark(stack);
}

function hasMark(text: string): boolean {
  return MARKS.some((mark) => text.includes(mark));
}
