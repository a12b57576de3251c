import { JVM_FORMS, jvmParser } from '../../../../../core/fingerprint/stack/parsers/jvm.js';
import { appFunctions, describeText, fingerprintOf, framesOf, outlineOf } from '../../stack-parsers/read-text.js';

const load = (
  line: number,
  value = 'x5',
  address = '0x1',
): string => `Exception in thread "main" java.lang.IllegalStateException: order ${value} is unreadable
	at com.example.shop.Shop.load(Shop.java:${line})
	at com.example.shop.Shop$$Lambda$${line}/${address}.accept(Unknown Source)
	at com.example.shop.Shop.main(Shop.java:13)
	Suppressed: java.io.IOException: close ${value}
		at com.example.shop.Shop.lambda$main$3(Shop.java:19)
		... 1 more
		Caused by: java.io.EOFException
Caused by: java.lang.NumberFormatException: For input string: "${value}"
	at java.base/java.lang.NumberFormatException.forInputString(NumberFormatException.java:67)
	at java.base/java.lang.Integer.parseInt(Integer.java:668)
	at com.example.shop.Shop.parse(Shop.java:${line + 1})
	... 1 more`;

describe('frames of the Java machine', () => {
  it.each([
    [
      'at java.base@17.0.1/java.util.ArrayList.forEach(ArrayList.java:1511)',
      { module: 'java.util.ArrayList', inApp: false },
    ],
    [
      'at app//com.acme.Cart.submit(Cart.java:12) ~[classes!/:1.4.2]',
      { module: 'com.acme.Cart', function: 'submit', line: 12, inApp: true },
    ],
    ['at com.acme.Cart.submit (Cart.java:12)', { module: 'com.acme.Cart', function: 'submit', line: 12 }],
    ['at com.acme.Cart.submit (Unknown Source:2)', { module: 'com.acme.Cart', function: 'submit', file: null }],
    ['at com.acme.Cart$1.run(Cart.java:12)', { module: 'com.acme.Cart', function: 'run' }],
    ['at shop.CartKt$load$2.invokeSuspend(Cart.kt:12)', { module: 'shop.CartKt', function: 'load' }],
    ['at shop.CartKt.find$default(Cart.kt:9)', { function: 'find' }],
    ['at shop.Price.of-7apg3OU(Price.kt:3)', { function: 'of' }],
    ['at shop.CartTest.adds two items(CartTest.kt:12)', { module: 'shop.CartTest', function: 'adds two items' }],
    ['at com.acme.Cart.lambda$submit$3(Cart.java:12)', { function: 'submit' }],
    [
      'at com.acme.Cart$$EnhancerBySomething$$3f2a9c1b.submit(<generated>)',
      { module: 'com.acme.Cart$$<generated>', file: null },
    ],
    ['at jdk.proxy2.$Proxy42.submit(Unknown Source)', { inApp: false, file: null }],
    ['at com.android.internal.os.ZygoteInit.main(ZygoteInit.java:1104)', { inApp: false }],
    ['at com.acme.Cart.open(Native Method)', { function: 'open', file: null, line: null }],
  ])('are parsed from %s', (line, frame) => {
    expect(framesOf(`E: x\n\t${line}`)).toMatchObject([frame]);
  });

  it('are neither coroutine markers nor minified names', () => {
    const stack = `E: x
	at shop.Cart.load(Cart.kt:1)
	at _COROUTINE._BOUNDARY._(CoroutineDebugging.kt:46)
	at (Coroutine boundary)
	at a.b.c.d(Unknown Source:12)
	at shop.Cart.main(Cart.kt:3)`;
    expect(framesOf(stack).map((frame) => frame.function)).toEqual(['load', 'main']);
  });
});

describe('calls of the Java machine in other forms', () => {
  it.each(JVM_FORMS.flatMap((row) => row.examples.map((example) => [...example, row] as const)))(
    '%s is %s',
    (line, read, { pattern, replacement }) => {
      expect(line.replace(pattern, replacement)).toBe(read);
    },
  );

  it('are read from the consoles of Clojure', () => {
    const console = `Execution error (NullPointerException) at shop.cart/total (cart.clj:12).
    shop.cart$total.invokeStatic (cart.clj:12)
    shop.cart$total.invoke (cart.clj:10)
    shop.main$_main.doInvoke (main.clj:3)
    clojure.lang.RestFn.applyTo (RestFn.java:142)`;
    const sourceFirst = `java.lang.NullPointerException: null
                       Reflector.java:301 clojure.lang.Reflector.invokeNoArgInstanceMember
                           cart.clj:12 shop.cart/total
                           main.clj:3 shop.main/-main`;
    for (const stack of [console, sourceFirst])
      expect(framesOf(stack).find(({ inApp }) => inApp)).toMatchObject({ module: 'shop.cart', function: 'total' });
  });
});

