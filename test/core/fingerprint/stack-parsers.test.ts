import type { StackFrame } from '../../../core/fingerprint/stack/frames.js';
import { MAX_LINES } from '../../../core/fingerprint/stack/parsers/stack-parser.js';
import { detectParser } from '../../../core/fingerprint/stack/parsers/stack-parsers.js';
import { framesOf } from './stack-parsers/read-text.js';

function frameOf(line: string): Partial<StackFrame> | undefined {
  return framesOf(`Error: x\n    ${line}`)[0];
}

describe('frames of V8', () => {
  it.each([
    [
      'at submit (/srv/shop/src/cart/submit.js:10:5)',
      { function: 'submit', file: '/srv/shop/src/cart/submit.js', line: 10, column: 5, inApp: true },
    ],
    [
      'at /srv/shop/src/cart/submit.js:10:5',
      { function: null, file: '/srv/shop/src/cart/submit.js', line: 10, inApp: true },
    ],
    ['at async Cart.submit (file:///srv/shop/cart.js:1:2)', { function: 'Cart.submit', file: '/srv/shop/cart.js' }],
    ['at new Cart (/srv/shop/cart.js:1:2)', { function: 'Cart' }],
    ['at Object.submit [as onClick] (/srv/shop/cart.js:1:2)', { function: 'submit' }],
    ['at Object.<anonymous> (/srv/shop/cart.js:1:2)', { function: null, file: '/srv/shop/cart.js' }],
    ['at Module._compile (node:internal/modules/cjs/loader:1521:14)', { function: '_compile', inApp: false }],
    ['at Array.map (<anonymous>)', { function: 'Array.map', file: null, inApp: false }],
    [
      'at eval (eval at price (/srv/shop/cart.js:13:32), <anonymous>:1:43)',
      { function: null, file: '/srv/shop/cart.js', line: 13 },
    ],
    ['at mix (wasm://wasm/3f2a9c1b:wasm-function[12]:0x3f)', { function: 'mix', file: '<wasm>', inApp: true }],
    [
      'at Layer.handle (/srv/shop/node_modules/.pnpm/web@4.1.0/node_modules/web/lib/layer.js:95:5)',
      { function: 'Layer.handle', file: 'web/lib/layer.js', inApp: false },
    ],
    [
      'at t (https://cdn.example.com/js/main.3f2a9c1b.js?v=2:1:200)',
      { function: null, file: 'js/main.<hash>.js', inApp: true },
    ],
    ['at open (C:\\shop\\src\\cart.js:3:1)', { function: 'open', file: 'C:/shop/src/cart.js', line: 3 }],
  ] as const)('reads %s', (line, frame) => {
    expect(frameOf(line)).toMatchObject(frame);
  });

  it('are not parsed from prose', () => {
    expect(framesOf('Error: we met\n   at the disco\n   at least twice (or more often)')).toEqual([]);
  });

  it('begin with the cause of an inspected error', () => {
    const stack =
      'Error: outer\n    at save (/srv/a.js:1:1) {\n  [cause]: TypeError: inner\n      at price (/srv/b.js:2:2)\n}';
    expect(framesOf(stack).map((frame) => frame.function)).toEqual(['price', 'save']);
    expect(detectParser(stack)?.parse(stack).rootCause).toBe('TypeError');
  });
});

describe('frames of Java', () => {
  it.each([
    [
      'at com.acme.Cart.submit(Cart.java:12)',
      { module: 'com.acme.Cart', function: 'submit', file: 'Cart.java', line: 12, inApp: true },
    ],
    ['at com.acme.Cart.<init>(Cart.java:12)', { module: 'com.acme.Cart', function: '<init>' }],
    ['at java.base/java.util.ArrayList.forEach(ArrayList.java:1511)', { module: 'java.util.ArrayList', inApp: false }],
    ['at app//com.acme.Cart.submit(Cart.java:12)', { module: 'com.acme.Cart', function: 'submit' }],
    [
      'at sun.reflect.GeneratedMethodAccessor12.invoke(Unknown Source)',
      { module: 'sun.reflect.GeneratedMethodAccessor', file: null, inApp: false },
    ],
    [
      'at com.acme.Cart$$Lambda$14/0x0000000800c03000.accept(Unknown Source)',
      { module: 'com.acme.Cart$$Lambda', function: 'accept' },
    ],
    [
      'at java.base/java.util.List.of(List.java:12, [shop.jar:1.4])',
      { module: 'java.util.List', function: 'of', file: null, inApp: false },
    ],
    ['at com.acme.Cart$$Lambda$14.submit(a, b)', { module: 'com.acme.Cart$$Lambda', function: 'submit', inApp: true }],
  ] as const)('reads %s', (line, frame) => {
    expect(frameOf(line)).toMatchObject(frame);
  });

  it('begin with the root of a chain, without suppressed exceptions', () => {
    const stack = `A: x
\tat com.acme.Outer.run(Outer.java:1)
\tSuppressed: B: y
\t\tat com.acme.Closing.close(Closing.java:1)
\t\tCaused by: C: z
\t\t\tat com.acme.Socket.flush(Socket.java:1)
Caused by: com.acme.Middle: m
\tat com.acme.Middle.run(Middle.java:1)
\t... 12 more
Caused by: com.acme.Root: r
\tat com.acme.Root.run(Root.java:1)
\t... 14 more`;
    expect(framesOf(stack).map((frame) => frame.module)).toEqual([
      'com.acme.Root',
      'com.acme.Middle',
      'com.acme.Outer',
    ]);
    expect(detectParser(stack)?.parse(stack).rootCause).toBe('com.acme.Root');
  });
});

describe('any stack', () => {
  it('has no parser if no line is evidence of a family', () => {
    expect(detectParser('Error: x\nfoo\nbar')).toBeNull();
    expect(detectParser('')).toBeNull();
  });

  it('is parsed only as far as the caller iterates', () => {
    const stack = `Error: x\n${'    at f (/srv/a.js:1:1)\n'.repeat(20)}`;
    let count = 0;
    detectParser(stack)
      ?.parse(stack)
      .walk(() => ++count < 3);
    expect(count).toBe(3);
  });

  it.each([1_000, 2_000, 100_000])('parses the same number of frames with %i lines', (lines) => {
    const frames = framesOf(`Error: x\n${'    at f (node:a:1:1)\n'.repeat(lines)}`);
    expect(frames).toHaveLength(MAX_LINES - 1);
  });
});
