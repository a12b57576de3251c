import fc from 'fast-check';
import type { JsonObject } from '../../../../core/event/json.js';
import type { Fingerprint } from '../../../../core/fingerprint/fingerprint.js';
import { serverPayload } from '../../../helpers/payloads.js';
import { computeFingerprint } from '../compute-fingerprint.js';
import { sentExtra } from '../sent-frames/sent-stack.js';

const BUNDLE = 'https://shop.example/assets/shop-8f3a91c2.js';
const ERROR = { error_name: 'TypeError', message: 'x is not a function' };

type Call = readonly [name: string, path: string];

/** The fingerprint of a stack as text of V8. */
function ofText(calls: readonly Call[]): Fingerprint {
  const lines = calls.map(([name, path]) => `    at ${name === '' ? `${path}:1:2` : `${name} (${path}:1:2)`}`);
  return computeFingerprint(serverPayload({ ...ERROR, stack: `TypeError: x is not a function\n${lines.join('\n')}` }));
}

/** The same as frames, all of which browser SDKs mark. */
function ofFrames(calls: readonly Call[], platform = 'javascript'): Fingerprint {
  const frames: JsonObject[] = calls
    .map(([name, filename]) => ({ function: name || '?', filename, lineno: 1, colno: 2, in_app: true }))
    .toReversed();
  return computeFingerprint(serverPayload({ ...ERROR, stack: null, extra: sentExtra(platform, frames) }));
}

function valuesOf(names: readonly string[], path = BUNDLE): Set<string> {
  const stacks = names.map((name): Call[] => [
    [name, path],
    ['boot', path],
  ]);
  return new Set(stacks.flatMap((stack) => [ofText(stack).value, ofFrames(stack).value]));
}

describe('names of script functions, in text and in frames', () => {
  it.each([
    [['e.handleSubmit', 'n.handleSubmit', 't.prototype.handleSubmit', 'Qe.handleSubmit', 'U5e.handleSubmit']],
    [['handleSubmit', 'async e.handleSubmit', 'e.f.handleSubmit', '_t.handleSubmit', 'Object.handleSubmit [as x]']],
    [['e.#total', 'n.#total', '#total']],
    [
      [
        'total',
        'Array.total',
        'Promise.total',
        'Uint8Array.total',
        'HTMLButtonElement.total',
        'VueComponent.total',
        'this.total',
        '_this2.total',
      ],
    ],
    [['exports.total', 'module.exports.total', 'e.exports.total', '[object Object].total', 'get total [as total]']],
    [['Cart.total', 'Cart.prototype.total', 'Cart.get total [as total]', 'async Cart.total', 'new Cart.total']],
    [['global code', 'module code', 'eval code', 'Global code', '<anonymous>', 'Object.<anonymous>', '']],
    [
      [
        'e.f.j',
        'n.f.j',
        't',
        'new e',
        'e.<anonymous>',
        'F4e',
        'r.#n',
        'aMe',
        't.<computed> [as next]',
        '$t',
        '_e0',
        't.value',
        'value',
      ],
    ],
    [['<static_initializer>', 'Function.<static_initializer>', 'e.<instance_members_initializer>']],
  ])('are one failure: %j', (names) => {
    expect(valuesOf(names).size).toBe(1);
  });

  it.each([
    [['total', 'subtotal']],
    [['Cart.total', 'Order.total']],
    [['e.total', 'e.totals']],
    [['onClick', 'onChange']],
    [['Cart.<static_initializer>', 'Order.<static_initializer>']],
    [['get', 'set']],
  ])('are two failures: %j', (names) => {
    expect(valuesOf(names).size).toBe(2);
  });

  it('lose their receivers without a file, too', () => {
    expect(valuesOf(['Array.total', 'e.total', 'total'], '').size).toBe(1);
  });

  it('keep a short receiver in a file that no bundler made', () => {
    expect(valuesOf(['db.query', 'io.query'], '/srv/shop/src/cart.js').size).toBe(2);
    expect(valuesOf(['db.query', 'io.query']).size).toBe(1);
  });

  it('do not depend on the letter that a build chose for a class', () => {
    const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$');
    const method = fc.constantFrom('handleSubmit', 'onClick', 'total', 'load_cart');
    fc.assert(
      fc.property(letter, letter, method, (one, other, name) => {
        const names = [
          `${one}.${name}`,
          `${other}.${name}`,
          `${one}.prototype.${name}`,
          `async ${other}.${name}`,
          name,
        ];
        expect(valuesOf(names).size).toBe(1);
      }),
    );
  });

  it.each([
    ['async*total', 'total'],
    ['promise callback*e.total', 'total'],
    ['EventListener.handleEvent*total', 'total'],
    ['setTimeout handler*total/<', 'total'],
    ['8234/</t.total', 'total'],
    ['cart/this.total', 'total'],
    ['[8234]/<', null],
    ['?anon_0_total', 'total'],
  ])('of other engines are read in frames: %s', (name, expected) => {
    const label = expected === null ? 'shop-<hash>.js' : `${expected} (shop-<hash>.js)`;
    expect(ofFrames([[name, BUNDLE]]).culprit).toBe(label);
  });
});

