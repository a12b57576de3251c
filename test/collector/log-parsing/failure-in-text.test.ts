import { failureInText, withLoggedFailure } from '../../../collector/log-parsing/failure-in-text.js';

/** Messages, with the name, the message and the first line of the stack that they hold. */
const MESSAGES: readonly (readonly [text: string, name: string, message: string, first: string])[] = [
  [
    'Traceback (most recent call last):\n  File "/app/shop/cart.py", line 10, in total\n    return x["price"]\nKeyError: \'price\'\n',
    'KeyError',
    "'price'",
    'Traceback (most recent call last):',
  ],
  [
    '2026-01-12 10:00:01,123 ERROR job 71 failed\nTraceback (most recent call last):\n  File "/app/job.py", line 3, in run\n    f()\nZeroDivisionError: division by zero',
    'ZeroDivisionError',
    'division by zero',
    'Traceback (most recent call last):',
  ],
  [
    'Request failed\njava.lang.IllegalStateException: cart is empty\n\tat shop.Cart.total(Cart.java:10)\n\tat shop.Main.main(Main.java:3)',
    'java.lang.IllegalStateException',
    'cart is empty',
    'java.lang.IllegalStateException: cart is empty',
  ],
  [
    'checkout failed: TypeError: cart.total is not a function\n    at checkout (/srv/cart.js:10:5)\n    at main (/srv/main.js:1:1)',
    'TypeError',
    'cart.total is not a function',
    'TypeError: cart.total is not a function',
  ],
  [
    'TypeError: cart is undefined\ntotal@https://shop.example.com/app.js:10:5\nmain@https://shop.example.com/app.js:1:1',
    'TypeError',
    'cart is undefined',
    'TypeError: cart is undefined',
  ],
  [
    "NoMethodError: undefined method `price' for nil\n  app/models/cart.rb:10:in `total'\n  app/controllers/carts_controller.rb:5:in `show'",
    'NoMethodError',
    "undefined method `price' for nil",
    "NoMethodError: undefined method `price' for nil",
  ],
  [
    'panic: runtime error: index out of range [3] with length 2\n\ngoroutine 1 [running]:\nmain.total(...)\n\t/srv/cart.go:10 +0x1d\nmain.main()\n\t/srv/main.go:3 +0x20\n',
    'panic',
    'runtime error: index out of range [3] with length 2',
    'panic: runtime error: index out of range [3] with length 2',
  ],
  [
    'Unhandled exception:\nFormatException: no price\n#0      total (package:shop/cart.dart:8:3)\n#1      main (package:shop/main.dart:3:5)',
    'FormatException',
    'no price',
    'FormatException: no price',
  ],
  [
    '[ERROR:flutter/runtime/dart_vm_initializer.cc(41)] Unhandled Exception: StateError: no cart\n#0      total (package:shop/cart.dart:8:3)',
    'StateError',
    'no cart',
    'StateError: no cart',
  ],
  [
    "thread 'main' panicked at src/cart.rs:10:5:\nno total\nstack backtrace:\n   0: rust_begin_unwind\n   1: shop::total\n             at ./src/cart.rs:10:5\n",
    'panic',
    'no total',
    "thread 'main' panicked at src/cart.rs:10:5:",
  ],
  [
    'System.InvalidOperationException: no total\n   at Shop.Cart.Total() in C:\\src\\Cart.cs:line 10\n   at Shop.Program.Main()',
    'System.InvalidOperationException',
    'no total',
    'System.InvalidOperationException: no total',
  ],
  [
    'PHP Fatal error:  Uncaught RuntimeException: no total in /srv/Cart.php:10\nStack trace:\n#0 /srv/main.php(3): Cart->total()\n#1 {main}\n  thrown in /srv/Cart.php on line 10',
    'RuntimeException',
    'no total',
    'PHP Fatal error:  Uncaught RuntimeException: no total in /srv/Cart.php:10',
  ],
  [
    '** (KeyError) key :price not found in: %{}\n    (shop 0.1.0) lib/shop/cart.ex:10: Shop.Cart.total/1\n    (shop 0.1.0) lib/shop.ex:3: Shop.main/0',
    'KeyError',
    'key :price not found in: %{}',
    '** (KeyError) key :price not found in: %{}',
  ],
  [
    'Uncaught Exception in the main process\nTypeError: no total\nat total (/srv/cart.js:10:5)\nat Cart.show (/srv/cart.js:3:1)',
    'TypeError',
    'no total',
    'Uncaught Exception in the main process',
  ],
  [
    'cart.js:12 ERROR TypeError: no total\n    at total (cart.js:10)\n    at show (cart.js:3)',
    'TypeError',
    'no total',
    'cart.js:12 ERROR TypeError: no total',
  ],
  [
    'Internal Server Error: /carts\n\nFile "/srv/kit/base.py" in call\n  149. call(request)\n\nFile "/srv/shop/cart.py", line 3, in show\n  12. x["a"]\n\nException Value: KeyError: a',
    'KeyError',
    'a',
    'Internal Server Error: /carts',
  ],
  [
    'PHP Fatal error: Uncaught TypeError: no total Stack trace: #0 /srv/shop/Cart.php(8): total() #1 /srv/shop/Cart.php(9): Cart->show() #2 {main}',
    'TypeError',
    'no total',
    'PHP Fatal error: Uncaught TypeError: no total Stack trace: #0 /srv/shop/Cart.php(8): total() #1 /srv/shop/Cart.php(9): Cart->show() #2 {main}',
  ],
  ...['> ', 'E 2024-06-09T07:05:57.83Z '].map(
    (prefix) =>
      [
        `${prefix}ShopError: no total\n${prefix}    at total (/srv/cart.js:3:1)\n${prefix}Caused by: TypeError: no cart`,
        'ShopError',
        'no total',
        'ShopError: no total',
      ] as const,
  ),
];

