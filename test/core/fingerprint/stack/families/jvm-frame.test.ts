import fc from 'fast-check';
import type { JsonObject } from '../../../../../core/event/json.js';
import { JVM_CLASSES, JVM_METHODS, withoutParts } from '../../../../../core/fingerprint/stack/families/jvm-names.js';
import { sentKeys, textKeys } from '../../sent-frames/sent-stack.js';

describe('parts that compilers of the JVM generate', () => {
  it.each(JVM_CLASSES.flatMap((row) => row.examples))('class %s is %s', (name, left) => {
    expect(withoutParts(name, JVM_CLASSES)).toBe(left);
  });

  it.each(JVM_METHODS.flatMap((row) => row.examples))('method %s is %s', (name, left) => {
    expect(withoutParts(name, JVM_METHODS)).toBe(left);
  });
});

/** A call as a text writes it, and what it counts as. */
const CALLS: readonly (readonly [string, string])[] = [
  ['shop.Cart.total(Cart.java:3)', 'shop.Cart.total'],
  ['app//shop.Cart.total(Cart.java:3)', 'shop.Cart.total'],
  ['shop.core@1.2/shop.Cart.total(Cart.java:3)', 'shop.Cart.total'],
  ['shop.Cart/0x0000000800c03000.total(Cart.java:3)', 'shop.Cart.total'],
  ['shop.core/shop.Cart/0x0000000800c03000.total(Cart.java:3)', 'shop.Cart.total'],
  ['shop.Cart$Till.total(Cart.java:3)', 'shop.Cart$Till.total'],
  ['shop.Cart$2.run(Cart.java:3)', 'shop.Cart.run'],
  ['shop.Cart$1Line.total(Cart.java:3)', 'shop.Cart$Line.total'],
  ['shop.Cart$1.call(Unknown Source:3)', 'shop.Cart.call'],
  ['shop.Cart.lambda$total$7(Cart.java:3)', 'shop.Cart.total'],
  ['shop.Cart.lambda$total$0$shop-Cart(Cart.java:3)', 'shop.Cart.total'],
  ['shop.Cart$checkout$2$1.invokeSuspend(Cart.kt:3)', 'shop.Cart.checkout'],
  ['shop.Cart$checkout$3.invoke(Cart.kt:3)', 'shop.Cart.checkout'],
  ['shop.Cart$Till$checkout$3.invoke(Cart.kt:3)', 'shop.Cart$Till.checkout'],
  ['shop.CartKt$CartScreen$1$2.invoke(Cart.kt:3)', 'shop.CartKt.CartScreen'],
  ['shop.ComposableSingletons$CartKt$lambda-1$1.invoke(Cart.kt:3)', 'shop.CartKt.invoke'],
  ['shop.Cart$total$$inlined$sortedBy$1.compare(Comparisons.kt:102)', 'shop.Cart.total'],
  ['shop.Cart$total$$inlined$map$1$2.emit(Emitters.kt:219)', 'shop.Cart.total'],
  ['shop.Cart$Companion.total(Cart.kt:3)', 'shop.Cart.total'],
  ['shop.Cart$WhenMappings.<clinit>(Cart.kt:3)', 'shop.Cart.<clinit>'],
  ['shop.Cart.total-JVtK1S8(Cart.kt:3)', 'shop.Cart.total'],
  ['shop.Cart.total-JVtK1S8$default(Cart.kt:3)', 'shop.Cart.total'],
  ['shop.Cart.total$lambda$4$lambda$2(Cart.kt:3)', 'shop.Cart.total'],
  ['shop.Cart.total$suspendImpl(Cart.kt:3)', 'shop.Cart.total'],
  ['shop.Cart.total$shop_jvmtest(Cart.kt:3)', 'shop.Cart.total'],
  ['shop.CartFragment$$ExternalSyntheticLambda3.onClick(Cart.kt:3)', 'shop.CartFragment.onClick'],
  ['shop.-$$Lambda$CartFragment$k3jD0aQ-x.onClick(Cart.kt:3)', 'shop.CartFragment.onClick'],
  ['shop.Cart$.total(Cart.scala:3)', 'shop.Cart.total'],
  ['shop.Cart$$anonfun$total$1.apply(Cart.scala:3)', 'shop.Cart.total'],
  ['shop.Cart$.$anonfun$total$1$adapted(Cart.scala:3)', 'shop.Cart.total'],
  ['shop.Cart.shop$Cart$$total(Cart.scala:3)', 'shop.Cart.total'],
  ['shop.Cart$$anon$4.total(Cart.scala:3)', 'shop.Cart.total'],
  ['shop.Main$.delayedEndpoint$shop$Main$1(Main.scala:3)', 'shop.Main.<init>'],
  ['shop.Cart$_total_closure2.doCall(Cart.groovy:3)', 'shop.Cart.total'],
  ['shop.Cart$_total_closure2$_closure7.doCall(Cart.groovy:3)', 'shop.Cart.total'],
  ['shop.cart$total$fn__1234.invoke(cart.clj:3)', 'shop.cart.total'],
  ['shop.cart$total.invokeStatic(cart.clj:3)', 'shop.cart.total'],
];