describe('code of engines, runtimes and packages', () => {
  const foreign: readonly Call[] = [
    ['JSON.parse', '<anonymous>'],
    ['removeChild', '[native code]'],
    ['next', 'native'],
    ['map', 'self-hosted'],
    ['async Promise.all', 'index 0'],
    ['processTicksAndRejections', 'node:internal/process/task_queues'],
    ['parse', 'internal/modules/cjs/loader.js'],
    ['Socket.connect', 'net.js'],
    ['Readable.read', '_stream_readable.js'],
    ['Timer.run', 'timers.js'],
    ['scheduleUpdateOnFiber', 'https://shop.example/node_modules/.vite/deps/chunk-3QSF6Q7P.js?v=1a2b3c4d'],
    ['scheduleUpdateOnFiber', 'https://shop.example/.vite/deps/chunk-3QSF6Q7P.js?v=1a2b3c4d'],
    ['update', 'http://localhost:5173/@vite/client'],
    ['render', 'http://localhost:5173/@id/acme'],
    ['render', 'webpack-internal:///(app-pages-browser)/./node_modules/acme/index.js'],
    ['__webpack_require__', 'webpack:///webpack/bootstrap'],
    ['__webpack_require__', BUNDLE],
    ['t.f.j', 'webpack/runtime/jsonp chunk loading'],
    ['listen', 'chrome-extension://abcdef/content.js'],
    ['listen', 'safari-web-extension://abcdef/content.js'],
    ['op', 'ext:core/01_core.js'],
    ['open', 'bun:sqlite'],
    ['asyncGeneratorStep', 'address at InternalBytecode.js'],
    ['run', 'node:electron/js2c/renderer_init'],
    ['emit', '/opt/Shop/resources/electron.asar/browser/api/app.js'],
    ['wasm-function[12]', 'wasm://wasm/8f3a91c2'],
    ['sentryWrapped', BUNDLE],
    ['wrapped', 'webpack:///./@sentry/browser/esm/helpers.js'],
    ['ZoneDelegate.invokeTask', BUNDLE],
    ['run', 'webpack:///core-js/internals/task.js'],
    ['', 'evalmachine.<anonymous>'],
    ['remove', '/opt/Shop/resources/default_app.asar/main.js'],
    ['emit', 'file:///var/runtime/index.mjs'],
    ['options.factory', BUNDLE],
    ['__init', BUNDLE],
    ['t', '/srv/shop/dist/webpack:/webpack/bootstrap 8f3a91c2'],
    ['./node_modules/acme/index.js', 'http://localhost:3000/static/js/bundle.js'],
    ['Hub.captureException', BUNDLE],
    ['load', 'http://localhost:3000/_next/static/chunks/webpack.js'],
    ['load', 'http://localhost:6006/runtime~main.iframe.bundle.js'],
  ];

  it.each(foreign)('never decide while the application has a frame: %s in %s', (name, path) => {
    const stack: Call[] = [
      [name, path],
      ['loadCart', BUNDLE],
    ];
    expect(ofFrames(stack).culprit).toBe('loadCart (shop-<hash>.js)');
    expect(ofText(stack).value).toBe(ofFrames(stack).value);
  });

  it('are not what has such a name in a folder', () => {
    for (const path of ['/srv/shop/timers.js', 'https://shop.example/events.js', './src/zone.js']) {
      const stack: Call[] = [
        ['total', path],
        ['loadCart', BUNDLE],
      ];
      expect([ofText(stack).culprit, ofFrames(stack).culprit]).not.toContain('loadCart (shop-<hash>.js)');
    }
  });

  it('of a package decides before that of the runtime, which all packages call', () => {
    const stackOf = (name: string): Call[] => [
      ['doWrite', '_stream_writable.js'],
      ['Socket.write', 'node:net'],
      ['JSON.parse', '<anonymous>'],
      [`${name}.send`, `/srv/shop/node_modules/${name.toLowerCase()}/lib/wire.js`],
    ];
    const [one, other] = [stackOf('Cast'), stackOf('Post')];
    expect(ofText(one).culprit).toBe('Cast.send (cast/wire.js)');
    expect(ofFrames(one, 'node').value).toBe(ofText(one).value);
    expect(ofText(one).value).not.toBe(ofText(other).value);
  });

  it('decide if the stack has nothing else', () => {
    const stack: Call[] = [['Socket.connect', 'net.js']];
    expect(ofFrames(stack).culprit).toBe('connect (net.js)');
    expect(ofText(stack).value).toBe(ofFrames(stack, 'node').value);
  });
});

