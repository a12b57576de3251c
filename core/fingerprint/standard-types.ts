/** Types of each language, which name the kind of error but not what failed: without namespace, separated by spaces. */
const STANDARD_TYPES: Readonly<Record<string, string>> = {
  'JavaScript and browsers': `TypeError RangeError ReferenceError SyntaxError EvalError URIError AggregateError SuppressedError InternalError AssertionError
    DOMException AbortError NetworkError NotFoundError NotSupportedError InvalidStateError NotAllowedError SecurityError TimeoutError DataCloneError
    QuotaExceededError HierarchyRequestError InvalidAccessError OperationError NotReadableError EncodingError ConstraintError UnknownError
    IndexSizeError WrongDocumentError InvalidCharacterError NoModificationAllowedError InUseAttributeError InvalidModificationError NamespaceError
    URLMismatchError TypeMismatchError InvalidNodeTypeError DataError TransactionInactiveError ReadOnlyError VersionError OverconstrainedError
    ChunkLoadError UnhandledPromiseRejectionWarning SystemError NodeError ErrorEvent CloseEvent ProgressEvent CustomEvent MediaError`,
  Python: `BaseException BaseExceptionGroup ExceptionGroup ArithmeticError AssertionError AttributeError BlockingIOError BrokenPipeError BufferError
    ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError EOFError EnvironmentError FileExistsError
    FileNotFoundError FloatingPointError GeneratorExit IOError ImportError IndentationError IndexError InterruptedError IsADirectoryError KeyError
    KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError NotADirectoryError NotImplementedError OSError OverflowError PermissionError
    ProcessLookupError RecursionError ReferenceError RuntimeError StopAsyncIteration StopIteration SyntaxError SystemError SystemExit TabError
    TimeoutError TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError ValueError ZeroDivisionError
    Warning UserWarning DeprecationWarning RuntimeWarning JSONDecodeError CancelledError IncompleteReadError gaierror herror SSLError SSLCertVerificationError
    HTTPError URLError CalledProcessError TimeoutExpired BrokenProcessPool InvalidOperation StatisticsError`,
  'Java and Kotlin': `RuntimeException IllegalArgumentException IllegalStateException IllegalMonitorStateException IllegalThreadStateException
    IllegalAccessException IllegalAccessError NullPointerException KotlinNullPointerException UninitializedPropertyAccessException
    ClassCastException ClassNotFoundException ClassCircularityError ClassFormatError CloneNotSupportedException ArithmeticException ArrayStoreException
    ArrayIndexOutOfBoundsException StringIndexOutOfBoundsException IndexOutOfBoundsException NegativeArraySizeException NumberFormatException
    UnsupportedOperationException NoSuchElementException NoSuchFieldException NoSuchFieldError NoSuchMethodException NoSuchMethodError NoClassDefFoundError
    ConcurrentModificationException InputMismatchException MissingResourceException EmptyStackException DateTimeException DateTimeParseException
    IOException UncheckedIOException EOFException FileNotFoundException FileSystemException NoSuchFileException FileAlreadyExistsException
    AccessDeniedException ClosedChannelException UnknownHostException UnknownServiceException ConnectException SocketException SocketTimeoutException
    HttpTimeoutException MalformedURLException ProtocolException UnsupportedEncodingException MalformedInputException CharacterCodingException
    SSLException SSLHandshakeException TimeoutException ExecutionException CompletionException CancellationException RejectedExecutionException
    BrokenBarrierException InterruptedException InvocationTargetException UndeclaredThrowableException ExceptionInInitializerError InstantiationException
    SecurityException GeneralSecurityException ParseException URISyntaxException PatternSyntaxException SQLException SQLSyntaxErrorException
    SQLTimeoutException SQLIntegrityConstraintViolationException OutOfMemoryError StackOverflowError VirtualMachineError InternalError LinkageError
    UnsatisfiedLinkError VerifyError AssertionError BootstrapMethodError IncompatibleClassChangeError InvalidObjectException NotSerializableException
    ObjectStreamException ReflectiveOperationException TypeCastException NotImplementedError MatchError`,
  '.NET': `SystemException ApplicationException AggregateException ArgumentException ArgumentNullException ArgumentOutOfRangeException ArithmeticException
    ArrayTypeMismatchException BadImageFormatException DivideByZeroException DllNotFoundException DirectoryNotFoundException
    EndOfStreamException EntryPointNotFoundException FileLoadException FormatException IndexOutOfRangeException InsufficientExecutionStackException
    InvalidCastException InvalidDataException InvalidOperationException InvalidProgramException JsonException KeyNotFoundException
    NotFiniteNumberException NotImplementedException NotSupportedException NullReferenceException ObjectDisposedException OperationCanceledException
    OutOfMemoryException OverflowException PlatformNotSupportedException RankException SerializationException StackOverflowException TargetInvocationException
    TaskCanceledException TypeInitializationException TypeLoadException UnauthorizedAccessException WebException HttpRequestException SocketException
    Win32Exception COMException ExternalException AccessViolationException SEHException XmlException UriFormatException`,
  Ruby: `StandardError ArgumentError ClosedQueueError EncodingError FiberError FloatDomainError FrozenError IOError IndexError Interrupt KeyError LoadError
    LocalJumpError NameError NoMatchingPatternError NoMatchingPatternKeyError NoMemoryError NoMethodError NotImplementedError RangeError RegexpError
    RuntimeError ScriptError SecurityError SignalException StopIteration SyntaxError SystemCallError SystemExit SystemStackError ThreadError TypeError
    UncaughtThrowError ZeroDivisionError`,
  PHP: `ErrorException ArgumentCountError ArithmeticError AssertionError BadFunctionCallException BadMethodCallException CompileError
    DivisionByZeroError DomainException InvalidArgumentException JsonException LengthException LogicException OutOfBoundsException
    OutOfRangeException OverflowException ParseError PDOException RangeException RuntimeException TypeError UnderflowException UnexpectedValueException
    UnhandledMatchError ValueError`,
  Go: `panic errorString joinError wrapError wrapErrors fundamental withStack withMessage PathError SyscallError LinkError OpError DNSError
    AddrError NumError PanicNilError TypeAssertionError boundsError plainError plainErrorString UnmarshalTypeError InvalidUnmarshalError ParseError
    MarshalerError DeadlineExceededError ExitError Errno`,
  'Elixir and Erlang': `ArgumentError ArithmeticError BadArityError BadBooleanError BadFunctionError BadMapError BadStructError CaseClauseError CondClauseError
    ErlangError FunctionClauseError KeyError MatchError Protocol.UndefinedError RuntimeError SystemLimitError TokenMissingError TryClauseError
    UndefinedFunctionError WithClauseError badmatch badarg badarith badkey case_clause function_clause undef noproc timeout_value`,
  'Dart and Swift': `ArgumentError StateError FormatException NoSuchMethodError RangeError IndexError UnsupportedError UnimplementedError ConcurrentModificationError
    StackOverflowError OutOfMemoryError TypeError CastError LateInitializationError LateError IntegerDivisionByZeroException IOException FileSystemException
    SocketException HttpException TimeoutException AssertionError IsolateSpawnException RemoteError DeferredLoadException FlutterError
    PlatformException NSException NSInvalidArgumentException NSRangeException NSInternalInconsistencyException NSGenericException NSError
    DecodingError EncodingError CancellationError URLError POSIXError CocoaError`,
  'native code and Rust': `bad_alloc logic_error runtime_error invalid_argument out_of_range length_error domain_error overflow_error underflow_error range_error bad_cast
    system_error bad_function_call bad_variant_access bad_optional_access ParseIntError ParseFloatError Utf8Error TryFromIntError
    abort signal SIGABRT SIGSEGV SIGBUS SIGFPE SIGILL SIGTRAP EXC_BAD_ACCESS EXC_CRASH EXC_BREAKPOINT EXC_BAD_INSTRUCTION
    AddressSanitizer LeakSanitizer MemorySanitizer ThreadSanitizer UndefinedBehaviorSanitizer`,
};

