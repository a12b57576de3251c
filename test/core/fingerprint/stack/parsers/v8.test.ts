import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { v8Parser } from '../../../../../core/fingerprint/stack/parsers/javascript.js';
import { serverPayload } from '../../../../helpers/payloads.js';
import { computeFingerprint } from '../../compute-fingerprint.js';
import { expectFramesOfLines, framesBy } from '../../stack-parsers/read-text.js';

const framesOf = (stack: string) => framesBy(v8Parser, stack);

const namesOf = (stack: string) => framesOf(stack).map((frame) => frame.function);

function fingerprintOf(stack: string): string {
  return computeFingerprint(serverPayload({ error_name: 'TypeError', message: 'it failed', stack })).value;
}

const GROUP = (first: string, second: string) => `[AggregateError: All promises were rejected] {
  [errors]: [
    ${first}
        at process.processTicksAndRejections (node:internal/process/task_queues:95:5),
    ${second}
        at async Promise.any (index 1) {
      code: 'E_LATE'
    }
  ]
}`;

describe('frames of V8', () => {
  it.each([
    ['at #secret (/srv/shop/src/cart.js:5:21)', { function: '#secret', inApp: true }],
    ['at get total [as total] (/srv/shop/src/cart.js:8:23)', { function: 'total' }],
    ['at total (VM372 plugin:cart:3:14)', { function: 'total', file: 'plugin:cart', line: 3, inApp: true }],
    ['at VM12:1:7', { file: null, inApp: false }],
    ['at async Promise.all (index 0)', { function: 'Promise.all', file: null, inApp: false }],
    ['at async file:///srv/shop/main.js:3:1', { function: null, file: '/srv/shop/main.js', line: 3 }],
    [
      'at eval (eval at <anonymous> (eval at <anonymous> (/srv/shop/rules.js:21:9)), <anonymous>:1:6)',
      { function: null, file: '/srv/shop/rules.js', line: 21 },
    ],
    ['at wasm://wasm/dad4e286:wasm-function[12]:0x21', { function: null, file: '<wasm>', inApp: false }],
    [
      'at shop::cart::total::h0123456789abcdef (wasm://wasm/shop-dad4e286:wasm-function[12]:0x21)',
      { function: 'shop::cart::total', file: '<wasm>' },
    ],
    ['at t.submitOrder (https://a.example/main.js:1:200)', { function: 'submitOrder' }],
    ['at a.b.c (https://a.example/main.js:1:200)', { function: null }],
    ['at new t (https://a.example/main.js:1:200)', { function: null, file: 'main.js' }],
    ['at _0x3f2a1b (https://a.example/main.js:1:200)', { function: null }],
    ['at Object.12345 (https://a.example/main.js:1:200)', { function: null }],
    ['at ./src/cart.ts (webpack://shop/./src/cart.ts?a1b2:4:1)', { file: 'src/cart.ts', line: 4 }],
    ['at Page (webpack-internal:///(rsc)/./src/page.tsx:4:1)', { function: 'Page', file: 'src/page.tsx' }],
    ['at total (C:\\Program Files (x86)\\shop\\src\\cart.js:3:1)', { function: 'total', line: 3 }],
    ['at ext:deno_fetch/26_fetch.js:12:3', { function: null, inApp: false }],
    ['at processTicksAndRejections (native:7:39)', { inApp: false, file: null }],
    ['at <anonymous> (/app/cart.ts:3:7)', { function: null, file: '/app/cart.ts' }],
    ['at Cart.prototype.total (/app/cart.ts:3:7)', { function: 'Cart.total' }],
    ['at checkout/submit.ts:18', { function: null, file: 'checkout/submit.ts', line: 18, column: null }],
    ['at Invoice.get total [as total] (/app/cart.ts:3:7)', { function: 'Invoice.total' }],
    ['at Array.showBasket (/app/cart.ts:3:7)', { function: 'showBasket' }],
    ['at Array.forEach (<anonymous>)', { function: 'Array.forEach', inApp: false }],
    ['at Timeout._onTimeout (/app/cart.ts:3:7)', { function: null, file: '/app/cart.ts' }],
    ['at <parse> (:0)', { file: null, inApp: false }],
    ['at checkout', { function: 'checkout', file: null, inApp: true }],
  ] as const)('reads %s', (line, frame) => {
    expect(framesOf(`Error: x\n    ${line}`)[0]).toMatchObject(frame);
  });

  it('does not parse prose as a frame', () => {
    expect(framesOf('Error: we met\n   at the disco\n   at least twice (or more often)')).toEqual([]);
  });

  it('skips properties after the frames', () => {
    const stack = `Error: x\n    at total (/app/cart.js:1:2) {\n  code: 'X',\n  info: { at: 1 }\n}`;
    expect(namesOf(stack)).toEqual(['total']);
  });

  it('returns the root of a chain of causes first, with type and message', () => {
    const stack = `Error: outer
    at order (/app/order.js:1:2) {
  [cause]: RangeError: price is below zero
      at price (/app/price.js:1:2) {
    code: 'X',
    [cause]: TypeError: no rate
        at rate (/app/rate.js:1:2)
  }
}`;
    expect(v8Parser.parse(stack)).toMatchObject({ rootCause: 'TypeError', rootMessage: 'no rate' });
    expect(namesOf(stack)).toEqual(['rate', 'price', 'order']);
  });

  it('parses causes as loggers write them', () => {
    const stack = `Error: outer\n    at order (/app/order.js:1:2)\nCaused by: TypeError: no rate\n    at rate (/app/rate.js:1:2)`;
    expect(v8Parser.parse(stack).rootCause).toBe('TypeError');
    expect(namesOf(stack)).toEqual(['rate', 'order']);
  });

  it('parses a cause without frames, which is in brackets', () => {
    const stack = `Error: outer\n    at order (/app/order.js:1:2) {\n  [cause]: [RangeError: no item [3]]\n}`;
    expect(v8Parser.parse(stack)).toMatchObject({ rootCause: 'RangeError', rootMessage: 'no item [3]' });
    expect(namesOf(stack)).toEqual(['order']);
  });

  it('names a cause by its name if a build or an assignment made its class another', () => {
    const stack = `Error: outer
    at order (/app/order.js:1:2) {
  cause: kP [StockError]: none left
      at price (/app/price.js:1:2) {
    [cause]: Error [ERR_STOCK]: no rate
        at rate (/app/rate.js:1:2)
  }
}`;
    expect(v8Parser.parse(stack)).toMatchObject({ rootCause: 'Error', rootMessage: 'no rate' });
    expect(v8Parser.parse(stack.replace('[cause]: Error [ERR_STOCK]', 'note')).rootCause).toBe('StockError');
    expect(namesOf(stack)).toEqual(['rate', 'price', 'order']);
  });

  it('does not take a property called cause for an error', () => {
    const stack = "Error: outer\n    at order (/app/order.js:1:2) {\n  cause: 'no Error',\n  code: 1\n}";
    expect(v8Parser.parse(stack).rootCause).toBeNull();
  });

  it('ignores a cause that is not an error', () => {
    const stack = `Error: outer\n    at order (/app/order.js:1:2) {\n  [cause]: undefined\n}`;
    expect(v8Parser.parse(stack).rootCause).toBeNull();
    expect(namesOf(stack)).toEqual(['order']);
  });

  it('of a group of different failures are those of the group, whose title does not depend on the order of failing', () => {
    const price = 'RangeError: below zero\n        at price (/app/price.js:1:2)';
    const rate = 'TypeError: no rate\n        at rate (/app/rate.js:1:2)';
    expect(v8Parser.parse(GROUP(rate, price)).rootCause).toBeNull();
    expect(v8Parser.parse(GROUP(price, price)).rootCause).toBe('RangeError');
    expect(fingerprintOf(GROUP(rate, price))).toBe(fingerprintOf(GROUP(price, rate)));
  });

  it('compare members of one type by their location', () => {
    const one = 'Error: x\n        at alpha (/app/a.js:1:2)';
    const other = 'Error: x\n        at beta (/app/b.js:1:2)';
    expect(namesOf(GROUP(other, one))[0]).toBe('alpha');
    expect(namesOf(GROUP(one, other))[0]).toBe('alpha');
  });

  it('bounds the number of exceptions and keeps the last', () => {
    const causes = Array.from(
      { length: 1_000 },
      (_, depth) => `Caused by: E${depth}: x\n    at f${depth}0 (/app/x.js:1:2)`,
    );
    const stack = `Error: x\n    at top (/app/x.js:1:2)\n${causes.join('\n')}`;
    expect(v8Parser.parse(stack).rootCause).toBe('E999');
    expect(namesOf(stack).length).toBeLessThan(200);
  });

  it('never throws, and returns at most as many frames as lines', () => {
    expectFramesOfLines(v8Parser, [
      '[cause]: ',
      '[errors]: [',
      'Caused by: ',
      'Error: x',
      ']',
      '}',
      '\n',
      '  ',
      '    ',
      'at f (/a.js:1:2)',
      'eval at ',
      '(',
      ')',
      ',',
      ' {',
      '<anonymous>',
      'wasm-function[',
    ]);
  });

  it('ignores lines and columns in the fingerprint', () => {
    fc.assert(
      fc.property(fc.nat(99_999), fc.nat(999), (line, column) => {
        const at = (l: number, c: number) => `TypeError: it failed\n    at total (/app/cart.js:${l}:${c})`;
        expect(fingerprintOf(at(line, column))).toBe(fingerprintOf(at(1, 1)));
      }),
    );
  });
});

describe('stacks of the running Node', () => {
  const folder = mkdtempSync(join(tmpdir(), 'v8-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  function run(body: string): string {
    mkdirSync(join(folder, 'src'), { recursive: true });
    const file = join(folder, 'src', 'cart.mjs');
    writeFileSync(
      file,
      `import { inspect } from 'node:util';
       class Cart { #secret() { throw new RangeError('x') } open() { this.#secret() } static async load() { await null; throw new TypeError('late') } }
       try { ${body} } catch (error) { console.log(inspect(error)) }`,
    );
    return execFileSync(process.execPath, [file], { encoding: 'utf8' });
  }

  it.each([
    ['new Cart().open()', '#secret'],
    ['await Cart.load()', 'Cart.load'],
    ['await Promise.all([Cart.load()])', 'Cart.load'],
    [`await Promise.any([Cart.load(), (async () => { await null; new Cart().open() })()])`, '#secret'],
    [`try { new Cart().open() } catch (cause) { throw new Error('outer', { cause }) }`, '#secret'],
    [`eval('(function inner() { null.x })()')`, 'inner'],
  ])('%s', (body, name) => {
    expect(framesOf(run(body)).find((frame) => frame.inApp)?.function).toBe(name);
  });
});
