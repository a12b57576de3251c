import type { LanguageName } from './languages.js';

/** A program that fails, and what users want to read about its failure. */
export interface FailingProgram {
  readonly language: LanguageName;
  /** Name of the failure; unique in its language. */
  readonly name: string;
  /** File of the program, or the name of what is built from it. */
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** As a shell shows it: 128 and the signal's number for a signal. */
  readonly exitCode: number;
  /** Undefined where the language prints no type of the failure. */
  readonly errorName: string | RegExp | undefined;
  /** A part of the message. */
  readonly message: string;
  /** A part of the culprit, for failures with a stack. */
  readonly culprit?: string;
}

type Row = readonly [
  name: string,
  exitCode: number,
  errorName: FailingProgram['errorName'],
  message: string,
  culprit?: string,
];

/** One file for each failure: the name and the suffix. */
function files(language: LanguageName, suffix: string, rows: readonly Row[]): FailingProgram[] {
  return rows.map((row) => ({ ...program(language, row), file: `${row[0]}.${suffix}` }));
}

/** One file for several failures: the name is its argument. */
function kinds(language: LanguageName, file: string, rows: readonly Row[], env = {}): FailingProgram[] {
  return rows.map((row) => ({ ...program(language, row), file, args: [row[0]], env }));
}

function program(language: LanguageName, [name, exitCode, errorName, message, culprit]: Row): FailingProgram {
  return { language, name, file: '', args: [], exitCode, errorName, message, ...(culprit && { culprit }) };
}

const NO_TYPE = undefined;
const PANIC = /panic/i;

