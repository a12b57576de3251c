const ITANIUM = /^_{1,3}ZN?K?/;
const SWIFT = /^_?(?:\$[sS]|_?T0)/;
const RUST_HASH = /^h[0-9a-f]{16}$/;
const LENGTH = /(\d{1,3})/y;
/** Parts of a name that are read. */
const MAX_PARTS = 16;
/** What Swift writes behind the name of a class, a structure, an enumeration, a protocol or an extension. */
const SWIFT_KIND = 'CVOPaE';

/** The name in a mangled symbol of C++, Rust (before version 0) or Swift, as far as it is written out; null when the symbol is not mangled or says nothing. */
export function readMangled(symbol: string): string | null {
  const itanium = ITANIUM.exec(symbol);
  if (itanium !== null) {
    const at = itanium[0].length + (symbol.startsWith('St', itanium[0].length) ? 2 : 0);
    const parts = readParts(symbol, at, '');
    const names = parts.filter((part) => !RUST_HASH.test(part)).map(rustPart);
    const inStd = at > itanium[0].length ? ['std', ...names] : names;
    return names.length === 0 ? null : inStd.join('::');
  }
  const swift = SWIFT.exec(symbol);
  if (swift === null) return null;
  const parts = readParts(symbol, swift[0].length, SWIFT_KIND);
  // The first part is the module, which the image already names.
  const names = parts.length > 1 ? parts.slice(1) : parts;
  return names.length === 0 ? null : names.join('.');
}

/** Names with their length in front, one behind the other; `kinds` are signs that may stand between them. */
function readParts(symbol: string, start: number, kinds: string): string[] {
  const parts: string[] = [];
  let at = start;
  while (parts.length < MAX_PARTS) {
    while (parts.length > 0 && at < symbol.length && kinds.includes(symbol.charAt(at))) at++;
    LENGTH.lastIndex = at;
    const digits = LENGTH.exec(symbol)?.[1];
    if (digits === undefined) break;
    const length = Number(digits);
    const part = symbol.slice(at + digits.length, at + digits.length + length);
    if (length === 0 || part.length < length) break;
    parts.push(part);
    at += digits.length + length;
  }
  return parts;
}

/** Rust writes signs that no linker knows as words between dollars. */
function rustPart(part: string): string {
  return part
    .replaceAll('$LT$', '<')
    .replaceAll('$GT$', '>')
    .replaceAll('$u20$', ' ')
    .replaceAll('$u7b$', '{')
    .replaceAll('$u7d$', '}')
    .replaceAll('$RF$', '&')
    .replaceAll('$C$', ',')
    .replaceAll('..', '::')
    .replace(/^_(?=[<{])/, '');
}
