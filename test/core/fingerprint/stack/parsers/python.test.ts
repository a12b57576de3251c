import { pythonParser } from '../../../../../core/fingerprint/stack/parsers/python.js';
import { serverPayload } from '../../../../helpers/payloads.js';
import { computeFingerprint } from '../../compute-fingerprint.js';
import { appFunctions, describeText, fingerprintOf, framesOf, outlineOf } from '../../stack-parsers/read-text.js';

const plain = (item: string, line = 3): string => `Traceback (most recent call last):
  File "/srv/shop/shop.py", line ${line + 22}, in <module>
    total([{"a": arg}])
  File "/srv/shop/shop.py", line ${line + 1}, in total
    def total(cart): return sum(x for x in price(cart))
                                           ^^^^^^^^^^^
  File "/srv/shop/shop.py", line ${line}, in <listcomp>
    def price(cart): return [item["${item}"] for item in cart]
                             ~~~~^^^^^^^^^
  File "/srv/shop/shop.py", line ${line}, in price
    def price(cart): return [item["${item}"] for item in cart]
                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
KeyError: '${item}'`;

const wrap = (inner: string, link: string, name: string): string => `${inner}

${link}

Traceback (most recent call last):
  File "/srv/shop/shop.py", line 25, in <module>
    wrapped()
  File "/srv/shop/shop.py", line 7, in ${name}
    except KeyError as e: raise ConfigError("cart 1") from e
ConfigError: cart 1`;

const CAUSE = 'The above exception was the direct cause of the following exception:';
const CONTEXT = 'During handling of the above exception, another exception occurred:';

const group = (first: string, second: string): string => `  + Exception Group Traceback (most recent call last):
  |   File "/srv/shop/shop.py", line 17, in many
  |     async with asyncio.TaskGroup() as g:
  |   File "/usr/lib/python3.11/asyncio/taskgroups.py", line 145, in __aexit__
  |     raise me from None
  | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)
  +-+---------------- 1 ----------------
${first}
    +---------------- 2 ----------------
${second}
    +------------------------------------`;

const PRICE = `    | Traceback (most recent call last):
    |   File "/srv/shop/shop.py", line 14, in task
    |     if n % 2: return price([{"x": n}])
    |   File "/srv/shop/shop.py", line 3, in price
    |     def price(cart): return cart["price"]
    | KeyError: 'price'`;
const BAD = `    | Traceback (most recent call last):
    |   File "/srv/shop/shop.py", line 15, in task
    |     raise ValueError("bad %d" % n)
    | ValueError: bad 2`;

describe('dumps of all threads of Python', () => {
  it('begin with the thread that crashed, innermost call first', () => {
    const dump = `Fatal Python error: Segmentation fault

Thread 0x00007f8b6dffb640 (most recent call first):
  File "/srv/shop/worker.py", line 9 in wait

Current thread 0x00007f8b8a3c7740 (most recent call first):
  File "/srv/shop/till.py", line 4 in crash
  File "/srv/shop/till.py", line 5 in <module>`;
    expect(framesOf(dump)).toMatchObject([
      { function: 'crash', line: 4 },
      { function: '<module>', line: 5 },
    ]);
  });
});

