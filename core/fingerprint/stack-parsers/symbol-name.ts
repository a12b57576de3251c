import { normalizeFunction } from '../frame-function.js';
import { readMangled } from './mangled-name.js';

/** UTF-16 units of a symbol that are read. */
const MAX_SYMBOL = 512;
const OFFSET = /\s?\+\s?(?:0x[0-9a-f]{1,16}|\d{1,12})$/i;
const CLONE = /(?: \[[\w. ]{1,60}\]){1,4}$/;
/** What Swift says about how a function came to be. */
const SWIFT_PREFIX =
  /^(?:@\w{1,20} |(?:static|class|specialized|merged|implicit|private|outlined|inlined) |partial apply for |(?:generic|function signature) specialization of |\(\d{1,4}\) (?:suspend|await) resume partial function for )/;
const IN_FUNCTION =
  /^(?:implicit )?(closure|\$?defer|thunk|variable initialization expression|default argument)\b.* in (?=[^ ]*$|[^ ]+ )/;
const BEHIND_NAME = /\s+(?:const|volatile|noexcept|throws|async|->|where|&{1,2}|\[).*$|\s*->.*$/;
const CALL_OPERATOR = /operator\(\)/g;
const CALL_NAME = 'operator_call';

/** The name of a native symbol without parameters, type arguments, offset and what compilers numbered; null when it has none. */
export function symbolName(raw: string): string | null {
  let symbol = (raw.length > MAX_SYMBOL ? raw.slice(0, MAX_SYMBOL) : raw).trim().replace(OFFSET, '').replace(CLONE, '');
  if (/^[-+]\[/.test(symbol) || symbol.includes('_block_invoke')) return normalizeFunction(symbol);
  symbol = readMangled(symbol) ?? symbol;
  symbol = withoutGroups(
    symbol
      .replaceAll('(anonymous namespace)::', '')
      .replaceAll("`anonymous namespace'::", '')
      .replace(CALL_OPERATOR, CALL_NAME),
  );
  for (let cut = SWIFT_PREFIX.exec(symbol); cut !== null; cut = SWIFT_PREFIX.exec(symbol))
    symbol = symbol.slice(cut[0].length);
  const holder = IN_FUNCTION.exec(symbol);
  const name = (holder === null ? symbol : symbol.slice(holder[0].length)).replace(BEHIND_NAME, '').trim();
  const bare = name.includes('operator') ? name : name.slice(name.lastIndexOf(' ') + 1);
  const normal = normalizeFunction(bare.replaceAll(CALL_NAME, 'operator()'));
  return normal === null || holder === null ? normal : `${normal} ${holder[1] ?? ''}`;
}

/** Without balanced parentheses and without type arguments behind a name; what is not closed is cut off. */
function withoutGroups(symbol: string): string {
  let out = '';
  let depth = 0;
  for (let at = 0; at < symbol.length; at++) {
    const sign = symbol.charAt(at);
    if (sign === '(' && (depth > 0 || !isCountAt(out, symbol, at))) depth++;
    else if (sign === ')' && depth > 0) depth--;
    else if (sign === '<' && (depth > 0 || /[\w:]$/.test(out.slice(-1))) && !out.endsWith('operator')) depth++;
    else if (sign === '>' && depth > 0 && symbol[at - 1] !== '-') depth--;
    else if (depth === 0) out += sign;
  }
  return out.replace(/::(?=::)|::$/g, '').replace(/^(?:decltype|typename) /, '');
}

/** A count that Swift writes in front, as in `(1) suspend resume partial function for`. */
function isCountAt(out: string, symbol: string, at: number): boolean {
  return out === '' && /^\(\d{1,4}\) /.test(symbol.slice(at, at + 8));
}
