import { normalizeFile } from '../file-names.js';
import { normalizeGenerated, type StackFrame } from '../frames.js';
import { isAppFile, isAppModule } from '../in-app.js';
import type { Call } from './call.js';
import { symbolName } from './symbol-name.js';

/** Functions of C, C++ and their runtimes, in any image. */
const SYSTEM_FUNCTION =
  /^(?:_{1,3}(?:libc|GI|IO|cxa|asan|tsan|msan|ubsan|lsan|sanitizer|interceptor|assert|pthread|restore|kernel|scrt|tmainCRTStartup|mainCRTStartup|clone|fortify|stack_chk|chk|rust|gxx|gcc|run_exit|sigtramp|cxx|NSRaise|CFRunLoop|NSThread|fatal_error|dyld)\w*|_?start|(?:w?mainCRTStartup|WinMainCRTStartup|invoke_main)|abort|raise|gsignal|tgkill|start_thread|clone3?|rust_begin_unwind|rust_panic\w*|lang_start\w*|_?assertionFailure|_?fatalErrorMessage|swift_\w+|objc_\w+|_objc_\w+|malloc|calloc|realloc|reallocarray|free|memalign|posix_memalign|aligned_alloc|w?mem(?:p?cpy|move|set|r?chr|cmp|mem)|(?:str|wcs)(?:n?len|p?n?cpy|n?cat|n?casecmp|n?cmp|r?chr|c?spn|pbrk|str|n?dup|tok|to[dflu]{1,3})|v?f?s?n?(?:printf|scanf)|operator (?:new|delete).*|(?:RaiseException|RtlUserThreadStart|BaseThreadInitThunk|KiUserExceptionDispatch\w*|UnhandledExceptionFilter)|backtrace(?:_symbols\w*)?|(?:std|__gnu_cxx|__cxxabiv1|__sanitizer|__[atm]san|__ubsan)::.*)$/;
/** Namespaces of Rust; a known source has priority, because an application may use the same name. */
const SYSTEM_NAMESPACE = /^(?:core|alloc)::/;

/** Creates a frame of C, C++, Objective-C or Swift with function and file, or without a source with function and image; null if all are unknown. */
export function nativeFrame({ name: symbol, image, path, line, column }: Call): StackFrame | null {
  const name = symbolName(symbol);
  const imageName = imageOf(image);
  if (name === null && path === '' && imageName === '') return null;
  return {
    function: name,
    module: path !== '' || imageName === '' ? null : normalizeGenerated(imageName),
    file: normalizeFile(path),
    line,
    column,
    inApp: isAppPath(path) && isAppImage(image) && !(name !== null && isSystemFunction(name, path)),
  };
}

/** Sources of the standard library of Swift are written from its folder. An unknown source may belong to the application. */
function isAppPath(path: string): boolean {
  return path === '' || (isAppFile(path) && !path.startsWith('Swift/'));
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
