/** A part of a name that compilers and runtimes generate, and that changes with each build; what the rules of a family leave. */
interface GeneratedRow {
  readonly pattern: RegExp;
  readonly replacement: string;
  readonly reason: string;
  /** Names and their results. */
  readonly examples: readonly (readonly [string, string])[];
}

/** Removed from names, in order; the length of a name is bounded. */
export const GENERATED_NAMES: readonly GeneratedRow[] = [
  {
    pattern: /\$\$Lambda[$/\w.]*/,
    replacement: '$$$$Lambda',
    reason: 'Lambdas of Java are classes made at run time.',
    examples: [['Cart$$Lambda$14/0x0000000800c03000', 'Cart$$Lambda']],
  },
  {
    pattern: /\blambda\$([A-Za-z_]\w{0,99}?)(?:\$\d+)+$/,
    replacement: '$1',
    reason: 'A lambda of Java counts as the method that it is in.',
    examples: [['lambda$total$3', 'total']],
  },
  {
    pattern: /(?:\$|\b)(?:lambda(?:[$-]\d+)+|\$anonfun\$\d+)(?:\$(?:lambda(?:[$-]\d+)+|\$anonfun\$\d+))*$/,
    replacement: '',
    reason: 'Lambdas of Kotlin and Scala are numbered in their function.',
    examples: [
      ['total$lambda$0', 'total'],
      ['total$lambda$1$lambda$0', 'total'],
      ['total$lambda-1', 'total'],
      ['total$$anonfun$1', 'total'],
    ],
  },
  {
    pattern: /\$\$[A-Za-z_]\w{0,100}?\$\$[0-9a-f]+/,
    replacement: '$$$$<generated>',
    reason: 'Subclasses that frameworks make at run time.',
    examples: [['Cart$$EnhancerByAcme$$8f3a91', 'Cart$$<generated>']],
  },
  {
    pattern: /(Accessor|Proxy)\d+/,
    replacement: '$1',
    reason: 'Accessors and proxies of Java are numbered as they are made.',
    examples: [['GeneratedMethodAccessor42', 'GeneratedMethodAccessor']],
  },
  {
    pattern: /\$(\w{0,40}Proxy)\$\w{6,40}/,
    replacement: '$$$1',
    reason: 'Proxies that end with a random mark.',
    examples: [['Cart$LazyProxy$aX81kQ0z', 'Cart$LazyProxy']],
  },
  {
    pattern: /\/0x[0-9a-f]+$/,
    replacement: '',
    reason: 'Hidden classes of Java end with their address.',
    examples: [['LambdaForm$MH/0x00007f1c24', 'LambdaForm$MH']],
  },
  {
    pattern: /\$anonfun\$(\w{1,100}?)(?:\$(?:adapted|\d+))+$/,
    replacement: '$1',
    reason: 'Anonymous functions of Scala are numbered in their method.',
    examples: [['$anonfun$total$1$adapted', 'total']],
  },
  {
    pattern: /\b(fn|eval|reify|iter|G|access|anonfun|closure)(?:__|\$)\d+(?:__auto__)?(?:\$\d+)*/g,
    replacement: '$1',
    reason: 'Clojure, Scala and compilers of JavaScript number what has no name.',
    examples: [
      ['shop.cart$total$fn__1234', 'shop.cart$total$fn'],
      ['reify__88', 'reify'],
    ],
  },
  {
    pattern: /_closure\d+(?:_closure\d+)*/,
    replacement: '_closure',
    reason: 'Closures of Groovy are numbered.',
    examples: [['Cart$_total_closure2_closure3', 'Cart$_total_closure']],
  },
  {
    pattern: /`\d+(?:\[[^\]]{0,200}\])?/g,
    replacement: '',
    reason: 'Counts of type parameters of .NET.',
    examples: [['List`1.Add', 'List.Add']],
  },
  {
    pattern: /(?:^glob\.)?(?:\.func\d+(?:\.\d+)*|\.(?:gowrap|deferwrap)\d+(?:\.\d+)*|·dwrap·\d+|-range\d+)+(?=$|\.)/g,
    replacement: '',
    reason: 'Closures of Go are numbered in their function.',
    examples: [
      ['Total.func1.2', 'Total'],
      ['Total.func2.func1', 'Total'],
      ['Total.deferwrap1', 'Total'],
      ['glob..func1', ''],
    ],
  },
  {
    pattern: /-fm$|\[\.\.\.\]|\binit\.\d+$/g,
    replacement: '',
    reason: 'Method values and type arguments of Go.',
    examples: [['Map[...]', 'Map']],
  },
  {
    pattern: /::h[0-9a-f]{16}$/,
    replacement: '',
    reason: 'Symbols of Rust end with a hash.',
    examples: [['shop::cart::total::h0123456789abcdef', 'shop::cart::total']],
  },
  {
    pattern: /(?:(?:^|::)\{(?:\{closure(?:#\d+)?\}|closure(?:_env)?#\d+)\})+/g,
    replacement: '',
    reason: 'Closures and async bodies of Rust, however deep.',
    examples: [
      ['total::{{closure}}::{{closure}}', 'total'],
      ['total::{closure#2}', 'total'],
    ],
  },
  {
    pattern: /\{(impl|shim|constant)[#:][^}]{0,60}\}|(?<=::)(impl)\$\d+(?=::)/g,
    replacement: '{$1$2}',
    reason: 'Blocks of Rust without a name are numbered; debuggers of Windows write `impl$3`.',
    examples: [
      ['cart::{impl#3}::total', 'cart::{impl}::total'],
      ['cart::impl$3::total', 'cart::{impl}::total'],
    ],
  },
  {
    pattern: /@anonymous.{0,256}?(?=(?:->|::)\w{1,100}$|$)/s,
    replacement: '@anonymous',
    reason: 'PHP names anonymous classes by file, line and address.',
    examples: [
      ['class@anonymous\0/app/x.php:3$0', 'class@anonymous'],
      ['class@anonymous\0/app/x.php:3$0->total', 'class@anonymous->total'],
    ],
  },
  {
    pattern: /\b(closure|defer|implicit closure|curry thunk) #\d+ (?:\([^)]{0,200}\)(?: -> .{0,100}?)? )?in /g,
    replacement: '',
    reason: 'Closures of Swift are numbered in their function.',
    examples: [['closure #1 (Int) -> Int in Cart.total', 'Cart.total']],
  },
  {
    pattern: /^(?:__\d{0,4})?(.{1,256}?)(?:_block_invoke\d{0,6}(?:[._]\d+)*)+$/,
    replacement: '$1',
    reason: 'Blocks of C and Objective-C.',
    examples: [
      ['__24-[Cart totalWithTax:]_block_invoke_2', '-[Cart totalWithTax:]'],
      ['__total_block_invoke.12', 'total'],
      ['__total_block_invoke115', 'total'],
    ],
  },
  {
    pattern:
      /(?:\.(?:constprop|isra|part|lto_priv|llvm|cold|localalias|resume|destroy)(?:\.\d{1,30})?)+$|@{1,2}(?:plt|[A-Z]{2,12}_[\d.]{1,12})$/,
    replacement: '',
    reason: 'Copies that optimizers make of a function, and versions of symbols.',
    examples: [
      ['total.constprop.0.isra.1', 'total'],
      ['raise@@GLIBC_2.34', 'raise'],
    ],
  },
  {
    pattern:
      /(?:::(?:\{lambda\([^#]{0,200}\)#\d+\}|'lambda\d*'|<lambda_\w{1,60}>|\$_\d+|\{lambda#\d+\}))+(?:::operator\(\))?/g,
    replacement: '',
    reason: 'Lambdas of C++ are numbered in their function.',
    examples: [
      ['Cart::total::{lambda(int)#1}::operator()', 'Cart::total'],
      ["Cart::total::'lambda1'", 'Cart::total'],
    ],
  },
  {
    pattern: /\.prototype(?=\.)/g,
    replacement: '',
    reason: 'JavaScript writes how a method is held.',
    examples: [['Cart.prototype.total', 'Cart.total']],
  },
  {
    pattern: /@\d{3,12}\b/g,
    replacement: '',
    reason: 'The Dart VM marks private names with the key of their library.',
    examples: [['_Cart@17026.total', '_Cart.total']],
  },
];