describe('an evaluated script', () => {
  it('counts as the file that evaluates it, as SDKs of Node send it too', () => {
    const sent = ofFrames([['total', 'eval at load (https://shop.example/rules.js:1:2), <anonymous>']], 'node');
    const text = ofText([['total', 'eval at load (https://shop.example/rules.js:1:2), <anonymous>']]);
    expect(sent.culprit).toBe('total (rules.js)');
    expect(text.value).toBe(sent.value);
  });
});

describe('places of other forms', () => {
  it.each([
    [
      'webpack-internal:///./node_modules/loader/cjs.js?!./src/parts/Cart.vue?vue&type=script',
      'total (parts/Cart.vue)',
    ],
    ['address at index.android.bundle', 'total (index.android.bundle)'],
    ['app:///main.jsbundle', 'total (main.jsbundle)'],
    ['https://shop.example/cart.js line 12 > eval', 'total (cart.js)'],
  ])('%s', (path, culprit) => {
    expect([ofText([['total', path]]).culprit, ofFrames([['total', path]]).culprit]).toEqual([culprit, culprit]);
  });

  it('are none for elements between the components of React', () => {
    const stack = 'Warning: x\n    at div\n    at ul\n    at Cart (https://shop.example/cart.js:1:2)\n    at Shop';
    expect(computeFingerprint(serverPayload({ ...ERROR, stack })).culprit).toBe('Cart (cart.js)');
  });

  it('may be only a line, which a name of a file ends with or Bun writes alone', () => {
    const stack = 'Error: x\n    at evaluate (2)\n    at resume (1:11)\n    at total (/srv/cart.js:12)';
    expect(computeFingerprint(serverPayload({ ...ERROR, stack })).culprit).toBe('total (cart.js)');
    const extra = sentExtra('node', [{ function: 'total', filename: '/srv/cart.js:12', in_app: true }]);
    expect(computeFingerprint(serverPayload({ ...ERROR, stack: null, extra })).culprit).toBe('total (cart.js)');
  });
});
