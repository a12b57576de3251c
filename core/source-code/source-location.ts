import type { StackFrame } from '../fingerprint/stack/frames.js';

/** The source file and line that the text of a frame names. */
export interface SourceLocation {
  readonly path: string;
  /** One-based. */
  readonly line: number;
}

/** Separators between a path and a line number. */
const SEPARATORS = [':line ', ', line ', ':', '('] as const;
/** Line numbers that the stack parsers of .NET and PHP do not return. */
const UNPARSED_LINE = [/:line (\d{1,9})$/, /\((\d{1,9})\)(?:: |$)/] as const;
const BEFORE_CALL = /^(?:at |from |in |by )/;
const JVM_FILE = /^[^/\\]+\.(?:java|kts?|scala|groovy|cljc?)$/;
const WHOLE_PATH = /^(?:\/|[A-Za-z]:[\\/]|[a-z]{2,12}:\/\/)/;

/** The text of a call without the prefix of its language, such as `at `. */
export function frameText(line: string): string {
  return (line.endsWith(' {') ? line.slice(0, -2) : line).replace(BEFORE_CALL, '');
}

/** The location of a call; `text` is its `frameText`. Java names only the file, so the folders of the package are added. */
export function frameLocation(text: string, { line, module }: StackFrame): SourceLocation | undefined {
  const location = parseSourceLocation(text, line);
  if (location === undefined || module === null || !JVM_FILE.test(location.path)) return location;
  const owner = text.slice(0, text.indexOf('(')).split('/').at(-1) ?? '';
  const folders = owner.split('.').slice(0, -2);
  return folders.length === 0 ? location : { ...location, path: `${folders.join('/')}/${location.path}` };
}

/**
 * Parses the location in the text of a frame; returns undefined without a file. `line` is that of the stack parser or null.
 * Accepts `name (path:12:3)`, `path:12`, `name@path:12:3`, `File "path", line 12`, `in path:line 12`, `#0 path(12): name`,
 * and a path after two spaces.
 */
export function parseSourceLocation(text: string, line: number | null): SourceLocation | undefined {
  const lineNumber = line ?? unparsedLine(text);
  if (lineNumber === undefined || lineNumber < 1) return undefined;
  for (const separator of SEPARATORS) {
    // Not the start of a longer number, and not a column behind a line number.
    const before = separator.startsWith(':') ? '(?<!:\\d{1,9})' : '';
    const mark = new RegExp(`${before}${separator.replace('(', '\\(')}${lineNumber}(?!\\d)`, 'g');
    const at = [...text.matchAll(mark)].at(-1)?.index ?? 0;
    if (at === 0) continue;
    const path = pathAtEnd(text.slice(0, at), separator);
    if (path !== '' && !path.startsWith('<')) return { path, line: lineNumber };
  }
  return undefined;
}

function unparsedLine(text: string): number | undefined {
  for (const pattern of UNPARSED_LINE) {
    const digits = pattern.exec(text)?.[1];
    if (digits !== undefined) return Number(digits);
  }
  return undefined;
}

function pathAtEnd(text: string, separator: (typeof SEPARATORS)[number]): string {
  if (text.endsWith('"')) return text.slice(text.lastIndexOf('"', text.length - 2) + 1, -1);
  const below = text.lastIndexOf('  ');
  if (below >= 0) return text.slice(below + 2);
  const open = text.lastIndexOf('(');
  if (open > text.lastIndexOf(')')) return text.slice(open + 1);
  if (separator === ':line ') return text.slice(Math.max(-4, text.lastIndexOf(' in ')) + 4);
  if (WHOLE_PATH.test(text)) return text;
  const name = text.indexOf('@');
  if (name >= 0 && !text.slice(0, name).includes(' ')) return text.slice(name + 1);
  return text.slice(text.lastIndexOf(' ') + 1);
}
