import type { StackFrame } from './frames.js';

/**
 * `raises`: fails for its caller and counts together with it. `checks`: checks arguments of its caller, so that the next caller counts too.
 * `passes_on`: only calls another function and does not count.
 */
export type WrapperKind = 'raises' | 'checks' | 'passes_on';

interface WrapperRow {
  readonly kind: WrapperKind;
  /** Tested on the name of the function without its class, or with `isWholeName` on all of it. */
  readonly named?: RegExp;
  readonly isWholeName?: boolean;
  /** Files whose functions are none, although their names match. */
  readonly exceptIn?: RegExp;
  /** Tested on the module. */
  readonly inModule?: RegExp;
  readonly reason: string;
  /** Names of functions that match. */
  readonly examples: readonly string[];
}

/** Functions that many different failures pass through. */
export const WRAPPERS: readonly WrapperRow[] = [
  {
    kind: 'raises',
    isWholeName: true,
    named:
      /^_(?:classCallCheck|assertThisInitialized|possibleConstructorReturn|readOnlyError|nonIterable(?:Rest|Spread)|slicedToArray|toConsumableArray|objectDestructuringEmpty|assertClassBrand|classPrivate(?:Field|Method)\w{1,20}|createForOfIteratorHelper\w{0,10})\d?$|^__(?:classPrivateField\w{1,20}|private(?:Get|Set|Add|Method)|accessCheck|typeError|spreadArray)$/,
    reason: 'Helpers of compilers check for the code that was compiled.',
    examples: ['_classCallCheck', '_slicedToArray', '__classPrivateFieldGet'],
  },
  {
    kind: 'passes_on',
    isWholeName: true,
    named:
      /^(?:_?Zone(?:Delegate|Task|Impl|AwarePromise)?\.\w+|drainMicroTaskQueue|__(?:webpack|turbopack)_\w{1,40}__(?:\.\w+)?|__(?:init|esm|commonJS|require|toESM)\d{0,3}|webpackJsonpCallback|options\.factory|metroRequire|guardedLoadModule|loadModuleImplementation|sentryWrapped|(?:[\w$]{1,40}\.)?capture(?:Exception|Message|Event)|(?:invokeGuardedCallback(?:Impl|Dev|Prod|AndCatchFirstError)?|invokeFunc|trailingEdge|leadingEdge|timerExpired|debounced|throttled))$/,
    reason: 'Zones, loaders of modules, reporters and delays that bundlers put beside the code of an application.',
    examples: [
      'ZoneDelegate.invokeTask',
      '__webpack_require__',
      '__webpack_require__.e',
      'sentryWrapped',
      'Hub.captureException',
      'debounced',
    ],
  },
  {
    kind: 'passes_on',
    isWholeName: true,
    named:
      /^(?:asyncGeneratorStep|_asyncToGenerator|__awaiter|__generator|fulfilled|rejected|step|_next|_throw|tryCatch|tryCatcher|processTicksAndRejections|runMicrotasks|promiseReactionJob(?:WithoutPromise)?|asyncFunctionResume|throwUnhandledRejectionsMode|processPromiseRejections|triggerUncaughtException)$/,
    reason: 'The machinery of promises and of compiled async functions.',
    examples: ['asyncGeneratorStep', '__awaiter', 'step', 'throwUnhandledRejectionsMode'],
  },
  {
    kind: 'checks',
    named: /^_*(?:[Ee]nsure|[Rr]equire|[Vv]erify|[Cc]heck|[Vv]alidate|[Ee]xpect|[Mm]ust)(?:[A-Z_]\w*)?[!?]?$/,
    exceptIn: /\.[ch]$/,
    reason: 'Checks of arguments fail for the caller that passed them; in C they cannot throw, and crash themselves.',
    examples: ['Preconditions.checkNotNull', 'validate_input', 'Guard.RequireNonEmpty', 'check_positive!', 'MustParse'],
  },
  {
    kind: 'raises',
    named: /^_*(?:assert|throw|raise|fail|panic|abort|invariant|unreachable)(?:[A-Z_]\w*)?$/,
    reason: 'Assertions fail for their caller.',
    examples: ['assert', 'assertPositive', '_throwIfClosed'],
  },
  {
    kind: 'raises',
    named:
      /^_*(?:report|handle|signal)(?:Bad|Invalid|Illegal|Unexpected|Unknown|Unsupported|Missing|Mismatch|Wrong|Weird|Odd)(?:[A-Z]\w*)?$/,
    reason: 'Functions that report what is wrong for their caller.',
    examples: ['reportBadDefinition', '_reportUnexpectedChar', 'handleWeirdStringValue'],
  },
  {
    kind: 'checks',
    inModule: /(?:^|[.$])(?:Preconditions|Validate|Asserts?|Guard|Ensure|Args|ThrowHelper)$/,
    reason: 'Classes that only hold checks of arguments.',
    examples: [],
  },
  {
    kind: 'raises',
    named:
      /^_*(?:create|make|new|build|wrap|to|report|handle)\w*(?:Error|Exception|Failure)$|^_*[a-z]\w*(?:Error|Exception)$/,
    reason: 'Factories of errors are called from many places.',
    examples: ['createHttpError', 'Reader.syntaxError', 'newIllegalStateException'],
  },
  {
    kind: 'raises',
    isWholeName: true,
    named: /(?:^|[.:\\])[A-Z]\w*(?:Error|Exception|Failure)\.[\w$<>]+$/,
    inModule: /(?:^|[.$\\/:])[A-Z]\w*(?:Error|Exception|Failure)(?:\$\w+)?$/,
    reason: 'Methods of an exception create it for their caller.',
    examples: ['HttpError.from'],
  },
  {
    kind: 'passes_on',
    named: /^(?:invoke|newInstance)\d$|^reflectiveCall$/,
    inModule: /(?:^|\.)reflect\.|Accessor$|\$Proxy$|\$\$Lambda$|\$\$<generated>$/,
    reason: 'Reflection, proxies and generated classes call something else.',
    examples: ['invoke0', 'newInstance0'],
  },
  {
    kind: 'passes_on',
    named:
      /^(?:emit|emitOne|emitMany|dispatchEvent|fireEvent|callListener|listOnTimeout|processTimers|processImmediate)$/,
    reason: 'Timers and event emitters call what was registered with them.',
    examples: ['Bus.emit', 'processTimers', 'dispatchEvent'],
  },
  {
    kind: 'raises',
    named: /^_*[A-Z]\w*(?:Error|Exception|Failure)$/,
    reason: 'Some engines list the constructor of an error as the innermost frame, and Go its factory.',
    examples: ['StockError', 'NewParseError'],
  },
  {
    kind: 'raises',
    named:
      /^_*(?:bail|die)(?:[A-Z_]\w*)?$|^_*(?:assert|raise|fail)(?:_\w{0,80})?[!?]$|^(?:Assert|Throw|Panic|Fail)(?:[A-Z]\w*)?$|^Raise(?:\w*(?:Error|Exception|Fault)|If[A-Z]\w*)?$/,
    reason: 'The same in languages that begin names with a capital or end them with a mark; .NET raises also events.',
    examples: ['ThrowIfNull', 'fail!', 'die'],
  },
  {
    kind: 'raises',
    isWholeName: true,
    named:
      /^(?:abort|raise|gsignal|tgkill|_?_?pthread_kill\w{0,20}|__GI_\w{1,40}|__libc_message\w{0,10}|__assert\w{0,20}|__exceptionPreprocess|objc_exception_\w{1,20}|[-+]\[NSException .{1,80}|-\[NSObject\(NSObject\) doesNotRecognizeSelector:\]|_{2,3}(?:CF_)?forwarding\w{0,10}|_?sigtramp|__restore_rt|RaiseException|_CxxThrowException|__cxa_\w{1,40}|_Unwind_\w{1,40}|(?:Swift\.)?_?assertionFailure|(?:Swift\.)?_?fatalErrorMessage|rust_begin_unwind|_?rust_panic\w{0,40})$/,
    inModule:
      /^<?[&*]*(?:mut )?(?:(?:core|alloc|std)::(?!.{1,400} as (?!core::|alloc::|std::))|(?:__rustc|sentry(?:_\w{1,40})?)(?:::|$))/,
    reason: 'How systems and runtimes stop a program.',
    examples: ['abort', 'objc_exception_throw', 'rust_begin_unwind'],
  },
  {
    kind: 'raises',
    inModule:
      /^(?:junit|org\.(?:junit|testng|hamcrest|assertj|opentest4j|scalatest)|com\.google\.common\.truth|io\.kotest|kotlin\.test|NUnit\.Framework|Xunit|FluentAssertions|Shouldly)\./,
    reason: 'Libraries of assertions fail for their caller.',
    examples: [],
  },
  {
    kind: 'passes_on',
    isWholeName: true,
    named:
      /^(?:new Promise|Promise\.(?:then|catch|finally)|Reflect\.apply|Function\.(?:call|apply)|call_user_func(?:_array)?|array_map|array_walk|_?wrapper|_?wrapped|_?inner_wrapper|_?decorator|_?decorated)$/,
    reason: 'What decorators and helpers of the language put around a function.',
    examples: ['call_user_func_array', 'wrapper', 'Reflect.apply'],
  },
];

/** All rows as three patterns, because most frames match none. */
const ANY_MEMBER = anyOf(WRAPPERS.flatMap(({ named, isWholeName }) => (isWholeName === true ? [] : (named ?? []))));
const ANY_WHOLE = anyOf(WRAPPERS.flatMap(({ named, isWholeName }) => (isWholeName === true ? (named ?? []) : [])));
const ANY_MODULE = anyOf(WRAPPERS.flatMap(({ inModule }) => inModule ?? []));

function anyOf(patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => `(?:${source})`).join('|'));
}

function mayWrap(name: string | null, member: string, module: string | null): boolean {
  if (name !== null && (ANY_MEMBER.test(member) || ANY_WHOLE.test(name))) return true;
  return module !== null && ANY_MODULE.test(module);
}

/** Returns the kind of wrapper; null if the frame is not a wrapper. */
export function wrapperKind(frame: StackFrame): WrapperKind | null {
  const { function: name, module, file } = frame;
  const member = name === null ? '' : name.slice(name.lastIndexOf('.') + 1);
  if (!mayWrap(name, member, module)) return null;
  for (const row of WRAPPERS) {
    if (module !== null && row.inModule?.test(module)) return row.kind;
    const isNamed = name !== null && row.named?.test(row.isWholeName === true ? name : member) === true;
    if (isNamed && row.exceptIn?.test(file ?? '') !== true) return row.kind;
  }
  return null;
}
