/** Lines at the start of a text in which a prefix is searched. */
const SEARCHED_LINES = 64;
/** UTF-16 units. */
const MAX_PREFIX = 160;
/** Of times, numbers and names. */
const MARK = /[0|>:\]]/;
const MARK_AT_END = /[|>:\]]$/;
/** Share of the lines that have a prefix that ends with a mark. */
const SHARE = 0.7;

/** A stack in one line: with escaped line breaks as in JSON, or with spaces in place of line breaks. */
const ESCAPED_BREAK = /\\n(?:\\t| {2,8}|[^\\\s]{3,300}\\n\\t)/;
const ESCAPE = /\\(?:r\\n|[nrt\\"/])/g;
const UNESCAPED: Readonly<Record<string, string>> = { '\\n': '\n', '\\r\\n': '\n', '\\r': '\n', '\\t': '\t' };
/** A call with parameters or a source, or what .NET writes between calls. */
const CALL =
  / {1,8}(?=at (?:async |new |\(wrapper )?[\w.$<>`+|[\]/@-]{2,200} ?\(|at \S{1,400}:\d{1,9}:\d{1,9}(?: |$)|--- End of )/g;

/** Returns a stack of one line with its line breaks; other texts as they are. */
export function withLineBreaks(text: string): string {
  if (text.includes('\n')) return text;
  if (ESCAPED_BREAK.test(text)) {
    return text.replace(ESCAPE, (written) => UNESCAPED[written] ?? written.slice(1));
  }
  const calls = text.split(CALL);
  return calls.length > 2 ? calls.join('\n') : text;
}

/**
 * Removes what a log or a quotation writes before each line of a text, for example the time and the name of a process. The longest prefix that
 * all lines have is removed, or that most have if it ends with a mark; the first lines were often written by someone else.
 */
export function withoutLinePrefix(text: string): string {
  const lines = text.split('\n');
  const shapes = lines
    .filter((line) => line.trim() !== '')
    .slice(0, SEARCHED_LINES)
    .map(shapeOf);
  if (shapes.length < 2) return text;
  for (const prefix of prefixesOf(shapes[shapes.length >> 1] ?? '')) {
    const count = shapes.filter((shape) => shape === prefix || shape.startsWith(`${prefix} `)).length;
    if (count < shapes.length * (MARK_AT_END.test(prefix) ? SHARE : 1)) continue;
    const pattern = patternOf(prefix);
    return lines.map((line) => line.replace(pattern, '')).join('\n');
  }
  return text;
}

/** The start of a line with each number alike, as times and numbers of processes differ. */
function shapeOf(line: string): string {
  return line.slice(0, MAX_PREFIX).replace(/\d+/g, '0');
}

/** What a log may have written before a line, the longest first. It ends before a space, and a call is none. */
function prefixesOf(shape: string): string[] {
  const prefixes: string[] = [];
  for (let at = shape.indexOf(' '); at >= 0; at = shape.indexOf(' ', at + 1)) {
    const prefix = shape.slice(0, at);
    if (MARK.test(prefix) && !prefix.endsWith(' at')) prefixes.unshift(prefix);
  }
  return prefixes;
}

/** An empty line has no space after its prefix. */
function patternOf(prefix: string): RegExp {
  const source = prefix.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&').replaceAll('0', '\\d{1,20}');
  return new RegExp(`^${source}(?: |$)`);
}
