import { normalizeFile } from '../file-names.js';
import { normalizeFunction, normalizeGenerated, type StackFrame } from '../frames.js';
import { isAppFile, isAppModule } from '../in-app.js';

const POSITION = /(?::(\d{1,9}))?:(\d{1,9})$/;
/** UTF-16 units of a report that are searched for its kind. */
const MAX_REPORT = 8_192;
const KIND =
  /(?:(?:ERROR|WARNING): [A-Z]\w{1,40}Sanitizer|:\d{1,9}: runtime error): ([^:'(\n]{1,120}?)(?= on | in |[:'(\n]|$)/;
const NUMBER = /-?\b(?:0x[\da-f]{1,16}|\d[\d.e+]{0,40})/g;

/** The kind of error that a sanitizer reports, without its values; null if the text is not a report. */
export function sanitizerKind(stack: string): string | null {
  const start = stack.slice(0, MAX_REPORT);
  if (!start.includes('Sanitizer: ') && !start.includes(': runtime error: ')) return null;
  return KIND.exec(start)?.[1]?.replace(NUMBER, '<n>').trim() ?? null;
}

/** Functions of C, C++ and their runtimes, in any image. */
const SYSTEM_FUNCTION =
  /^(?:_{1,3}(?:libc|GI|IO|cxa|asan|tsan|msan|ubsan|lsan|sanitizer|interceptor|assert|pthread|restore|kernel|scrt|tmainCRTStartup|mainCRTStartup|clone|fortify|stack_chk|chk|rust|gxx|gcc|run_exit|sigtramp|cxx|NSRaise|CFRunLoop|NSThread|fatal_error|dyld)\w*|_?start|(?:w?mainCRTStartup|WinMainCRTStartup|invoke_main)|abort|raise|gsignal|tgkill|start_thread|clone3?|rust_begin_unwind|rust_panic\w*|lang_start\w*|_?assertionFailure|_?fatalErrorMessage|swift_\w+|objc_\w+|_objc_\w+|malloc|calloc|realloc|reallocarray|free|memalign|posix_memalign|aligned_alloc|w?mem(?:p?cpy|move|set|r?chr|cmp|mem)|(?:str|wcs)(?:n?len|p?n?cpy|n?cat|n?casecmp|n?cmp|r?chr|c?spn|pbrk|str|n?dup|tok|to[dflu]{1,3})|v?f?s?n?(?:printf|scanf)|operator (?:new|delete).*|(?:RaiseException|RtlUserThreadStart|BaseThreadInitThunk|KiUserExceptionDispatch\w*|UnhandledExceptionFilter)|backtrace(?:_symbols\w*)?|(?:std|__gnu_cxx|__cxxabiv1|__sanitizer|__[atm]san|__ubsan)::.*)$/;
/** Namespaces of Rust; a known source has priority, because an application may use the same name. */
const SYSTEM_NAMESPACE = /^(?:core|alloc)::/;

/** The fields of a native frame. */
export interface NativeSymbol {
  readonly symbol?: string | undefined;
  /** A program or a library, with or without its path. */
  readonly image?: string | undefined;
  /** Path with line and column. */
  readonly source?: string | undefined;
  /** Whether the line marks the frame as part of the operating system. Default: false. */
  readonly isSystem?: boolean;
}

/** Creates a frame with function and file, or without a source with function and image; null if all are unknown. */
export function nativeFrame({
  symbol = '',
  image = '',
  source = '',
  isSystem = false,
}: NativeSymbol): StackFrame | null {
  const position = POSITION.exec(source);
  const path = position === null ? source : source.slice(0, position.index);
  const name = symbolName(symbol);
  const imageName = imageOf(image);
  if (name === null && path === '' && imageName === '') return null;
  return {
    function: name,
    module: path !== '' || imageName === '' ? null : normalizeGenerated(imageName),
    file: path === '' ? null : normalizeFile(path),
    line: position === null ? null : Number(position[1] ?? position[2]),
    column: position?.[1] === undefined ? null : Number(position[2]),
    inApp: !isSystem && isAppPath(path) && isAppImage(image) && !(name !== null && isSystemFunction(name, path)),
  };
}

/** An unknown source may belong to the application. */
function isAppPath(path: string): boolean {
  return path === '' || isAppFile(path);
}

function isAppImage(image: string): boolean {
  return image === '' || (isAppFile(image) && isAppModule(imageOf(image)));
}

function isSystemFunction(name: string, path: string): boolean {
  return SYSTEM_FUNCTION.test(name) || (path === '' && SYSTEM_NAMESPACE.test(name));
}

/** The name of an image without folder, version and container. */
function imageOf(image: string): string {
  const name = image.slice(Math.max(image.lastIndexOf('/'), image.lastIndexOf('\\'), image.lastIndexOf('!')) + 1);
  return /^(?:\?{2,3}|<unknown>|unknown)$/.test(name)
    ? ''
    : name.replace(/[-.]\d[\d.]{0,20}(?=\.(?:so|dylib|dll)\b)|(?<=\.so)(?:\.\d{1,6}){1,4}$/g, '');
}

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
function symbolName(raw: string): string | null {
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

const ITANIUM = /^_{1,3}ZN?K?/;
const SWIFT = /^_?(?:\$[sS]|_?T0)/;
const RUST_HASH = /^h[0-9a-f]{16}$/;
const LENGTH = /(\d{1,3})/y;
/** Parts of a mangled name. */
const MAX_PARTS = 16;
/** Letters of Swift after the name of a class, structure, enumeration, protocol or extension. */
const SWIFT_KIND = 'CVOPaE';

/** Returns the literal names of a mangled symbol of C++, Rust (before version 0) or Swift; null if it is not mangled. */
function demangle(symbol: string): string | null {
  const itanium = ITANIUM.exec(symbol);
  if (itanium !== null) {
    const at = itanium[0].length + (symbol.startsWith('St', itanium[0].length) ? 2 : 0);
    const parts = parseLengthPrefixed(symbol, at, '');
    const names = parts.filter((part) => !RUST_HASH.test(part)).map(rustPart);
    const inStd = at > itanium[0].length ? ['std', ...names] : names;
    return names.length === 0 ? null : inStd.join('::');
  }
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