/** The same call as an SDK sends it. */
function sent(text: string): JsonObject {
  const [, owner, method, file, line] = /^(.*)\.([^.]*)\(([^:]*):(\d+)\)$/.exec(text) ?? [];
  return {
    module: owner ?? '',
    function: method ?? '',
    filename: file ?? '',
    abs_path: file ?? '',
    lineno: Number(line),
  };
}

const MAIN = 'shop.Main.main(Main.java:9)';

describe('a call on the JVM', () => {
  it.each(CALLS)('%s counts as %s, in a text and in frames', (call, key) => {
    expect(textKeys(`java.lang.IllegalStateException: x\n\tat ${call}\n\tat ${MAIN}`)).toEqual([key]);
    expect(sentKeys('java', [sent(call), sent(MAIN)])).toEqual([key]);
    expect(sentKeys('java', [{ ...sent(call), in_app: true }, sent(MAIN)])).toEqual([key]);
  });

  it('is the same whatever numbers and hashes compilers chose', () => {
    const templates = CALLS.map(([call]) => call).filter((call) => /\$\d|fn__\d|closure\d|Lambda\d/.test(call));
    const keys = new Map(CALLS);
    fc.assert(
      fc.property(fc.constantFrom(...templates), fc.integer({ min: 0, max: 99_999 }), (call, number) => {
        const renumbered = call.replace(/(\$|fn__|closure|Lambda)\d+/g, `$1${number}`);
        expect(textKeys(`java.lang.IllegalStateException: x\n\tat ${renumbered}\n\tat ${MAIN}`)).toEqual([
          keys.get(call),
        ]);
        expect(sentKeys('java', [sent(renumbered), sent(MAIN)])).toEqual([keys.get(call)]);
      }),
    );
  });

  it.each<[string, JsonObject]>([
    ['a function with its class', { function: 'shop.Cart.total', filename: 'Cart.java' }],
    ['a function with its class and parameters', { function: 'int shop.Cart.total(int, java.util.List<A>)' }],
    ['a class in both', { module: 'shop.Cart', function: 'Cart.total', filename: 'src/main/java/shop/Cart.java' }],
    ['a package and a class', { module: 'shop', function: 'Cart.total(int)' }],
    ['a file with folders', { module: 'shop.Cart', function: 'total', abs_path: 'C:\\shop\\Cart.java' }],
  ])('is the same as %s', (_, frame) => {
    expect(sentKeys('java', [{ ...frame, in_app: true }])).toEqual(['shop.Cart.total']);
  });

  it.each([
    '_COROUTINE._BOUNDARY._(CoroutineDebugging.kt:46)',
    '_COROUTINE._CREATION._(CoroutineDebugging.kt:9)',
    'shop.Cart.access$000(Cart.java:1)',
    '___cps.transform___(Cps.java:1)',
    'shop.Cart.access$getTotal$p(Cart.kt:1)',
    'shop.Cart.-wrap0(Cart.java:1)',
    'shop.CartKt$$Lambda$14.invoke(Unknown Source:1)',
    'shop.Cart$total.call(Unknown Source:1)',
    'shop.Cart$total$0.callCurrent(Unknown Source:1)',
    'shop.Cart.$r8$lambda$k3jD0aQ_x(Cart.kt:1)',
    'shop.Cart$$ExternalSyntheticLambda0.run(D8$$SyntheticClass:0)',
    'shop.Cart$$ExternalSyntheticLambda0.run(R8$$SyntheticClass:4)',
    'shop.Cart$$SpringCGLIB$$0.total(<generated>:1)',
    'shop.Cart$$EnhancerBySpringCGLIB$$8f3a91.total(<generated>:1)',
    'shop.Cart$$FastClassBySpringCGLIB$$8f3a91.invoke(<generated>:1)',
    'shop.Cart$HibernateProxy$aX81kQ0z.total(Unknown Source:1)',
    'shop.Cart$MockitoMock$1234567.total(Unknown Source:1)',
    'shop.Cart_$$_jvst1a2_0.total(Cart_$$_jvst1a2_0.java:1)',
    'shop.Cart_ClientProxy.total(Unknown Source:1)',
    'jdk.proxy2.$Proxy99.total(Unknown Source:1)',
    'com.sun.proxy.$Proxy12.total(Unknown Source:1)',
    'shop.$Proxy12.total(Unknown Source:1)',
    'jdk.internal.reflect.GeneratedMethodAccessor42.invoke(Unknown Source:1)',
    'java.lang.reflect.Method.invoke(Method.java:498)',
    'shop.Main$delayedInit$body.apply(Main.scala:3)',
    'a.b.c.d(SourceFile:12)',
    'ab1.a(Unknown Source:4)',
    'io.sentry.logback.SentryAppender.append(SentryAppender.java:5)',
  ])('%s only passes it on', (call) => {
    expect(textKeys(`java.lang.IllegalStateException: x\n\tat ${call}\n\tat ${MAIN}`)).toEqual(['shop.Main.main']);
    for (const marks of [
      [true, true],
      [null, null],
      [null, true],
    ]) {
      const [one, other] = [sent(call), sent(MAIN)].map((frame, at) => ({ ...frame, in_app: marks[at] ?? null }));
      expect(sentKeys('java', [one ?? {}, other ?? {}])).toEqual(['shop.Main.main']);
    }
  });
});