describe('chains of the Java machine', () => {
  it('begin with the root, without suppressed exceptions', () => {
    expect(outlineOf(load(7))).toEqual(['jvm', 'java.lang.NumberFormatException', 'For input string: "x5"']);
    expect(appFunctions(load(7))).toEqual(['parse', 'load', 'accept', 'main']);
  });

  it('begin with the root also without a colon, and in a stack that begins with a cause', () => {
    const root = 'java.lang.IllegalStateException: closed\n\tat com.acme.Lines.read(Lines.java:7)';
    for (const stack of [`Fatal Exception: a.B: c\n\tat a.B.d(B.java:3)\nCaused by ${root}`, `Caused by: ${root}`])
      expect(outlineOf(stack)).toEqual(['jvm', 'java.lang.IllegalStateException', 'closed']);
    expect(outlineOf('a.B: c\ncaused by the cat\n\tat a.B.d(B.java:3)')[1]).toBeNull();
  });

  it('end before a circular reference', () => {
    const stack = `java.lang.Exception: outer
	at com.example.shop.Main.main(Main.java:16)
Caused by: java.lang.Exception: inner
	at com.example.shop.Main.load(Main.java:12)
	... 1 more
Caused by: [CIRCULAR REFERENCE: java.lang.Exception: outer]`;
    expect(outlineOf(stack)).toEqual(['jvm', 'java.lang.Exception', 'inner']);
  });

  const SUPPRESSED = `java.lang.IllegalStateException: main
\tat shop.Cart.work(Cart.java:3)
\tSuppressed: java.io.IOException: close
\t\tat shop.Store.close(Store.java:3)
\t\tSuppressed: java.lang.Error: deep
\t\t\tat shop.Deep.close(Deep.java:3)
\t\tCaused by: java.lang.Error: deeper
\t\t\tat shop.Deeper.close(Deeper.java:3)
\tCaused by: java.sql.SQLException: cause of the suppressed one
\t\tat shop.Sql.run(Sql.java:1)
\tSuppressed: kotlinx.coroutines.internal.DiagnosticCoroutineContextException: [Dispatchers.Default]`;
  const CAUSE = 'Caused by: shop.RootException: r\n\tat shop.Root.run(Root.java:1)\n\t... 1 more';

  it.each(['', '  ', '\t'])('have no suppressed exception in them, indented by %j', (indent) => {
    const indented = (stack: string) => stack.replace(/^/gm, indent);
    expect(appFunctions(indented(SUPPRESSED))).toEqual(['work']);
    expect(outlineOf(indented(SUPPRESSED))).toEqual(['jvm', null, null]);
    expect(outlineOf(indented(`${SUPPRESSED}\n${CAUSE}`))).toEqual(['jvm', 'shop.RootException', 'r']);
    expect(appFunctions(indented(`${SUPPRESSED}\n${CAUSE}`))).toEqual(['run', 'work']);
  });

  it.each([
    '07-12 10:00:00.123  1234  1256 E AndroidRuntime: ',
    '2026-07-12 10:00:00.123  1000  1234  1256 E AndroidRuntime: ',
    '07-12 10:00:00.123 E/AndroidRuntime( 1234): ',
    '07-12 10:00:00.123: E/AndroidRuntime(342): ',
    '2026-07-12 10:00:00.123 1234-1256/shop E/AndroidRuntime: ',
    'E/AndroidRuntime( 1234): ',
    'E AndroidRuntime: ',
    '2026-07-12 10:00:00.123  1234-1256  AndroidRuntime          com.example.shop             E  ',
    '07-03 16:21:22.405  29775-29775/? E/AndroidRuntime\uFE55 ',
  ])('are read from the log of Android: %s', (prefix) => {
    const trace = ['FATAL EXCEPTION: main', 'Process: shop, PID: 1234', ...load(7).split('\n')];
    const other = `${prefix.replace('AndroidRuntime', 'Other')}\tat shop.Other.run(Other.java:1)`;
    const lines = trace.map((line) => `${prefix}${line}`);
    const log = [...lines.slice(0, 4), other, ...lines.slice(4)].join('\n');
    expect(outlineOf(log)).toEqual(outlineOf(load(7)));
    expect(framesOf(log)).toEqual(framesOf(load(7)));
  });

  it('are one failure however the root is wrapped, and in both orders', () => {
    const rootFirst = `java.lang.NumberFormatException: For input string: "y7"
	at java.lang.Integer.parseInt(Integer.java:668)
	at com.example.shop.Shop.parse(Shop.java:8)
	... 1 common frames omitted
Wrapped by: com.example.shop.OrderException: order y7
	at com.example.shop.Shop.twice(Shop.java:13)`;
    const value = fingerprintOf(load(7), 'java.lang.IllegalStateException', 'order x5 is unreadable');
    expect(outlineOf(rootFirst)).toEqual(['jvm', 'java.lang.NumberFormatException', 'For input string: "y7"']);
    expect(fingerprintOf(rootFirst, 'com.example.shop.OrderException', 'order y7')).toBe(value);
    expect(fingerprintOf(load(7).replaceAll('Shop.parse', 'Shop.scan'), 'java.lang.IllegalStateException')).not.toBe(
      value,
    );
  });
});

describeText('the Java machine', jvmParser, load(7), (line, address) => load(line, `v${line}`, address));
