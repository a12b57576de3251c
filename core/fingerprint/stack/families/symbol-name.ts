import { normalizeFunction } from '../frames.js';
import { demangle } from './mangled-name.js';

/** UTF-16 units; longer symbols are cut. */
const MAX_SYMBOL = 512;
const OFFSET = /\s?\+\s?(?:0x[0-9a-f]{1,16}|\d{1,12})$/i;
const CLONE = /(?: \[[\w. ]{1,60}\]){1,4}$/;
/** Swift's descriptions of generated functions. */
const SWIFT_PREFIX =
  /^(?:@\w{1,20} |(?:static|class|specialized|merged|implicit|private|outlined|inlined) |partial apply for |(?:generic|function signature) specialization of |\(\d{1,4}\) (?:suspend|await) resume partial function for )/;
const IN_FUNCTION =
  /^(?:implicit )?(?:closure|\$?defer|thunk|variable initialization expression|default argument)\b.* in (?=[^ ]*$|[^ ]+ )/;
const BEHIND_NAME = /\s+(?:const|volatile|noexcept|throws|async|->|where|&{1,2}|\[).*$|\s*->.*$/;
const CALL_OPERATOR = /operator\(\)/g;
const CALL_NAME = 'operator_call';

/** Removes parameters, type arguments, offset and generated numbers from a symbol; null if no name is left. */
export function symbolName(raw: string): string | null {
  let symbol = (raw.length > MAX_SYMBOL ? raw.slice(0, MAX_SYMBOL) : raw).trim().replace(OFFSET, '').replace(CLONE, '');
  if (/^[-+]\[/.test(symbol) || symbol.includes('_block_invoke')) return normalizeFunction(symbol);
  symbol = demangle(symbol) ?? symbol;
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
  return normalizeFunction(bare.replaceAll(CALL_NAME, 'operator()'));
}

/** Removes parentheses and type arguments with their content; an unclosed one is removed up to the end. */
function withoutGroups(symbol: string): string {
  let outside = '';
  let depth = 0;
  for (let at = 0; at < symbol.length; at++) {
    if (opensGroup(symbol, at, depth, outside)) depth++;
    else if (depth > 0 && closesGroup(symbol, at)) depth--;
    else if (depth === 0) outside += symbol.charAt(at);
  }
  return outside.replace(/::(?=::)|::$/g, '').replace(/^(?:decltype|typename) /, '');
}

/** `outside`: what stands before the group. */
function opensGroup(symbol: string, at: number, depth: number, outside: string): boolean {
  if (symbol[at] === '(') return depth > 0 || !isCountAt(outside, symbol, at);
  return symbol[at] === '<' && (depth > 0 || /[\w:]$/.test(outside.slice(-1))) && !outside.endsWith('operator');
}

/** Not at the end of an arrow. */
function closesGroup(symbol: string, at: number): boolean {
  return symbol[at] === ')' || (symbol[at] === '>' && symbol[at - 1] !== '-');
}

/** Whether a count of Swift is at `at`, as in `(1) suspend resume partial function for`. */
function isCountAt(out: string, symbol: string, at: number): boolean {
  return out === '' && /^\(\d{1,4}\) /.test(symbol.slice(at, at + 8));
}
