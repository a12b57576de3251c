import { normalizeFunction } from '../frames.js';
import { demangle } from './mangled-name.js';

/** UTF-16 units; longer symbols are cut. */
const MAX_SYMBOL = 512;

/** A part of a symbol that is rewritten before parentheses and type arguments are removed. */
interface SymbolRow {
  /** In each symbol that matches, and found faster. */
  readonly mark: string;
  readonly pattern: RegExp;
  readonly replacement: string;
  readonly reason: string;
  /** Symbols and their names. */
  readonly examples: readonly (readonly [string, string])[];
}

/** In order, before parentheses are removed. */
export const SYMBOL_PARTS: readonly SymbolRow[] = [
  {
    mark: ' resume partial function for ',
    pattern: /^\(\d{1,4}\) (?:suspend|await) resume partial function for /,
    replacement: '',
    reason: 'Swift numbers the parts of an async function.',
    examples: [['(1) await resume partial function for Shop.Cart.load() async throws -> ()', 'Shop.Cart.load']],
  },
  {
    mark: '+',
    pattern: /\s?\+\s?(?:0x[0-9a-f]{1,16}|\d{1,12})$/i,
    replacement: '',
    reason: 'The offset in the function.',
    examples: [['total + 0x1f', 'total']],
  },
  {
    mark: '[',
    pattern: /(?: \[[\w. ]{1,60}\]){1,4}$|\[abi:\w{1,40}\]/g,
    replacement: '',
    reason: 'Notes of compilers.',
    examples: [
      ['total(int) [clone .isra.0] [clone .cold]', 'total'],
      ['shop::name[abi:cxx11](int)', 'shop::name'],
    ],
  },
  {
    mark: 'kfun:',
    pattern: /^kfun:|(?<=\))\{.{0,200}\}[\w.?<>]{0,200}$/g,
    replacement: '',
    reason: 'Kotlin marks functions of native programs, and writes their type behind them.',
    examples: [['kfun:com.shop.Cart#total(kotlin.Int){}kotlin.Int', 'com.shop.Cart#total']],
  },
  {
    mark: '!',
    pattern: /^[\w.-]{1,100}!(?=\S)/,
    replacement: '',
    reason: 'Debuggers of Windows write the image before the function.',
    examples: [['shop!Cart::total', 'Cart::total']],
  },
  {
    mark: 'anonymous',
    pattern: /(?:\(anonymous(?: namespace| class)?\)|`anonymous[ -]namespace'|\{anonymous\})::/g,
    replacement: '',
    reason: 'Namespaces without a name.',
    examples: [
      ['shop::(anonymous namespace)::total(int)', 'shop::total'],
      ["`anonymous namespace'::total", 'total'],
    ],
  },
  {
    mark: '`',
    pattern: /`\d{1,6}'::/g,
    replacement: '',
    reason: 'Scopes without a name are numbered.',
    examples: [["shop::`2'::total", 'shop::total']],
  },
  {
    mark: '`',
    pattern: /`([^`']{1,300})'::/g,
    replacement: '$1::',
    reason: 'The function that a local scope lies in.',
    examples: [["`shop::total'::`2'::Rounder::round", 'shop::total::Rounder::round']],
  },
  {
    mark: ' (',
    pattern: /^[^()]{1,200} \([*&]{1,2}(?=[\w:~]{1,200}[(<])/,
    replacement: '',
    reason: 'A function that returns a pointer to a function stands in its type.',
    examples: [['void (*shop::handler())(int)', 'shop::handler']],
  },
  {
    mark: '(extension in ',
    pattern: /\(extension in \w{1,100}\):(?:\w{1,100}\.(?=\w))?/g,
    replacement: '',
    reason: 'Extensions of Swift belong to the module that makes them, not to that of the type.',
    examples: [['(extension in Shop):Swift.Array.total() -> Swift.Int', 'Array.total']],
  },
  {
    mark: ' in ',
    pattern: /\((\w{1,100}) in (?:_[0-9A-F]{8,40}|\$\w{1,40})\)/g,
    replacement: '$1',
    reason: 'Private declarations of Swift name their file by a hash.',
    examples: [['Shop.(Cart in _0A1B2C3D4E5F60718293A4B5C6D7E8F9).total() -> ()', 'Shop.Cart.total']],
  },
  {
    mark: '.(',
    pattern: /\.\((\w{1,100}) \(.*$/,
    replacement: '.$1',
    reason: 'Swift 1 wrote a method with all of its types in parentheses.',
    examples: [['Shop.Cart.(total (Shop.Cart) -> (Swift.Int) -> ()).(closure #1)', 'Shop.Cart.total']],
  },
];

/** Operators, whose signs are no parentheses, arrows or type arguments. */
const OPERATOR =
  /\boperator\s?(?:\(\)|\[\]|<=>|->\*?|<<=?|>>=?|&&|\|\||\+\+|--|[-+*/%^&|~!=<>]=?|,|""\s?\w{1,60}|(?:new|delete)\b(?:\[\])?|co_await\b)/g;
/** The first of the characters that stand for operators while parentheses are removed. */
const FIRST_MARK = 0xe000;
const MARK = /[\ue000-\ue0ff]/g;
const GROUP_MAY_FOLLOW = /[\w:\ue000-\ue0ff]$|[\ue000-\ue0ff] $/;
const EMPTY_SCOPES = /::(?=::)|::$/g;
/** A lambda without a name of its own, and the call of it. */
const EMPTY_LAMBDA = /::::[\ue000-\ue0ff](?= |::|$)/g;

/** Selectors of Objective-C hold all that tells methods apart, as in `-[NSString(Price) parse:]`; debuggers write arguments behind them. */
const METHOD = /^([-+]\[[^\]]{1,400}\])/;
/** Conversions between conventions of calls, which belong to no function. */
const THUNK = /^(?:partial apply (?:forwarder )?for )?(?:reabstraction )?thunk (?:helper |for |from )/;
/** Swift's descriptions of generated functions. */
const SWIFT_PREFIX =
  /^(?:@\w{1,20} |(?:static|class|specialized|merged|implicit|private|outlined|inlined|distributed) |partial apply (?:forwarder )?for |(?:dispatch|vtable|distributed|back deployment) thunk (?:of|for) |method lookup function for |(?:generic|function signature)(?: not re-abstracted)? (?:partial )?specialization (?:<.{0,300}> )?of |(?:variable initialization expression|default argument \d{1,4}|property wrapper backing initializer) of )/;
const WITNESS =
  /^protocol (?:self-conformance )?witness for (?:\S+\.)?(\w+(?:\.(?:getter|setter|modify|read))?)(?: .*)? in conformance (\S+).*$/;
const IN_FUNCTION = /^(?:(?:implicit |auto)?closure|\$?defer|thunk|curry thunk)\b.* in (?=\S)/;
const LOCAL_FUNCTION = /^(\w{1,100}) #\d{1,6} .*\bin (\S+).*$/;
const BEHIND_NAME =
  /\s+(?:const|volatile|noexcept|throws|rethrows|async|requires|where|:|->|&{1,2}|\[|with unmangled suffix).*$|\s*->.*$/;
const CONVERSION = /(?:^| )(\S*\boperator [\w:][\w:*& ]*)$/;

/** Removes parameters, type arguments, offset and generated numbers from a symbol; null if no name is left. */
export function symbolName(raw: string): string | null {
  let symbol = (raw.length > MAX_SYMBOL ? raw.slice(0, MAX_SYMBOL) : raw).trim();
  if (/^\w+$/.test(symbol) && !symbol.startsWith('_')) return normalizeFunction(symbol);
  for (const { mark, pattern, replacement } of SYMBOL_PARTS)
    if (symbol.includes(mark)) symbol = symbol.replace(pattern, replacement);
  if (symbol.includes('thunk ') && THUNK.test(symbol)) return '<thunk>';
  const method = METHOD.exec(symbol)?.[1];
  if (method !== undefined || symbol.includes('_block_invoke')) return normalizeFunction(method ?? symbol);
  symbol = demangle(symbol) ?? symbol;
  return normalizeFunction(symbol.includes('operator') ? operatorName(symbol) : declaredName(withoutGroups(symbol)));
}

/** The name of what may be an operator: its signs are kept while parentheses are removed. */
function operatorName(symbol: string): string {
  const operators: string[] = [];
  const marked = symbol.replace(OPERATOR, (operator) => {
    operators.push(operator);
    return String.fromCharCode(FIRST_MARK + ((operators.length - 1) % 0xff));
  });
  const name = declaredName(withoutGroups(marked));
  return name.replace(MARK, (mark) => operators[mark.charCodeAt(0) - FIRST_MARK] ?? '');
}

/** The name in a declaration without parentheses: without what Swift and C++ write before and behind it. */
function declaredName(written: string): string {
  if (!written.includes(' ')) return written;
  let symbol = written;
  for (let cut = SWIFT_PREFIX.exec(symbol); cut !== null; cut = SWIFT_PREFIX.exec(symbol))
    symbol = symbol.slice(cut[0].length);
  symbol = symbol.replace(WITNESS, '$2.$1').replace(IN_FUNCTION, '').replace(LOCAL_FUNCTION, '$2.$1');
  const name = symbol.replace(BEHIND_NAME, '').trim();
  return CONVERSION.exec(name)?.[1] ?? name.slice(name.lastIndexOf(' ') + 1);
}

/** Removes parentheses and type arguments with their content; an unclosed one is removed up to the end. */
function withoutGroups(symbol: string): string {
  if (!symbol.includes('(') && !symbol.includes('<')) return symbol;
  let outside = '';
  let depth = 0;
  for (let at = 0; at < symbol.length; at++) {
    if (opensGroup(symbol, at, depth, outside)) depth++;
    else if (depth > 0 && closesGroup(symbol, at)) depth--;
    else if (depth === 0 && symbol[at] === ')') break;
    else if (depth === 0) outside += symbol.charAt(at);
  }
  return outside
    .replace(EMPTY_LAMBDA, '')
    .replace(EMPTY_SCOPES, '')
    .replace(/^(?:decltype|typename) /, '');
}

/** `outside`: what stands before the group. */
function opensGroup(symbol: string, at: number, depth: number, outside: string): boolean {
  if (symbol[at] === '(') return true;
  return symbol[at] === '<' && (depth > 0 || GROUP_MAY_FOLLOW.test(outside.slice(-2)));
}

/** Not at the end of an arrow. */
function closesGroup(symbol: string, at: number): boolean {
  return symbol[at] === ')' || (symbol[at] === '>' && symbol[at - 1] !== '-');
}