const NAMES: ReadonlySet<string> = new Set(Object.values(STANDARD_TYPES).join(' ').split(/\s+/));

/** Namespaces and packages of languages. */
const STANDARD_NAMESPACE =
  /^(?:java|javax|jakarta|kotlin|kotlinx|scala|android|System|Microsoft|WebAssembly|builtins|exceptions|asyncio|binascii|configparser|csv|decimal|multiprocessing|pickle|queue|re|smtplib|sqlite3|struct|tarfile|xml|zipfile|zlib|json|socket|ssl|urllib|http|subprocess|concurrent\.futures|errors|fmt|fs|os|net|io|strconv|exec|runtime|context|url|syscall|tls|x509|Errno|Net|JSON|OpenSSL|Timeout|URI|Psych|Encoding|Zlib|CSV|Resolv|std|core|alloc|Swift|dart)(?:\.|::|:)/;
/** Assertions of any library: the message says what was expected. */
const ASSERTION =
  /(?:Assert(?:ion)?(?:Failed|Failure)?(?:Error|Exception)|Comparison(?:Failure|Failed)|Expectation(?:Failed|NotMet)\w{0,20})$/;
/** Codes of systems and runtimes: `ENOENT`, `ERR_INVALID_ARG_TYPE`. */
const SYSTEM_CODE = /^(?:E[A-Z\d]{2,20}|ERR_[A-Z\d_]{1,80})$/;
/** Signs around a name: `*errors.errorString`, `\RuntimeException`, `(RuntimeError)`. */
const AROUND = /^[*&\\(]{1,3}|\)$/g;

/** Go and Rust return errors as text, `%w` by `%w`; so do the last words of a program that ended. */
const ERROR_TEXT =
  /^(?:[*&]?(?:errors|fmt|pkg)\.(?:errorString|wrapErrors?|joinError|fundamental|with(?:Stack|Message))|anyhow::Error|ProcessExit|log\.Fatal)$/;

/** Whether the message of this type is a chain of errors, the root last. */
export function isErrorText(plainName: string): boolean {
  return ERROR_TEXT.test(plainName);
}

/** Whether a type is part of its language, and so does not say what failed. Expects plain text. */
export function isStandardType(plainName: string): boolean {
  const name = /^\w/.test(plainName) ? plainName : plainName.replace(AROUND, '');
  return (
    NAMES.has(name) ||
    STANDARD_NAMESPACE.test(name) ||
    ASSERTION.test(name) ||
    SYSTEM_CODE.test(name) ||
    name.startsWith('runtime error')
  );
}

/** Whether a type is that of a failed assertion. */
export function isAssertionType(plainName: string): boolean {
  return ASSERTION.test(plainName);
}

/** Types of .NET that programs do not throw themselves. */
const OF_RUNTIME = /^(?:System\.)?(?:NullReference|DivideByZero|AccessViolation)Exception$/;

/** Whether the message of this type is a fixed text of the runtime, in the language of the system. */
export function hasMessageOfRuntime(plainName: string): boolean {
  return OF_RUNTIME.test(plainName);
}
