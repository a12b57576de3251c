import { Composer, type CST, type Document, LineCounter, type ParsedNode, Parser } from 'yaml';

type PositionOf = (offset: number) => LinePosition;

interface Fault {
  offset: number;
  message: string;
}

/** Maximum length of a text in UTF-16 code units: some errors cost the YAML parser quadratic time. */
export const MAX_CONFIG_LENGTH = 256 * 1024;

/** The YAML parser recurses; some thousand levels overflow the stack. */
const MAX_NESTING = 64;

/** Later faults are usually consequences of the first. */
const MAX_FAULTS = 10;

/** Characters that YAML 1.2 (5.1) does not allow. */
const FORBIDDEN = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** One-based line and column, the column in UTF-16 code units. */
interface LinePosition {
  line: number;
  column: number;
}

interface ParsedYaml {
  /** Undefined if the text is empty or has a problem. */
  contents: ParsedNode | undefined;
  problems: (LinePosition & { message: string })[];
  positionOf: PositionOf;
}

/** Parses a YAML text; never throws. */
export function parseYaml(text: string): ParsedYaml {
  const positionOf = createLineIndex(text.slice(0, MAX_CONFIG_LENGTH));
  const { contents, faults } = compose(text, positionOf);
  const problems = faults.slice(0, MAX_FAULTS).map(({ offset, message }) => ({ ...positionOf(offset), message }));
  return { contents: faults.length === 0 ? contents : undefined, problems, positionOf };
}

function compose(text: string, positionOf: PositionOf): { contents?: ParsedNode | undefined; faults: Fault[] } {
  const unreadable = findUnreadable(text);
  if (unreadable !== undefined) return { faults: [unreadable] };
  const tokens = [...new Parser().parse(text)];
  const tooDeep = findToken(tokens, (_, depth) => depth > MAX_NESTING);
  if (tooDeep !== undefined) {
    return { faults: [{ offset: tooDeep.offset, message: `nested more than ${MAX_NESTING} levels deep` }] };
  }
  const options = { schema: 'core', resolveKnownTags: false, uniqueKeys: false, prettyErrors: false };
  const [document, second] = new Composer(options).compose(tokens, true, text.length);
  if (document === undefined) return { faults: [] };
  const faults = syntaxFaults(document, tokens, text, positionOf);
  // The parser only warns about unknown tags.
  const tagMessage = 'tags (!…) are not supported; put a string that begins with ! in quotes';
  faults.push(...document.warnings.map(({ pos }) => ({ offset: pos[0], message: tagMessage })));
  if (second !== undefined) {
    const message = 'expected one YAML document, found a second one';
    faults.push({ offset: second.range[0], message });
  }
  return { contents: document.contents ?? undefined, faults };
}

function findUnreadable(text: string): Fault | undefined {
  if (text.length > MAX_CONFIG_LENGTH) return { offset: 0, message: `longer than ${MAX_CONFIG_LENGTH / 1024} KiB` };
  const forbidden = FORBIDDEN.exec(text);
  if (forbidden === null) return undefined;
  const code = forbidden[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return { offset: forbidden.index, message: `the character U+${code} is not allowed in YAML` };
}

/** The first token that passes a test. Not recursive, because it runs before the depth is checked. */
function findToken(
  tokens: readonly CST.Token[],
  test: (token: CST.Token, depth: number) => boolean,
): CST.Token | undefined {
  const pending = tokens.map((token): { token?: CST.Token | null | undefined; depth: number } => ({ token, depth: 0 }));
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { token, depth } = next;
    if (token === null || token === undefined) continue;
    if (test(token, depth)) return token;
    if (token.type === 'document') pending.push({ token: token.value, depth });
    if (!('items' in token)) continue;
    for (const item of token.items) {
      pending.push({ token: item.key, depth: depth + 1 }, { token: item.value, depth: depth + 1 });
    }
  }
  return undefined;
}

/** The first fault of each line, without those about the end of the document, which follow from others. */
function syntaxFaults(
  document: Document.Parsed,
  tokens: readonly CST.Token[],
  text: string,
  positionOf: PositionOf,
): Fault[] {
  const lines = new Map<number, Fault>();
  for (const { pos, code, message } of document.errors) {
    if (lines.size > 0 && message.includes('in YAML stream')) continue;
    const isOpenQuote = message.startsWith('Missing closing');
    const offset = isOpenQuote ? beginOfQuote(tokens, pos[0]) : pos[0];
    const { line, column } = positionOf(offset);
    if (lines.has(line)) continue;
    const sentence =
      code === 'TAB_AS_INDENT'
        ? 'indentation with tabs is not allowed; use spaces'
        : `invalid YAML: ${withoutText(message)}`;
    lines.set(line, { offset, message: sentence + hintFor(lineFrom(text, offset - column + 1)) });
    // An open quote includes the rest of the text.
    if (isOpenQuote || lines.size === MAX_FAULTS) break;
  }
  return [...lines.values()];
}

/** The parser reports an open quote at the end of the text. */
function beginOfQuote(tokens: readonly CST.Token[], end: number): number {
  const isOpen = (token: CST.Token) =>
    token.type.endsWith('-quoted-scalar') && token.offset + sourceOf(token).length === end;
  return findToken(tokens, isOpen)?.offset ?? end;
}

function sourceOf(token: CST.Token): string {
  return 'source' in token ? token.source : '';
}

/** The parser ends some messages with the text, which may be a secret. */
function withoutText(message: string): string {
  return message.split(': ', 1)[0] ?? message;
}

function lineFrom(text: string, begin: number): string {
  const end = text.indexOf('\n', begin);
  return text.slice(begin, end === -1 ? undefined : end);
}

function hintFor(line: string): string {
  if (line.includes('${')) return `; put a \${…} in quotes if it is inside { } or [ ] or contains a colon and a space`;
  if (/[:-] +\[[\da-fA-F:.]+\]:\d/.test(line)) return '; put an address in brackets in quotes';
  return '';
}

function createLineIndex(text: string): (offset: number) => LinePosition {
  const counter = new LineCounter();
  counter.lineStarts = [0, ...Array.from(text.matchAll(/\n/g), (newline) => newline.index + 1)];
  return (offset) => {
    const { line, col } = counter.linePos(offset);
    return { line, column: col };
  };
}
