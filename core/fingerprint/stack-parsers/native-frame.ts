import { normalizeFile } from '../frame-file.js';
import { normalizeGenerated } from '../frame-function.js';
import type { StackFrame } from '../frames.js';
import { isAppFile, isAppModule } from '../in-app.js';
import { symbolName } from './symbol-name.js';

const POSITION = /(?::(\d{1,9}))?:(\d{1,9})$/;
/** Functions of C and of its runtimes, wherever they were linked in. */
const SYSTEM_FUNCTION =
  /^(?:_{1,3}(?:libc|GI|IO|cxa|asan|tsan|msan|ubsan|lsan|sanitizer|interceptor|assert|pthread|restore|kernel|scrt|tmainCRTStartup|mainCRTStartup|clone|fortify|stack_chk|chk|rust|gxx|gcc|run_exit|sigtramp|cxx|NSRaise|CFRunLoop|NSThread|fatal_error|dyld)\w*|_?start|(?:w?mainCRTStartup|WinMainCRTStartup|invoke_main)|abort|raise|gsignal|tgkill|start_thread|clone3?|rust_begin_unwind|rust_panic\w*|lang_start\w*|_?assertionFailure|_?fatalErrorMessage|swift_\w+|objc_\w+|_objc_\w+|malloc|calloc|realloc|free|mem(?:cpy|move|set|cmp)|str(?:len|cpy|cmp|ncpy|dup)|operator (?:new|delete).*|(?:RaiseException|RtlUserThreadStart|BaseThreadInitThunk|KiUserExceptionDispatch\w*|UnhandledExceptionFilter)|backtrace(?:_symbols\w*)?)$/;
/** Namespaces of languages; an application may have one of the same name, so that a known source decides before. */
const SYSTEM_NAMESPACE = /^(?:std|__gnu_cxx|__cxxabiv1|__sanitizer|__asan|__tsan|__ubsan|core|alloc)::/;

/** What a line of a native stack says; empty texts where it says nothing. */
export interface NativeParts {
  readonly symbol: string;
  /** The loaded image: a program or a library, with or without its path. */
  readonly image: string;
  /** The source, with its line and column. */
  readonly source: string;
  /** Whether the line itself says that the operating system brought it; absent: it does not say. */
  readonly isSystem?: boolean;
}

/** A native frame. Where its source is known it counts with function and file, else with function and image. Addresses and offsets say nothing. */
export function nativeFrame({ symbol, image, source, isSystem = false }: NativeParts): StackFrame | null {
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
    inApp:
      !isSystem &&
      (path === '' || isAppFile(path)) &&
      (image === '' || (isAppFile(image) && isAppModule(imageName))) &&
      !(name !== null && (SYSTEM_FUNCTION.test(name) || (path === '' && SYSTEM_NAMESPACE.test(name)))),
  };
}

/** The name of an image without its folder, its version and the file of which it is a part. */
function imageOf(image: string): string {
  const name = image.slice(Math.max(image.lastIndexOf('/'), image.lastIndexOf('\\'), image.lastIndexOf('!')) + 1);
  return /^(?:\?{2,3}|<unknown>|unknown)$/.test(name)
    ? ''
    : name.replace(/[-.]\d[\d.]{0,20}(?=\.(?:so|dylib|dll)\b)|(?<=\.so)(?:\.\d{1,6}){1,4}$/g, '');
}
