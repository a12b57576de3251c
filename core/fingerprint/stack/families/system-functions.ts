/** Functions of operating systems and runtimes: they fail for what called them. */
interface SystemRow {
  readonly pattern: RegExp;
  /** One of them is in each name that matches, and found faster. */
  readonly marks?: readonly string[];
  /** Only in an unknown image, because an application may name its functions in the same way. */
  readonly isByImage?: true;
  readonly reason: string;
  readonly examples: readonly string[];
}

/** Tested on the name of a function as it counts. */
export const SYSTEM_FUNCTIONS: readonly SystemRow[] = [
  {
    pattern:
      /^_{1,3}(?:libc|GI|IO|cxa|asan|tsan|msan|ubsan|lsan|sanitizer|interceptor|assert|pthread|restore|kernel|scrt|tmainCRTStartup|mainCRTStartup|clone|fortify|stack_chk|chk|rust|gxx|gcc|run_exit|sigtramp|cxx|NSRaise|CFRunLoop|NSThread|fatal_error|dyld|exceptionPreprocess|forwarding|CF_forwarding|swift_|platform_mem|workq_|semwait|psynch|ulock|CxxThrow|CxxFrameHandler|CxxUnhandled|invalid_parameter|purecall|C_specific_handler|Unwind_)\w*$/,
    reason: 'Names with underscores are reserved for implementations of languages and systems.',
    examples: [
      '__libc_start_main',
      '__CFRunLoopRun',
      '__exceptionPreprocess',
      '_sigtramp',
      '_Unwind_Resume',
      '__pthread_mutex_lock',
    ],
  },
  {
    pattern:
      /^(?:_?start|(?:w?mainCRTStartup|WinMainCRTStartup|invoke_main)|abort|raise|gsignal|tgkill|pthread_\w+|start_thread|thread_start|start_wqthread|clone3?|lang_start\w*|mach_msg\w*|CFRunLoopRun\w*|GSEventRunModal|UIApplicationMain|NSApplicationMain)$/,
    reason: 'Starts of programs and threads, and what ends them.',
    examples: ['abort', 'gsignal', 'start_thread', 'pthread_mutex_lock'],
  },
  {
    pattern:
      /^(?:malloc|calloc|realloc|reallocarray|free|memalign|posix_memalign|aligned_alloc|malloc_\w+|szone_\w+|w?mem(?:p?cpy|move|set|r?chr|cmp|mem)|(?:str|wcs)(?:n?len|p?n?cpy|n?cat|n?casecmp|n?cmp|r?chr|c?spn|pbrk|str|n?dup|tok|to[dflu]{1,3})|v?f?s?n?(?:printf|scanf)|backtrace(?:_symbols\w*)?|operator (?:new|delete).*)$/,
    reason: 'Memory, text and traces of C and C++.',
    examples: ['free', 'memcpy', 'strlen', 'operator new'],
  },
  {
    pattern: /^(?:std|__gnu_cxx|__cxxabiv1|__sanitizer|__[atm]san|__ubsan|__rustc|crashpad|google_breakpad|__crt\w*)::/,
    reason: 'Namespaces of C++ and Rust, and of libraries that catch crashes.',
    examples: ['std::terminate', 'google_breakpad::ExceptionHandler::SignalHandler'],
  },
  {
    pattern:
      /^(?:_?assertionFailure|_?fatalErrorMessage|swift_\w+|_?objc_\w+|Swift\..+|-\[NS(?:Exception|Object\(NSObject\)) .*|[-+]\[NSException .*|___forwarding___)$/,
    reason: 'Runtimes of Swift and Objective-C.',
    examples: ['objc_msgSend', 'Swift._assertionFailure', 'swift_unknownObjectRelease', '+[NSException raise:format:]'],
  },
  {
    pattern:
      /^[-+]\[_{0,2}(?:NS|UI|CA|CF|AV|WK|MK|SK|CK|CN)[A-Z]\w*(?:\(_?(?:NS|UI|CA|CF)\w*\))? |^_{0,3}(?:CF|NS|UI|CA)[A-Z]\w*$/,
    isByImage: true,
    reason: 'Classes and functions of the frameworks of Apple; a category in them has a name of its own.',
    examples: [
      '-[NSArray objectAtIndex:]',
      '_UIApplicationFlushCATransaction',
      '-[UIControl(UIInternal) sendAction:to:]',
    ],
  },
  {
    pattern:
      /^(?:RaiseException|BaseThreadInitThunk|Ki[A-Z]\w*Dispatch\w*|UnhandledExceptionFilter|Rtl[A-Z]\w+|Ldr[A-Z]\w+)$/,
    reason: 'Entries and the runtime library of Windows.',
    examples: ['RtlUserThreadStart', 'RtlAllocateHeap', 'KiUserExceptionDispatcher'],
  },
  {
    pattern:
      /^(?:Nt|Zw)[A-Z]\w+$|^art_\w+$|^_?_?(?:syscall|kill|select|poll|epoll_wait|nanosleep|futex|dispatch_\w+|[cm]?alloc|free|abort)$/,
    isByImage: true,
    reason: 'Calls of systems.',
    examples: ['NtWaitForSingleObject', 'art_quick_invoke_stub', 'syscall'],
  },
  {
    pattern:
      /^(?:<thunk>|llvm::sys::(?:RunSignalHandlers|CleanupOnSignal)|V8_Fatal|kotlin\..+|sentry__\w+|sentry_(?:capture|handle)\w+|kscrash_\w+|ksc[a-z]{2,12}_\w+|plcrash_\w+|bsg_\w+|_{0,2}FIRCLS\w+|rust_begin_unwind|rust_panic\w*|[-+]\[(?:Sentry|KSCrash|PLCrash|FIRCLS|Bugsnag)\w* .*)$/,
    reason: 'Runtimes and libraries that catch crashes and panics, and what compilers put between functions.',
    examples: ['sentry__unwind_stack', 'rust_begin_unwind', '-[SentryCrash reportUserException:]'],
  },
  {
    marks: ['andle', 'race', '_stack'],
    pattern:
      /^[\w:.]{0,100}?(?:(?:[Cc]rash|[Ss]ig(?:nal|segv)|[Ss]egv|[Ff]ault|[Ff]atal_?[Ee]rror|[Aa]bort)_?[Hh]andler|\b[Hh]andle_?(?:[Cc]rash|[Ss]ig(?:nal|segv)|[Ss]egv)|(?:[Cc]ollect|[Pp]rint|[Dd]ump|[Cc]apture|[Ww]rite)_?(?:[Ss]tack|[Bb]ack)_?[Tt]race\w{0,40}|\b(?:dump|print)_stack|\b(?:StackTrace|Backtrace)(?:::|\.)\w{1,40}|\b(?:stack|back)_?trace|\b(?:On)?[Tt]erminate_?[Hh]andler)$/,
    reason: 'Handlers of crashes and printers of stacks, as programs and libraries name them.',
    examples: ['base::debug::CollectStackTrace', 'crash_handler', 'SignalHandler', 'llvm::sys::PrintStackTrace'],
  },
  {
    pattern: /^(?:core|alloc|swift|art|_JNIEnv)::/,
    isByImage: true,
    reason: 'Namespaces of Rust, Swift and Android, which programs may have too.',
    examples: ['core::panicking::panic', 'alloc::vec::Vec::push', 'art::JNI::CallVoidMethod'],
  },
];

const IN_ANY_IMAGE = joined(SYSTEM_FUNCTIONS.filter(({ isByImage, marks }) => !isByImage && marks === undefined));
const IN_UNKNOWN_IMAGE = joined(SYSTEM_FUNCTIONS.filter(({ isByImage }) => isByImage === true));
const MARKED = SYSTEM_FUNCTIONS.flatMap(({ marks, pattern }) => (marks === undefined ? [] : [{ marks, pattern }]));

/** Joins rows, so that a name is matched twice and not once for each row. */
function joined(rows: readonly SystemRow[]): RegExp {
  return new RegExp(rows.map(({ pattern }) => `(?:${pattern.source})`).join('|'));
}

/** Whether a function belongs to an operating system or a runtime; `isPlaceKnown`: whether its file or image is known. */
export function isSystemFunction(name: string, isPlaceKnown: boolean): boolean {
  if (IN_ANY_IMAGE.test(name) || (!isPlaceKnown && IN_UNKNOWN_IMAGE.test(name))) return true;
  return MARKED.some(({ marks, pattern }) => marks.some((mark) => name.includes(mark)) && pattern.test(name));
}