describe('libraries of the JVM', () => {
  const LIBRARY = [
    'com.fasterxml.jackson.databind.ObjectMapper.readValue(ObjectMapper.java:4)',
    'com.fasterxml.jackson.databind.ObjectMapper.readValue',
  ] as const;

  it('step back where another frame is the application', () => {
    for (const caller of ['shop.Cart.load(Cart.java:3)', 'shop.Profile.load(Profile.java:3)']) {
      const key = [caller.slice(0, caller.indexOf('('))];
      expect(textKeys(`E: x\n\tat ${LIBRARY[0]}\n\tat ${caller}`)).toEqual(key);
      expect(sentKeys('java', [sent(LIBRARY[0]), sent(caller)])).toEqual(key);
    }
  });

  it('are the application of their own stacks, and of a client that says so', () => {
    const stack = `E: x\n\tat java.util.ArrayList.get(ArrayList.java:3)\n\tat ${LIBRARY[0]}\n\tat java.lang.Thread.run(Thread.java:7)`;
    expect(textKeys(stack)).toEqual([LIBRARY[1]]);
    expect(sentKeys('java', [sent(LIBRARY[0]), sent('java.lang.Thread.run(Thread.java:7)')])).toEqual([LIBRARY[1]]);
    const marked = { ...sent(LIBRARY[0]), in_app: true };
    expect(sentKeys('java', [marked, { ...sent(MAIN), in_app: true }])).toEqual([LIBRARY[1]]);
  });
});

it('a call of JRuby is told by its file', () => {
  expect(textKeys('E: x\n\tat RUBY.total(/srv/shop/lib/cart.rb:3)\n\tat RUBY.run(/srv/shop/main.rb:1)')).toEqual([
    'total (cart.rb)',
  ]);
});

it('a class of checks fails for its callers', () => {
  const stack = (caller: string) =>
    `java.lang.IllegalArgumentException: x\n\tat shop.util.Validate.notNull(Validate.java:3)\n\tat ${caller}\n\tat ${MAIN}`;
  expect(textKeys(stack('shop.Cart.load(Cart.java:3)'))).toEqual([
    'shop.util.Validate.notNull',
    'shop.Cart.load',
    'shop.Main.main',
  ]);
});

describe('a shrunk application', () => {
  it('is told by its named frames, else by the methods that libraries call', () => {
    const listener = 'b.c.onClick(SourceFile:3)';
    expect(textKeys(`E: x\n\tat ${listener}\n\tat ${MAIN}`)).toEqual(['shop.Main.main']);
    expect(textKeys(`E: x\n\tat ${listener}\n\tat android.view.View.performClick(View.java:3)`)).toEqual(['onClick']);
  });
});
