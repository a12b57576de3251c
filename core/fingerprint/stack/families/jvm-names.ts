/** A part of a name that compilers of the JVM generate. */
interface GeneratedRow {
  readonly pattern: RegExp;
  readonly replacement: string;
  readonly reason: string;
  /** Names and their results. */
  readonly examples: readonly (readonly [string, string])[];
}

/** Removed from classes, in order; a class without `$` and `_` has none. */
export const JVM_CLASSES: readonly GeneratedRow[] = [
  {
    pattern: /-\$\$Lambda\$(\w{1,100})(?:\$[\w-]{1,60})?$/,
    replacement: '$1',
    reason: 'Lambdas of D8 are classes that are named by a hash of what they call.',
    examples: [['com.acme.-$$Lambda$Cart$k3jD0aQ-x', 'com.acme.Cart']],
  },
  {
    pattern: /\$\$(?:ExternalSynthetic|InternalSynthetic|Nest\$)[\w$-]{0,100}$/,
    replacement: '',
    reason: 'Classes of D8 and R8 are numbered in the class that they were written in.',
    examples: [['com.acme.Cart$$ExternalSyntheticLambda0', 'com.acme.Cart']],
  },
  {
    pattern: /(?:\$special)?\$\$inlined\$[\w$]{0,200}$/,
    replacement: '',
    reason: 'Bodies of inlined functions of Kotlin are numbered.',
    examples: [['com.acme.Cart$special$$inlined$map$1$2', 'com.acme.Cart']],
  },
  {
    pattern: /\bComposableSingletons\$(\w{1,100})(?:\$lambda-?\d{1,10})?/,
    replacement: '$1',
    reason: 'Lambdas of user interfaces in Kotlin that are made once.',
    examples: [['com.acme.ComposableSingletons$CartKt$lambda-1', 'com.acme.CartKt']],
  },
  {
    pattern: /\$(?:Companion|WhenMappings|EntriesMappings|DefaultImpls|package)(?=\$|$)/g,
    replacement: '',
    reason: 'Parts of a class that Kotlin and Scala keep in classes of their own.',
    examples: [
      ['com.acme.Cart$Companion', 'com.acme.Cart'],
      ['com.acme.Cart$WhenMappings', 'com.acme.Cart'],
    ],
  },
  {
    pattern:
      /\$\$(?:EnhancerBy|FastClassBy|SpringCGLIB)\w{0,40}(?:\$\$\w{1,40})?$|\$(?:HibernateProxy|HibernateBasicProxy|ByteBuddy|MockitoMock|EasyMock|jmockit|Subclass\d{0,4}|auxiliary)(?:\$[\w$]{0,60})?$|_\$\$_\w{1,60}$|\$Proxy\$_\$\$_\w{1,60}$|_(?:ClientProxy|Subclass)$/,
    replacement: '$$$$<generated>',
    reason: 'Proxies that frameworks make at run time.',
    examples: [
      ['com.acme.Cart$$SpringCGLIB$$0', 'com.acme.Cart$$<generated>'],
      ['com.acme.Cart$$EnhancerByGuice$$8f3a91', 'com.acme.Cart$$<generated>'],
      ['com.acme.Cart$HibernateProxy$aX81kQ0z', 'com.acme.Cart$$<generated>'],
      ['com.acme.Cart$MockitoMock$1234567', 'com.acme.Cart$$<generated>'],
      ['com.acme.Cart_$$_jvst1a2_0', 'com.acme.Cart$$<generated>'],
    ],
  },
  {
    pattern: /\$\$anon(?:fun)?(?=\$|$)/g,
    replacement: '',
    reason: 'Anonymous classes and functions of Scala.',
    examples: [['com.acme.Cart$$anon$1', 'com.acme.Cart']],
  },
  {
    pattern: /(?:\$\d{1,6})+(?=\$|$)|(?<=\$)\d{1,6}(?=[A-Za-z_])/g,
    replacement: '',
    reason: 'Anonymous and local classes are numbered in their class, or in Kotlin in their function.',
    examples: [
      ['com.acme.Cart$1', 'com.acme.Cart'],
      ['com.acme.Cart$checkout$2$1', 'com.acme.Cart$checkout'],
      ['com.acme.Cart$1Line', 'com.acme.Cart$Line'],
    ],
  },
  {
    pattern: /(?<=\w)\$$/,
    replacement: '',
    reason: 'Objects of Scala.',
    examples: [['com.acme.Cart$', 'com.acme.Cart']],
  },
];

