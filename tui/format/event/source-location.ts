/** Where a frame says that its code lies, as it was written. */
export interface SourceLocation {
  readonly path: string;
  /** One-based. */
  readonly line: number;
}

/** What stands between a path and the number of a line. */
const BEFORE_LINE = [':line ', ', line ', ':', '('] as const;
/** Lines of families whose parser does not tell them: .NET, PHP. */
const UNTOLD_LINE = [/:line (\d{1,9})$/, /\((\d{1,9})\)(?:: |$)/] as const;
const WHOLE_PATH = /^(?:\/|[A-Za-z]:[\\/]|[a-z]{2,12}:\/\/)/;

/**
 * The place in the text of a frame; undefined where it names no file. `line`: as its parser read it, null where it does not. Takes `name (path:12:3)`, `path:12`, `name@path:12:3`,
 * `File "path", line 12`, `in path:line 12`, `#0 path(12): name`, and a path behind two blanks.
 */
export function parseSourceLocation(text: string, line: number | null): SourceLocation | undefined {
  const known = line ?? untoldLine(text);
  if (known === undefined || known < 1) return undefined;
  for (const before of BEFORE_LINE) {
    const at = lastNumber(text, `${before}${known}`);
    if (at <= 0) continue;
    const path = pathAtEnd(text.slice(0, at), before);
    if (path !== '' && !path.startsWith('<')) return { path, line: known };
  }
  return undefined;
}

function untoldLine(text: string): number | undefined {
  for (const pattern of UNTOLD_LINE) {
    const found = pattern.exec(text)?.[1];
    if (found !== undefined) return Number(found);
  }
  return undefined;
}

/** Where a mark with its number stands last, not as the beginning of a longer number; -1 where it does not. */
function lastNumber(text: string, marked: string): number {
  for (let at = text.lastIndexOf(marked); at > 0; at = text.lastIndexOf(marked, at - 1)) {
    const behind = text.charCodeAt(at + marked.length);
    if (!(behind >= 0x30 && behind <= 0x39) && !isColumn(text, at)) return at;
  }
  return -1;
}

/** Whether what stands at a colon is the column of a line before it. */
function isColumn(text: string, at: number): boolean {
  if (text[at] !== ':') return false;
  let first = at - 1;
  while (first >= 0 && isDigit(text.charCodeAt(first))) first -= 1;
  return first < at - 1 && text[first] === ':';
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

/** The path with which a text ends. */
function pathAtEnd(text: string, beforeLine: (typeof BEFORE_LINE)[number]): string {
  if (text.endsWith('"')) return text.slice(text.lastIndexOf('"', text.length - 2) + 1, -1);
  const below = text.lastIndexOf('  ');
  if (below >= 0) return text.slice(below + 2);
  const open = text.lastIndexOf('(');
  if (open > text.lastIndexOf(')')) return text.slice(open + 1);
  if (beforeLine === ':line ') return text.slice(Math.max(-4, text.lastIndexOf(' in ')) + 4);
  if (WHOLE_PATH.test(text)) return text;
  const name = text.indexOf('@');
  if (name >= 0 && !text.slice(0, name).includes(' ')) return text.slice(name + 1);
  return text.slice(text.lastIndexOf(' ') + 1);
}