describe('a message that holds a stack trace', () => {
  it.each(MESSAGES)('gives name, message and stack: %j', (text, errorName, message, first) => {
    const found = failureInText(text);
    expect(found).toMatchObject({ error_name: errorName, message });
    expect(found?.stack?.split('\n')[0]).toBe(first);
  });

  it.each([
    'build failed',
    'Deploy finished\nError: none\nat the station\nall good',
    'KeyError: price\nlook at the cart\nand at the till',
    'Error: bad input\n\nusage: shop [options]',
  ])('is not %j', (text) => {
    expect(failureInText(text)).toBeUndefined();
  });

  it('is searched up to a number of lines', () => {
    const [text = ''] = MESSAGES[0] ?? [];
    expect(failureInText(`${'\n'.repeat(1_000)}${text}`)).toMatchObject({ error_name: 'KeyError' });
    expect(failureInText(`${'\n'.repeat(5_000)}${text}`)).toBeUndefined();
  });

  it('gives the fields that the sender left open, and never others', () => {
    const [text = ''] = MESSAGES[0] ?? [];
    const open = { error_name: 'Error', message: text, stack: null };
    expect(withLoggedFailure(open)).toMatchObject({ error_name: 'KeyError', message: "'price'" });
    for (const fields of [
      { ...open, error_name: 'JobFailure' },
      { ...open, stack: 'at total (cart.js:1:1)' },
    ]) {
      expect(withLoggedFailure(fields)).toBe(fields);
    }
  });
});

describe('an error that is written as JSON', () => {
  const stack = 'PayError: card refused\n    at charge (/app/pay.js:9:11)';
  const error = { message: 'card refused', name: 'PayError', stack };
  const fields = { error_name: 'PayError', message: 'card refused', stack };

  it.each([
    ['alone', JSON.stringify(error)],
    ['with other members', JSON.stringify({ code: 'E7', ...error, order: { id: 7 } })],
    ['between words', `Order 7 failed: ${JSON.stringify(error)} {"tries":2}`],
    ['in another object', JSON.stringify({ order: 7, error })],
    ['with spaces', JSON.stringify(error, null, 2)],
    ['as pino writes it', JSON.stringify({ err: { type: 'PayError', message: 'card refused', stack } })],
    ['without a name', JSON.stringify({ message: 'card refused', stack })],
    ['with only a stack', JSON.stringify({ stack })],
  ])('is read %s', (_, text) => {
    expect(failureInText(text)).toEqual(fields);
  });

  it('is read without a stack if its name ends like one of an error', () => {
    expect(failureInText('{"name":"PayError","message":"card refused"}')).toEqual({ ...fields, stack: null });
  });

  it.each([
    '{"name":"shop","message":"open"}',
    '{"stack":"production","name":"shop"}',
    '{"name":"PayError","stack":',
    'no "stack" here',
  ])('is not read from %s', (text) => {
    expect(failureInText(text)).toBeUndefined();
  });

  it('is read from a logged value', () => {
    const logged = { error_name: '', message: 'failed [object Object]', stack: null };
    expect(withLoggedFailure(logged, ['failed', 7, null, error])).toEqual(fields);
    expect(withLoggedFailure(logged, ['failed', [error]])).toBe(logged);
  });

  it('is searched in hostile texts without delay', () => {
    const hostile = ['{"stack":', '{"name":{"a":', '"stack"{"', '{"stack":"\\'].map((one) => one.repeat(100_000));
    for (const text of hostile) expect(failureInText(text)).toBeUndefined();
  });
});
