/** Lines that must share a prefix, of those at the start of a text. */
const MIN_LINES = 3;
const SEARCHED_LINES = 64;
/** UTF-16 units. */
const MAX_PREFIX = 160;

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

/** Removes what a log writes before each line of a text, for example the time and the name of a process; the longest such prefix. */
export function withoutLinePrefix(text: string): string {
  const lines = text.split('\n');
  const [first = '', ...others] = lines.filter((line) => line.trim() !== '').slice(0, SEARCHED_LINES);
  if (others.length + 1 < MIN_LINES) return text;
  for (const end of prefixEnds(first)) {
    const pattern = patternOf(first.slice(0, end));
    if (others.every((line) => pattern.test(line))) return lines.map((line) => line.replace(pattern, '')).join('\n');
  }
  return text;
}

/** Where a prefix of a line may end, the longest first: after a space. A call is no prefix. */
function prefixEnds(line: string): number[] {
  const ends: number[] = [];
  for (let at = line.indexOf(' '); at >= 0 && at < MAX_PREFIX; at = line.indexOf(' ', at + 1)) {
    const prefix = line.slice(0, at);
    if (/[\d|]/.test(prefix) && !/(?:^|\s)at$/.test(prefix)) ends.unshift(at);
  }
  return ends;
}

/** Numbers differ between lines, and an empty line has no space after its prefix. */
function patternOf(prefix: string): RegExp {
  const source = prefix.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&').replace(/\d+/g, '\\d{1,20}');
  return new RegExp(`^${source}(?: |$)`);
}
