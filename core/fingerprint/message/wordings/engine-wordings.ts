/** A failure that each engine, bundler or version of a language words in its own way. */
export interface EngineWording {
  /** The text of all wordings, often that of V8: `$name` is a property, a variable or a code, `$other` a second name, `$host` a machine in parentheses, `$call` an expression whose first names may be minified. */
  readonly becomes: string;
  /** The only type whose messages the row reads; default: any. */
  readonly of?: string;
  /** The type that all of them get, where engines differ in it too. */
  readonly type?: string;
  /** True if any part of the program may meet the failure: neither its frames nor its type count. */
  readonly isOutage?: true;
  /** Whole lines, with at most two capturing groups: what the line names. */
  readonly wordings: readonly RegExp[];
  readonly examples: readonly string[];
}

const NAME = '[\\w$#]{1,200}';
/** What a text says that was called: `e.total`. */
const CALLED = '(?:\\(intermediate value\\)\\.)?([^ ()]{1,400})';

/** What scripts do wrong, as engines word it. */
export const ENGINE_WORDINGS: readonly EngineWording[] = [
  {
    becomes: "Cannot set properties of undefined (setting '$name')",
    wordings: [
      /^Cannot set property '([^']{1,200})' of undefined$/,
      /^Cannot set properties of undefined \(setting '([^']{1,200})'\)$/,
      /^Unable to set property '([^']{1,200})' of undefined or null reference$/,
      new RegExp(`^undefined is not an object \\(evaluating '[^'=]{0,500}?\\.(${NAME}) ?=[^'=][^']{0,500}'\\)$`),
    ],
    examples: [
      "Cannot set property 'price' of undefined",
      "Cannot set properties of undefined (setting 'price')",
      "Unable to set property 'price' of undefined or null reference",
      "undefined is not an object (evaluating 'cart.price = 7')",
    ],
  },
  {
    becomes: "Cannot set properties of null (setting '$name')",
    wordings: [
      /^Cannot set property '([^']{1,200})' of null$/,
      /^Cannot set properties of null \(setting '([^']{1,200})'\)$/,
      new RegExp(`^null is not an object \\(evaluating '[^'=]{0,500}?\\.(${NAME}) ?=[^'=][^']{0,500}'\\)$`),
    ],
    examples: [
      "Cannot set property 'price' of null",
      "Cannot set properties of null (setting 'price')",
      "null is not an object (evaluating 'cart.price = 7')",
    ],
  },
  {
    becomes: "Cannot read properties of undefined (reading '$name')",
    wordings: [
      /^Cannot read propert(?:y|ies) '([^']{1,200})' of undefined$/,
      /^Cannot read properties of undefined \(reading '([^']{1,200})'\)$/,
      /^Unable to get property '([^']{1,200})' of undefined or null reference$/,
      new RegExp(`^undefined is not an object \\(evaluating '[^']{0,500}?\\.(${NAME})(?:\\([^']{0,200}\\))?'\\)$`),
      /^undefined is not an object \(evaluating '.{0,500}\[["'](.{1,200}?)["']\]'\)$/,
      /^can't access property "?([^",]{1,200}?)"?(?:, .{1,200} is undefined| of undefined)$/,
    ],
    examples: [
      "Cannot read property 'price' of undefined",
      "Cannot read properties of undefined (reading 'price')",
      "Unable to get property 'price' of undefined or null reference",
      "undefined is not an object (evaluating 'cart.item.price')",
      "undefined is not an object (evaluating 'cart.price(1)')",
      'undefined is not an object (evaluating \'cart["price"]\')',
      `can't access property "price", cart.item is undefined`,
      `can't access property "price" of undefined`,
    ],
  },
  {
    becomes: "Cannot read properties of $name (reading '$other')",
    wordings: [/^(undefined|null) is not an object \(evaluating '.{0,500}\[(\d{1,9})\]'\)$/],
    examples: [
      "undefined is not an object (evaluating 'cart.items[0]')",
      "undefined is not an object (evaluating 'e[0]')",
    ],
  },
  {
    becomes: "Cannot read properties of null (reading '$name')",
    wordings: [
      /^Cannot read propert(?:y|ies) '([^']{1,200})' of null$/,
      /^Cannot read properties of null \(reading '([^']{1,200})'\)$/,
      new RegExp(`^null is not an object \\(evaluating '[^']{0,500}?\\.(${NAME})(?:\\([^']{0,200}\\))?'\\)$`),
      /^null is not an object \(evaluating '.{0,500}\[["'](.{1,200}?)["']\]'\)$/,
      /^can't access property "?([^",]{1,200}?)"?(?:, .{1,200} is null| of null)$/,
    ],
    examples: [
      "Cannot read property 'price' of null",
      "Cannot read properties of null (reading 'price')",
      "null is not an object (evaluating 'e.price')",
      `can't access property "price", e is null`,
      'null is not an object (evaluating \'e["price"]\')',
    ],
  },
  {
    becomes: "Unexpected token '$name'",
    of: 'SyntaxError',
    wordings: [/^Unexpected token '?(.{1,4}?)'?$/, /^expected expression, got '(.{1,4})'$/],
    examples: ["Unexpected token '<'", 'Unexpected token <', "expected expression, got '<'"],
  },
  {
    becomes: '$call is not a function',
    wordings: [
      /^\(0 ?, ?(?:[^ ()]{1,300}\.)?([\w$]{1,200})\) is not a function$/,
      new RegExp(`^${CALLED} is not a function(?:\\. \\(In '.{0,500})?$`),
      new RegExp(`^undefined is not a function \\((?:evaluating|near) '${CALLED}\\(.{0,500}$`),
      /^undefined is not a function \(near '\.\.\.([\w$.]{1,400}?)\.\.\.'\)$/,
      /^Object doesn't support (?:this )?property or method '([^']{1,200})'$/,
    ],
    examples: [
      'total is not a function',
      'e.total is not a function',
      "e.total is not a function. (In 'e.total()', 'e.total' is undefined)",
      "undefined is not a function (evaluating 'e.total()')",
      "undefined is not a function (near '...e.total...')",
      "Object doesn't support property or method 'total'",
      '(intermediate value).total is not a function',
      '(0 , _cart__WEBPACK_IMPORTED_MODULE_3__.total) is not a function',
      'cart__WEBPACK_IMPORTED_MODULE_12__.total is not a function',
    ],
  },
  {
    becomes: '$call is not a constructor',
    wordings: [new RegExp(`^${CALLED} is not a constructor(?: \\(evaluating '.{0,500})?$`)],
    examples: ['t.Cart is not a constructor', "n.Cart is not a constructor (evaluating 'new n.Cart(1)')"],
  },
  {
    becomes: '$call is not iterable',
    of: 'TypeError',
    wordings: [new RegExp(`^${CALLED} is not iterable(?: \\(evaluating '.{0,500})?$`)],
    examples: ['e.items is not iterable', 't.items is not iterable'],
  },
  {
    becomes: 'Converting circular structure to JSON',
    of: 'TypeError',
    wordings: [
      /^Converting circular structure to JSON(?: .{0,4000})?$/,
      /^JSON\.stringify cannot serialize cyclic structures\.?$/,
      /^cyclic object value$/,
    ],
    examples: [
      'Converting circular structure to JSON',
      'JSON.stringify cannot serialize cyclic structures.',
      'cyclic object value',
    ],
  },
  {
    becomes: 'Cannot redefine property: $name',
    wordings: [/^Cannot redefine property: (.{1,200})$/, /^can't redefine non-configurable property "(.{1,200})"$/],
    examples: ['Cannot redefine property: wallet', `can't redefine non-configurable property "wallet"`],
  },
  {
    becomes: '$name is not defined',
    wordings: [
      new RegExp(`^(${NAME}) is not defined$`),
      new RegExp(`^Can't find variable: (${NAME})$`),
      new RegExp(`^Property '(${NAME})' doesn't exist$`),
      new RegExp(`^'(${NAME})' is (?:undefined|not defined)$`),
    ],
    examples: [
      'gtag is not defined',
      "Can't find variable: gtag",
      "Property 'gtag' doesn't exist",
      "'gtag' is undefined",
    ],
  },
  {
    becomes: '$call is undefined',
    of: 'TypeError',
    wordings: [/^([\w$.[\]]{1,400}) is undefined$/],
    examples: ['cart is undefined', 't.cart is undefined'],
  },
  {
    becomes: '$call is null',
    of: 'TypeError',
    wordings: [/^([\w$.[\]]{1,400}) is null$/],
    examples: ['cart is null', 't.cart is null'],
  },
  {
    becomes: "Cannot access '$name' before initialization",
    wordings: [
      new RegExp(`^Cannot access '(${NAME})' before initialization\\.?$`),
      new RegExp(`^can't access lexical declaration '(${NAME})' before initialization$`),
    ],
    examples: [
      "Cannot access 'cart' before initialization",
      "can't access lexical declaration 'cart' before initialization",
    ],
  },
  {
    becomes: 'Assignment to constant variable.',
    wordings: [
      /^Assignment to constant variable\.?$/,
      /^invalid assignment to const ['"`]?[\w$]{1,200}['"`]?$/,
      /^Attempted to assign to readonly property\.?$/,
    ],
    examples: [
      'Assignment to constant variable.',
      "invalid assignment to const 'cart'",
      'Attempted to assign to readonly property.',
    ],
  },
  {
    becomes: 'Unexpected end of JSON input',
    wordings: [
      /^Unexpected end of JSON input$/,
      /^JSON Parse error: Unexpected (?:EOF|end of input)$/,
      /^JSON\.parse: unexpected end of data at line \d{1,9} column \d{1,9} of the JSON data$/,
    ],
    examples: [
      'Unexpected end of JSON input',
      'JSON Parse error: Unexpected EOF',
      'JSON.parse: unexpected end of data at line 1 column 1 of the JSON data',
    ],
  },
  {
    becomes: 'Unexpected token in JSON',
    wordings: [
      /^(?:Unexpected (?:token .{1,20}|string|number|non-whitespace character)|Expected .{1,60}|Bad .{1,60}|Unterminated string) (?:in|after) JSON at position \d{1,9}(?: \(line \d{1,9} column \d{1,9}\))?$/,
      /^(?:Unexpected token .{1,20}, )?(?:\.{3})?".{0,100}"(?:\.{3})? is not valid JSON$/,
      /^JSON Parse error: (?:Unrecognized token|Unexpected|Expected|Unterminated|Property name|Unable to parse|Invalid).{0,200}$/,
      /^JSON\.parse: .{1,100} at line \d{1,9} column \d{1,9} of the JSON data$/,
      /^JSON\.parse: unexpected character$/,
    ],
    examples: [
      'Unexpected token < in JSON at position 0',
      `Unexpected token '<', "<!DOCTYPE "... is not valid JSON`,
      `"undefined" is not valid JSON`,
      "Expected property name or '}' in JSON at position 1 (line 1 column 2)",
      "JSON Parse error: Unrecognized token '<'",
      'JSON Parse error: Unexpected identifier "undefined"',
      'JSON.parse: unexpected character',
      'JSON.parse: unexpected character at line 1 column 1 of the JSON data',
    ],
  },
  {
    becomes: 'runtime error: index out of range',
    wordings: [/^runtime error: index out of range(?: \[-?\d{1,20}\](?: with length \d{1,20})?)?$/],
    examples: ['runtime error: index out of range', 'runtime error: index out of range [5] with length 3'],
  },
  {
    becomes: 'runtime error: slice bounds out of range',
    wordings: [
      /^runtime error: slice bounds out of range(?: \[[-\d:]{1,62}\](?: with (?:length|capacity) \d{1,20})?)?$/,
    ],
    examples: [
      'runtime error: slice bounds out of range',
      'runtime error: slice bounds out of range [:12] with capacity 8',
      'runtime error: slice bounds out of range [5:3]',
    ],
  },
  {
    becomes: 'Maximum call stack size exceeded',
    type: 'RangeError',
    wordings: [
      /^Maximum call stack size exceeded\.?(?: \(native stack depth\))?$/,
      /^too much recursion$/,
      /^Out of stack space$/,
    ],
    examples: [
      'Maximum call stack size exceeded',
      'Maximum call stack size exceeded.',
      'too much recursion',
      'Out of stack space',
    ],
  },
  {
    becomes: 'JavaScript heap out of memory',
    wordings: [
      /^FATAL ERROR: (?:CALL_AND_RETRY_LAST|Reached heap limit|Ineffective mark-compacts near heap limit|(?:MarkCompactCollector|Scavenger): .{1,80}) Allocation failed - JavaScript heap out of memory$/,
    ],
    examples: [
      'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
      'FATAL ERROR: Ineffective mark-compacts near heap limit Allocation failed - JavaScript heap out of memory',
      'FATAL ERROR: MarkCompactCollector: young object promotion failed Allocation failed - JavaScript heap out of memory',
    ],
  },
];