describe('frames of Python', () => {
  it('are parsed from the most recent call on, without carets and comprehensions', () => {
    expect(framesOf(plain('price'))).toEqual(
      [
        ['price', 3],
        ['total', 4],
        ['<module>', 25],
      ].map(([name, line]) => ({
        function: name,
        module: null,
        file: '/srv/shop/shop.py',
        line,
        column: null,
        inApp: true,
      })),
    );
  });

  it.each([
    ['  File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode', { inApp: false, function: 'raw_decode' }],
    ['  File "C:\\Python311\\Lib\\asyncio\\runners.py", line 1, in run', { inApp: false }],
    [
      '  File "/app/.venv/lib/python3.12/site-packages/kit/__init__.py", line 1, in run',
      { inApp: false, file: 'kit/__init__.py' },
    ],
    ['  File "<frozen importlib._bootstrap>", line 241, in _call', { inApp: false, file: '<generated>' }],
    ['  File "<string>", line 2, in discount', { inApp: true, file: '<string>' }],
    ['  File "<ipython-input-3-8f3a91c2>", line 2, in <module>', { inApp: false, file: '<ipython-input>' }],
    ['  File "/app/rules.py", line 2, in <lambda>', { inApp: true, function: null }],
    ['Cell In[3], line 1', { inApp: false, file: '<ipython-input>', line: 1 }],
    ['File ~/shop/cart.py:3, in total(people)', { inApp: true, function: 'total', line: 3 }],
  ])('are parsed from %s', (line, frame) => {
    expect(framesOf(`Traceback (most recent call last):\n${line}`)[0]).toMatchObject(frame);
  });

  it('have the location of a syntax error as the innermost one', () => {
    const stack = `Traceback (most recent call last):
  File "/srv/shop/main.py", line 1, in <module>
    import plugin
  File "/srv/shop/plugin.py", line 1
    def f(:
          ^
SyntaxError: invalid syntax`;
    expect(framesOf(stack).map((frame) => frame.file)).toEqual(['/srv/shop/plugin.py', '/srv/shop/main.py']);
    expect(framesOf('  File "/srv/shop/broken.py", line 3\n    if a = 3:\n       ^\nSyntaxError: x')).toHaveLength(1);
  });

  it('are parsed from a page of Django, with the line in the source', () => {
    const page = `KeyError at /carts/7

Traceback:

File "/srv/env/lib/python2.7/site-packages/kit/base.py" in get_response
  149.     response = callback(request)

File "/srv/shop/carts/views.py" in show
  12.     total = cart["total"]

Exception Type: KeyError at /carts/7`;
    expect(framesOf(page)).toMatchObject([
      { function: 'show', file: '/srv/shop/carts/views.py', inApp: true },
      { function: 'get_response', inApp: false },
    ]);
  });

  it.each([
    '/usr/local/bin/shop',
    '/srv/env/bin/shop-worker',
    'C:\\Python311\\Scripts\\shop',
    '<stdin>',
    '<console>',
    '<ipython-input-3-8f3a91c2>',
  ])('decide before what was typed or only starts a command (%s)', (start) => {
    const text = (name: string): string => `Traceback (most recent call last):
  File "${start}", line 8, in <module>
  File "/srv/env/lib/python3.11/site-packages/kit/load.py", line 3, in ${name}
  File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode
ValueError: no value`;
    expect(computeFingerprint(serverPayload({ stack: text('load') })).culprit).toBe('load (kit/load.py)');
    expect(fingerprintOf(text('load'))).not.toBe(fingerprintOf(text('store')));
  });

  it('are not parsed from messages', () => {
    const stack = `${plain('price')}\n  File "/other.py", line 1, in remote\nTraceback (most recent call last):\n  File "/other.py", line 1, in remote\nE: x`;
    expect(appFunctions(stack)).toEqual(['price', 'total', '<module>']);
  });

  it('skip the repetitions of a recursion', () => {
    const stack = `Traceback (most recent call last):
  File "/srv/shop/a.py", line 11, in deep
    return deep(n-1)
  [Previous line repeated 996 more times]
RecursionError: maximum recursion depth exceeded`;
    expect(appFunctions(stack)).toEqual(['deep']);
  });
});

/** The same failure as different programs write it: in `total`, which the main code called. */
const FORMS: readonly [string, string][] = [
  [
    'a notebook',
    `---------------------------------------------------------------------------
KeyError                                  Traceback (most recent call last)
Cell In[3], line 1
----> 1 total([])

File ~/shop/cart.py:12, in total(lines)
     10 def total(lines):
---> 12     return lines['a']

KeyError: 'a'`,
  ],
  [
    'an older notebook',
    `KeyError                                  Traceback (most recent call last)
<ipython-input-3-8f3a91c2> in <module>
----> 1 total([])

~/shop/cart.py in total(lines)
---> 12     return lines['a']

KeyError: 'a'`,
  ],
  [
    'a notebook of a version between',
    `KeyError                                  Traceback (most recent call last)
Input In [3], in <cell line: 1>()
----> 1 total([])

File ~/shop/cart.py:12, in total(lines)
KeyError: 'a'`,
  ],
  [
    'a notebook in colours',
    `\u001b[0;31mKeyError\u001b[0m                  Traceback (most recent call last)
Cell \u001b[0;32mIn[3], line 1\u001b[0m
File \u001b[0;32m~/shop/cart.py:12\u001b[0m, in \u001b[0;36mtotal\u001b[0;34m(lines)\u001b[0m
\u001b[0;31mKeyError\u001b[0m: 'a'`,
  ],
  [
    'a test',
    `    def test_total():
>       assert total([]) == 1

tests/test_cart.py:5: 
_ _ _ _ _ _ _ _ _ _ _

    def total(lines):
>       return lines['a']
E       KeyError: 'a'

shop/cart.py:12: KeyError`,
  ],
  ['a short test', "tests/test_cart.py:5: in test_total\n    total([])\nshop/cart.py:12: in total\nE   KeyError: 'a'"],
  [
    'a box',
    `╭─────────── Traceback (most recent call last) ───────────╮
│ /srv/shop/main.py:3 in <module>                         │
│ ❱ 3 total([])                                           │
│ /srv/shop/cart.py:12 in total                           │
╰─────────────────────────────────────────────────────────╯
KeyError: 'a'`,
  ],
  [
    'a logger that marks where it was caught',
    `Traceback (most recent call last):

> File "/srv/shop/main.py", line 3, in <module>
    total([])
    └ <function total at 0x7f0a>

  File "/srv/shop/cart.py", line 12, in total
    return lines['a']

KeyError: 'a'`,
  ],
  [
    'a compiled file',
    `Traceback (most recent call last):
  File "/srv/shop/main.pyc", line 3, in <module>
  File "/srv/shop/__pycache__/cart.cpython-311.pyc", line 12, in total
KeyError: 'a'`,
  ],
  [
    'compiled code of a package below it',
    `Traceback (most recent call last):
  File "/srv/shop/cart.py", line 12, in total
  File "/srv/lib/python3.12/site-packages/kit/frame.py", line 9, in get
  File "kit/_libs/index.pyx", line 152, in kit._libs.index.Engine.get
  File "kit/_libs/table.pxi", line 7080, in kit._libs.table.get_item
KeyError: 'a'`,
  ],
];