/** Removed from methods, in order; a method without `$` and `-` has none. */
export const JVM_METHODS: readonly GeneratedRow[] = [
  {
    pattern: /^delayedEndpoint\$[\w$]{1,200}$/,
    replacement: '<init>',
    reason: 'The body of an application in Scala.',
    examples: [['delayedEndpoint$com$acme$Main$1', '<init>']],
  },
  {
    pattern: /^(?:[\w$]{1,200}\$)?\$(?=[A-Za-z_]\w{0,100}$)/,
    replacement: '',
    reason: 'Scala writes the class before private methods that others call.',
    examples: [['com$acme$Cart$$total', 'total']],
  },
  {
    pattern:
      /(?:\$default|\$suspendImpl|\$extension\d?|\$mc[A-Z]{1,4}\$sp|-impl\d?|-[A-Za-z\d_-]{7}|\$\d{1,6}|\$[a-z]\w{0,60}_(?:[a-z]{0,20}_?(?:[mM]ain|[tT]est)|debug|release|\w{1,30}(?:Debug|Release)))+$/,
    replacement: '',
    reason: 'Marks of default arguments, value classes, modules and specializations, and numbers of local functions.',
    examples: [
      ['total$default', 'total'],
      ['total-JVtK1S8$default', 'total'],
      ['total$suspendImpl', 'total'],
      ['total$shop_jvmtest', 'total'],
      ['total$app_freeDebug', 'total'],
      ['apply$mcII$sp', 'apply'],
      ['total$1', 'total'],
    ],
  },
];

/** Removes what the rows match from a name. */
export function withoutParts(name: string, rows: readonly GeneratedRow[]): string {
  let rest = name;
  for (const { pattern, replacement } of rows) rest = rest.replace(pattern, replacement);
  return rest;
}

/** Methods that classes made for a function have in common: of lambdas, coroutines, flows and closures. */
const OF_FUNCTION =
  /^(?:invoke(?:Suspend|Static|Prim)?|doInvoke|doCall|call|apply(?:\$mc[A-Z]{1,4}\$sp)?|emit|collect)$/;
const OF_CLOJURE = /^(?:invoke|doInvoke)/;
const INLINED = '$$inlined$';
/** Parts of the name of a class that say only that it was generated. */
const NO_FUNCTION =
  /^(?:|anon|anonfun|special|inlined|lambda(?:-\d+)?|body|fn__\d+|reify__\d+|iter__[\w]*|_?closure\d+)$/;
const FUNCTION = /^[a-z_]/;
const GROOVY_CLOSURE = /^_(\w{1,100}?)_closure\d/;
const GENERATED = /^(?:\d{1,6}|(?:fn|reify|iter)__\w*|\w*_closure\d+|anonfun)$/;

/**
 * Returns the function that a class was made for, as `checkout` of `shop.Cart$checkout$2$1`, `shop.Cart$$anonfun$checkout$1`,
 * `shop.Cart$_checkout_closure1` and `shop.cart$checkout$fn__12`; null if the name has none.
 */
export function enclosingFunction(owner: string, method: string): { owner: string; method: string } | null {
  const inlinedAt = owner.indexOf(INLINED);
  if (inlinedAt < 0 && !OF_FUNCTION.test(method)) return null;
  const parts = (inlinedAt < 0 ? owner : owner.slice(0, inlinedAt)).split('$');
  // A class of functions without a class has no classes in it.
  const isOfFile = parts.length > 2 && /Kt$/.test(parts[0] ?? '') && /^\w/.test(parts[1] ?? '');
  const named = isOfFile ? /^\w/ : FUNCTION;
  const at = parts.findIndex((part, index) => index > 0 && named.test(part) && !NO_FUNCTION.test(part));
  if (at < 0) return null;
  const isGenerated = inlinedAt >= 0 || OF_CLOJURE.test(method) || parts.slice(1).some((part) => GENERATED.test(part));
  if (!isGenerated) return null;
  const name = parts[at] ?? '';
  return { owner: parts.slice(0, at).join('$'), method: GROOVY_CLOSURE.exec(name)?.[1] ?? name };
}