/** All programs; each is another kind of failure of its language, so each is an issue of its own. */
export const FAILING_PROGRAMS: readonly FailingProgram[] = [
  ...files('python', 'py', [
    ['library-type', 1, /\bJSONDecodeError$/, "Expecting ',' delimiter", 'read_order'],
    ['own-type', 1, 'OutOfStock', 'teapot: 12 wanted, 3 left', 'reserve'],
    ['cause', 1, /^(OrderFailed|KeyError)$/, 'saucer', 'price_of'],
    ['while-handling', 1, 'OSError', 'printer drawer is open', 'close'],
    ['group', 1, 'ExceptionGroup', '', 'group.py'],
    ['task', 1, 'LookupError', 'no rate for XXX', 'fetch_rate'],
    ['timeout', 1, /\bTimeoutError$/, '', 'main'],
    ['thread', 0, 'ValueError', "invalid literal for int() with base 10: 'seven'", 'count'],
    ['recursion', 1, 'RecursionError', 'maximum recursion depth exceeded', 'depth'],
    ['assertion', 1, 'AssertionError', 'discount of 120 percent', 'discount'],
    ['exit-text', 1, NO_TYPE, "shop.toml: the setting 'currency' is missing"],
    ['fatal-log', 3, NO_TYPE, 'till 7 cannot be opened, giving up'],
    ['process-pool', 1, 'ZeroDivisionError', 'division by zero', 'share'],
    ['task-group', 1, 'ExceptionGroup', 'unhandled errors in a TaskGroup', 'bad'],
    ['logged-and-raised', 1, 'KeyError', 'till', 'sync'],
    ['dump', 139, 'Fatal Python error', 'Segmentation fault', 'crash'],
    ['killed', 137, 'ProcessKilled', 'SIGKILL'],
  ]),
  ...files('node', 'mjs', [
    ['library-type', 1, 'SyntaxError', "Expected ',' or ']' after array element", 'readOrder'],
    ['own-type', 1, 'OutOfStock', 'teapot: 12 wanted, 3 left', 'reserve'],
    ['cause', 1, /^(Error|RangeError)$/, '', 'priceOf'],
    ['async-function', 1, 'Error', 'ENOENT: no such file or directory', 'loadPrices'],
    ['promise-any', 1, /^(AggregateError|Error)$/, '', 'ask'],
    ['rejected-text', 1, 'UnhandledPromiseRejection', 'card declined for 40'],
    ['assertion', 1, 'AssertionError', 'discount of 120 percent', 'discount'],
    ['printed-error', 4, 'TypeError', 'stock teapots is not a list', 'sync'],
    ['exit-message', 2, NO_TYPE, 'SHOP_DATABASE is not set'],
    ['fatal-log', 1, NO_TYPE, 'till 7 cannot be opened'],
  ]),
  ...files('node', 'cjs', [
    ['undefined-property', 1, 'TypeError', "Cannot read properties of undefined (reading 'customer')", 'customerOf'],
    ['recursion', 1, 'RangeError', 'Maximum call stack size exceeded', 'depth'],
    ['worker', 1, 'SyntaxError', 'Cannot convert seven to a BigInt', 'count'],
  ]),
  {
    language: 'node',
    name: 'out-of-memory',
    file: '--max-old-space-size=16',
    args: ['out-of-memory.cjs'],
    exitCode: 134,
    errorName: NO_TYPE,
    message: 'JavaScript heap out of memory',
  },
  {
    language: 'node',
    name: 'argument',
    file: '-e',
    args: ['function open(till) { throw new URIError(till + " is not an address"); }\nopen("till 7");'],
    exitCode: 1,
    errorName: 'URIError',
    message: 'till 7 is not an address',
    culprit: 'open',
  },
  ...files('perl', 'pl', [
    ['die', 2, NO_TYPE, 'cannot open /nonexistent/order.txt: No such file or directory'],
    ['own-type', 255, NO_TYPE, 'teapot is sold out'],
    ['confess', 255, NO_TYPE, 'discount of 120 percent', 'discount'],
    ['rethrow', 255, NO_TYPE, 'the order was not placed: no price for saucer'],
    ['undefined-method', 255, NO_TYPE, `Can't locate object method "lock" via package "Till"`],
    ['division', 255, NO_TYPE, 'Illegal division by zero'],
    ['missing-module', 2, NO_TYPE, "Can't locate Shop/Printer/Thermal.pm in @INC"],
    ['exit-message', 4, NO_TYPE, "till: the setting 'currency' is missing"],
    ['die-handler', 255, NO_TYPE, 'inner failure', 'inner'],
    ['several-lines', 255, NO_TYPE, 'order is bad:'],
    ['killed', 134, 'ProcessKilled', 'SIGABRT'],
  ]),
  ...files('bash', 'sh', [
    ['unset-variable', 1, NO_TYPE, 'SHOP_TARGET_HOST: unbound variable'],
    ['required-variable', 1, NO_TYPE, 'SHOP_DATABASE: is not set, see deploy.md'],
    ['missing-command', 127, NO_TYPE, 'shop-label-printer: command not found'],
    ['syntax', 2, NO_TYPE, "syntax error near unexpected token `done'"],
    ['failed-command', 1, NO_TYPE, "cp: cannot stat '/nonexistent/prices.csv': No such file or directory"],
    ['exit-message', 3, NO_TYPE, 'the backup has no orders'],
    ['division', 1, NO_TYPE, 'division by 0'],
    ['remainder', 1, NO_TYPE, 'division by 0'],
    ['error-trap', 1, NO_TYPE, '"grep -q ready /dev/null" failed with 1'],
    ['killed', 139, 'ProcessKilled', 'SIGSEGV'],
  ]),
  ...files('ruby', 'rb', [
    ['library-type', 1, 'JSON::ParserError', 'unexpected token', 'read_order'],
    ['own-type', 1, 'Shop::OutOfStock', 'teapot: 12 wanted, 3 left', 'reserve'],
    ['cause', 1, /^(OrderFailed|KeyError)$/, 'saucer', 'price_of'],
    ['nil', 1, 'NoMethodError', "undefined method `street' for nil", 'label'],
    ['thread', 0, 'ArgumentError', 'invalid value for Integer(): "seven"', 'count'],
    ['recursion', 1, 'SystemStackError', 'stack level too deep', 'depth'],
    ['abort', 1, NO_TYPE, "shop.toml: the setting 'currency' is missing"],
    ['fatal-log', 3, NO_TYPE, 'till 7 cannot be opened, giving up'],
    ['printed-error', 4, 'TypeError', 'stock teapots is not a list', 'sync'],
    ['logged-error', 3, 'ArgumentError', 'invalid value for Integer(): "x7"', 'sync'],
    ['missing-library', 1, 'LoadError', 'cannot load such file -- shop/printer/thermal', 'missing-library.rb'],
    ['joined-thread', 1, 'ArgumentError', 'invalid value for Integer(): "seven"', 'add'],
  ]),
  ...files('php', 'php', [
    ['own-type', 255, 'Shop\\OutOfStock', 'teapot: 12 wanted, 3 left', 'reserve'],
    ['cause', 255, /^(OrderFailed|OutOfRangeException)$/, '', 'price_of'],
    ['wrong-type', 255, 'TypeError', 'must be of type int, string given', 'discount'],
    ['null', 255, 'Error', 'Call to a member function address() on null', 'label'],
    ['division', 255, 'DivisionByZeroError', 'Division by zero', 'share'],
    ['library-type', 255, 'JsonException', 'Syntax error', 'read_order'],
    ['memory', 255, NO_TYPE, 'Allowed memory size of 4194304 bytes exhausted'],
    ['warning-to-exception', 255, 'ErrorException', 'Undefined array key "first"', 'first'],
    ['exit-message', 4, NO_TYPE, "till: the setting 'currency' is missing"],
    ['handler', 7, 'DomainException', 'bad domain', 'go'],
  ]),
  ...files('lua', 'lua', [
    ['runtime', 1, NO_TYPE, "attempt to index a nil value (field 'address')", 'label'],
    ['error-text', 1, NO_TYPE, 'discount of 120 percent', 'discount'],
    ['own-type', 1, NO_TYPE, 'teapot is sold out'],
    ['rethrow', 1, NO_TYPE, 'the order was not placed: no price for saucer', 'rethrow.lua'],
    ['recursion', 1, NO_TYPE, 'stack overflow', 'depth'],
    ['assertion', 1, NO_TYPE, '/nonexistent/till.txt: No such file or directory', 'open_till'],
    ['traceback', 3, NO_TYPE, "attempt to index a nil value (local 't')", 'traceback.lua'],
    ['coroutine', 1, NO_TYPE, 'attempt to perform arithmetic on a nil value', 'coroutine.lua'],
    ['exit-message', 4, NO_TYPE, "till: the setting 'currency' is missing"],
  ]),
  ...files('elixir', 'exs', [
    ['own-type', 1, 'Shop.OutOfStock', 'teapot is sold out', 'reserve'],
    ['task', 1, 'ArgumentError', 'no rate for XXX', 'Rates.fetch'],
    ['agent', 1, 'KeyError', 'key :till not found', 'agent.exs'],
    ['start', 1, 'RuntimeError', 'cannot open the till', 'Child.init'],
    ['server', 1, 'ArgumentError', 'not a textual representation of an integer', 'Counter.handle_call'],
    ['exit-message', 4, NO_TYPE, "till: the setting 'currency' is missing"],
  ]),
  ...kinds('elixir', 'runtime.exs', [
    ['key', 1, 'KeyError', 'key :saucer not found', 'Till.open'],
    ['match', 1, 'MatchError', '{:error, :unknown_order}', 'Till.open'],
    ['clause', 1, 'FunctionClauseError', 'no function clause matching in Shop.Till.share/2', 'Till.share'],
    ['arithmetic', 1, 'ArithmeticError', 'bad argument in arithmetic expression', 'Till.open'],
    ['throw', 1, /throw/, '{:till, :jammed}', 'Till.open'],
    ['exit', 1, /exit/, ':till_is_jammed', 'Till.open'],
  ]),
  ...kinds('erlang', 'till.escript', [
    ['badmatch', 127, NO_TYPE, 'no match of right hand side value {error,{unknown_order,7}}', 'load'],
    ['badarith', 127, NO_TYPE, 'an error occurred when evaluating an arithmetic expression', 'share'],
    ['badarg', 127, NO_TYPE, 'bad argument', 'count'],
    ['undef', 127, NO_TYPE, 'undefined function shop_printer:print/1'],
    ['error', 127, NO_TYPE, '{out_of_stock,teapot}', 'main'],
    ['throw', 127, NO_TYPE, '{till,jammed}', 'main'],
    ['exit', 127, NO_TYPE, 'till_is_jammed', 'main'],
    ['process', 1, NO_TYPE, 'badarith', 'share'],
    ['report', 1, NO_TYPE, 'bad key: saucer', 'price'],
    ['clause', 127, NO_TYPE, 'no function clause matching', 'area'],
    ['message', 4, NO_TYPE, "till: the setting 'currency' is missing"],
  ]),
  ...files('erlang', 'escript', [['server', 127, NO_TYPE, 'badarg', 'handle_call']]),
  ...kinds('go', 'panics', [
    ['text', 2, PANIC, 'discount of 120 percent', 'main'],
    ['own-type', 2, PANIC, 'teapot is sold out', 'reserve'],
    ['wrapped', 2, PANIC, 'order 7 is not readable: unexpected end of JSON input', 'readOrder'],
    ['bounds', 2, NO_TYPE, 'index out of range [1] with length 1', 'second'],
    ['nil', 2, NO_TYPE, 'invalid memory address or nil pointer dereference', 'customer'],
    ['nil-map', 2, NO_TYPE, 'assignment to entry in nil map', 'count'],
    ['recursion', 2, NO_TYPE, 'stack overflow', 'depth'],
    ['while-handling', 2, PANIC, 'till is open: no change', 'closeTill'],
    ['deadlock', 2, NO_TYPE, 'all goroutines are asleep - deadlock!', 'main'],
    ['goroutine', 2, NO_TYPE, 'integer divide by zero', 'discount'],
  ]),
  ...kinds('go', 'reports', [
    ['fatal-log', 1, NO_TYPE, 'start: the shop is closed'],
    ['printed-error', 2, NO_TYPE, 'read prices: open /nonexistent/prices.csv: no such file or directory'],
    ['slog', 3, NO_TYPE, 'prices'],
  ]),
  ...kinds('java', 'Shop', [
    ['own-type', 1, /\bOutOfStock$/, 'teapot is sold out', 'reserve'],
    ['cause', 1, /\b(IllegalState|NumberFormat)Exception$/, '', 'priceOf'],
    ['null', 1, /\bNullPointerException$/, 'Cannot invoke "String.length()"', 'lengthOf'],
    ['recursion', 1, /\bStackOverflowError$/, '', 'depth'],
    ['bounds', 1, /\bIndexOutOfBoundsException$/, 'Index: 2 Size: 2', 'third'],
    ['assertion', 1, /\bAssertionError$/, 'discount of 120 percent', 'discountOf'],
    ['suppressed', 1, /\bUnsupportedOperationException$/, 'no change for 100', 'closeTill'],
    ['future', 1, /\b(Completion|Arithmetic)Exception$/, '/ by zero', 'share'],
    ['library-type', 1, /\bNoSuchFileException$/, '/nonexistent/prices.csv', 'main'],
    ['thread', 0, /\bNoSuchElementException$/, '', 'first'],
    ['initializer', 1, /\b(ExceptionInInitializerError|NumberFormatException)$/, '', 'Settings'],
    ['fatal-log', 3, NO_TYPE, 'till 7 cannot be opened, giving up'],
  ]),
  ...kinds('rust', 'panics', [
    ['text', 101, PANIC, 'the till is jammed'],
    ['expect', 101, PANIC, 'stock was counted: OutOfStock { article: "teapot" }'],
    ['unwrap-none', 101, PANIC, 'called `Option::unwrap()` on a `None` value'],
    ['bounds', 101, PANIC, 'index out of bounds: the len is 2 but the index is 3'],
    ['recursion', 134, NO_TYPE, 'overflow'],
    ['returned', 1, NO_TYPE, 'OutOfStock { article: "cup" }'],
    ['exit-message', 4, NO_TYPE, 'shop.toml: missing field `currency`'],
    ['abort', 134, 'ProcessKilled', 'SIGABRT'],
  ]),
  ...kinds(
    'rust',
    'panics',
    [
      ['parse', 101, PANIC, 'ParseIntError { kind: InvalidDigit }', 'share'],
      ['overflow', 101, PANIC, 'attempt to subtract with overflow', 'change'],
      ['assertion', 101, PANIC, 'discount of 120 percent', 'discount'],
      ['thread', 5, PANIC, 'an empty line ends the list', 'count'],
    ],
    { RUST_BACKTRACE: '1' },
  ),
  ...kinds('c', 'crashes', [
    ['null', 139, 'ProcessKilled', 'SIGSEGV'],
    ['division', 136, 'ProcessKilled', 'SIGFPE'],
    ['assertion', 134, NO_TYPE, 'percent <= 100 && "discount is too high"'],
    ['stack-smashing', 134, NO_TYPE, 'stack smashing detected'],
    ['double-free', 134, NO_TYPE, 'double free'],
    ['abort', 134, NO_TYPE, 'ledger is inconsistent, stopping'],
    ['perror', 2, NO_TYPE, 'prices: No such file or directory'],
  ]),
  ...kinds('c', 'sanitized', [
    ['overflow', 1, /heap-buffer-overflow/, '', 'last_price'],
    ['use-after-free', 1, /heap-use-after-free/, '', 'print_label'],
    ['integer', 0, /runtime error/, 'signed integer overflow'],
    ['recursion', 1, /stack-overflow/, '', 'depth'],
    ['leak', 1, /leak/i, '', 'new_label'],
  ]),
  ...kinds('cpp', 'crashes', [
    ['own-type', 134, 'shop::OutOfStock', 'teapot is sold out'],
    ['library-type', 134, 'std::out_of_range', 'map::at'],
    ['nested', 134, /std::logic_error/, 'no order for plate'],
    ['noexcept', 134, 'std::invalid_argument', 'stoi'],
    ['thread', 134, 'shop::OutOfStock', 'cup is sold out'],
    ['unjoined', 134, NO_TYPE, 'terminate called without an active exception'],
    ['thrown-number', 134, 'int', ''],
    ['null', 139, 'ProcessKilled', 'SIGSEGV'],
    ['memory', 134, 'std::length_error', 'cannot create std::vector larger than max_size()'],
    ['checked-bounds', 134, NO_TYPE, '__n < this->size()'],
  ]),
  ...kinds('cpp', 'sanitized', [
    ['use-after-free', 1, /heap-use-after-free/, '', 'total'],
    ['copy', 1, /heap-buffer-overflow/, '', 'copy_name'],
  ]),
];

/** Programs by language and name whose runtime prints another dump each time: only the first line is compared. */
export const VARYING_OUTPUT: ReadonlySet<string> = new Set([
  ...['go-recursion', 'java-recursion', 'node-out-of-memory', 'node-worker'],
  // Erlang wraps lines by the length of numbers, and stops while it logs.
  ...['erlang-clause', 'erlang-server'],
]);