describe('the forms of Python', () => {
  it.each(FORMS)('are one failure: %s', (_, stack) => {
    expect(fingerprintOf(stack, 'KeyError')).toBe(
      fingerprintOf(
        'Traceback (most recent call last):\n  File "/app/cart.py", line 1, in total\nKeyError: 1',
        'KeyError',
      ),
    );
  });

  it('have compiled code of the application', () => {
    const stack =
      'Traceback (most recent call last):\n  File "/app/main.py", line 1, in run\n  File "shop/cart.pyx", line 12, in shop.cart.total\nE';
    expect(appFunctions(stack)).toEqual(['total', 'run']);
  });
});

describe('chains of Python', () => {
  it('end with the failure if another one was only being handled', () => {
    const stack = wrap(plain('price'), CONTEXT, 'other');
    expect(outlineOf(stack)).toEqual(['python', null, null]);
    expect(appFunctions(stack)).toEqual(['other', '<module>']);
  });

  it('begin with their root', () => {
    const stack = wrap(plain('price'), CAUSE, 'wrapped');
    expect(outlineOf(stack)).toEqual(['python', 'KeyError', "'price'"]);
    expect(appFunctions(stack)).toEqual(['price', 'total', '<module>', 'wrapped', '<module>']);
  });

  it('leave out what was only being handled, and a cancellation that became a timeout', () => {
    const handled = wrap(plain('price'), CONTEXT, 'wrapped');
    expect(outlineOf(handled)).toEqual(['python', null, null]);
    expect(appFunctions(handled)).toEqual(['wrapped', '<module>']);
    const cancelled = plain('price').replace("KeyError: 'price'", 'asyncio.exceptions.CancelledError');
    expect(outlineOf(wrap(cancelled, CAUSE, 'wrapped'))).toEqual(['python', null, null]);
  });

  it('are one failure however the root is wrapped, and two if its location differs', () => {
    const once = wrap(plain('price'), CAUSE, 'wrapped');
    const twice = wrap(wrap(plain('price', 40), CAUSE, 'other'), CAUSE, 'third');
    expect(fingerprintOf(once, 'ConfigError', 'cart 1')).toBe(fingerprintOf(twice, 'RuntimeError', 'again'));
    expect(fingerprintOf(once)).not.toBe(
      fingerprintOf(wrap(plain('price').replace(', in price', ', in weight'), CAUSE, 'wrapped')),
    );
  });

  it('include the trace of a worker', () => {
    const stack = `concurrent.futures.process._RemoteTraceback:
"""
${plain('price')}
"""

${CAUSE}

Traceback (most recent call last):
  File "/srv/shop/shop.py", line 23, in inpool
    return p.submit(deep, n).result()
KeyError: 'price'`;
    expect(outlineOf(stack)[1]).toBe('KeyError');
    expect(appFunctions(stack)[0]).toBe('price');
  });
});

describe('exception groups of Python', () => {
  it('stand for themselves if their members differ, in any order of failing', () => {
    const one = group(PRICE, BAD);
    const other = group(BAD.replace('bad 2', 'bad 4'), PRICE);
    expect(outlineOf(one)).toEqual(['python', null, null]);
    expect(appFunctions(one)).toEqual(['many']);
    expect(fingerprintOf(one)).toBe(fingerprintOf(other));
    expect(fingerprintOf(one)).not.toBe(fingerprintOf(group(BAD, BAD)));
  });

  it('are parsed at any depth, also with members that were not raised', () => {
    const stack = `  + Exception Group Traceback (most recent call last):
  |   File "/srv/shop/a.py", line 1, in <module>
  |     raise ExceptionGroup("two tasks failed", [])
  | ExceptionGroup: two tasks failed (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | ValueError: bad a
    +---------------- 2 ----------------
    | ExceptionGroup: inner (2 sub-exceptions)
    +-+---------------- 1 ----------------
      | TypeError: bad b
      +---------------- 2 ----------------
      | FileNotFoundError: [Errno 2] no file
      +------------------------------------`;
    expect(outlineOf(stack)).toEqual(['python', null, null]);
  });
});

describeText('Python', pythonParser, `${group(PRICE, BAD)}\n${wrap(plain('price'), CAUSE, 'wrapped')}`, (line) =>
  wrap(plain('price', line), CAUSE, 'wrapped'),
);
