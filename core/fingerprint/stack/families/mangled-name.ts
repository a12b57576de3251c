const ITANIUM = /^_{1,3}ZN?K?/;
const SWIFT = /^_?(?:\$[sS]|_?T0)/;
/** Version 0 of Rust: namespaces of the parts, then the crate with a number. */
const RUST = /^_?_R(?:N[A-Za-z]){1,12}C(?:s[0-9A-Za-z]{0,16}_)?/;
const RUST_HASH = /^h[0-9a-f]{16}$/;
const LENGTH = /(\d{1,3})/y;
/** Parts of a mangled name. */
const MAX_PARTS = 16;
/** Letters of Swift after the name of a class, structure, enumeration, protocol or extension. */
const SWIFT_KIND = 'CVOPaE';

/** Returns the literal names of a mangled symbol of C++, Rust or Swift; null if it is not mangled. */
export function demangle(symbol: string): string | null {
  const itanium = ITANIUM.exec(symbol);
  if (itanium !== null) {
    const at = itanium[0].length + (symbol.startsWith('St', itanium[0].length) ? 2 : 0);
    const parts = parseLengthPrefixed(symbol, at, '');
    const names = parts.filter((part) => !RUST_HASH.test(part)).map(rustPart);
    const inStd = at > itanium[0].length ? ['std', ...names] : names;
    return names.length === 0 ? null : inStd.join('::');
  }
  const rust = RUST.exec(symbol);
  if (rust !== null) return parseLengthPrefixed(symbol, rust[0].length, '').join('::') || null;
  const swift = SWIFT.exec(symbol);
  if (swift === null) return null;
  const parts = parseLengthPrefixed(symbol, swift[0].length, SWIFT_KIND);
  // The first part is the module, which equals the image.
  const names = parts.length > 1 ? parts.slice(1) : parts;
  return names.length === 0 ? null : names.join('.');
}

/** Parses consecutive names that follow their length; `kinds` are letters that may separate them. */
function parseLengthPrefixed(symbol: string, start: number, kinds: string): string[] {
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

/** Decodes signs that Rust writes as words between dollars. */
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
