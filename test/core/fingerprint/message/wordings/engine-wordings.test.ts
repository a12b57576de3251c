import { WORDINGS } from '../../../../../core/fingerprint/message/wordings/reword.js';
import { serverPayload } from '../../../../helpers/payloads.js';
import { computeFingerprint } from '../../compute-fingerprint.js';

const FRAMES = '\n    at total (/srv/shop/src/cart.js:12:9)\n    at checkout (/srv/shop/src/main.js:3:1)';

function fingerprintOf(message: string, errorName = 'TypeError', stack: string | null = null): string {
  return computeFingerprint(serverPayload({ error_name: errorName, message, stack, extra: null })).value;
}

function titleOf(errorName: string, message: string): string {
  return computeFingerprint(serverPayload({ error_name: errorName, message, stack: null, extra: null })).title;
}

describe.each(WORDINGS.map((row) => [row.becomes, row] as const))('%s', (_, { examples, wordings, of }) => {
  it.each(['with frames', 'without frames'])('is one issue in the words of every engine, %s', (frames) => {
    const stack = frames === 'with frames' ? FRAMES : null;
    expect(new Set(examples.map((message) => fingerprintOf(message, of, stack))).size).toBe(1);
  });

  it('has an example of each wording', () => {
    for (const wording of wordings)
      expect(examples.some((text) => wording.test(text.replace(/^\w+Error: /, '')))).toBe(true);
  });
});

describe('wordings of engines', () => {
  it.each([
    ["undefined is not an object (evaluating 'cart.price')", "undefined is not an object (evaluating 'cart.stock')"],
    ["Cannot read property 'price' of undefined", "Cannot read property 'price' of null"],
    ["Cannot read property 'price' of undefined", "Cannot set property 'price' of undefined"],
    [`can't access property "price", e is undefined`, "Cannot read properties of undefined (reading 'stock')"],
    ['e.total is not a function', 'e.checkout is not a function'],
    ['e.items is not iterable', 'e.prices is not iterable'],
    ['Cannot redefine property: wallet', 'Cannot redefine property: cart'],
    ["undefined is not an object (evaluating 'e[0]')", "Cannot read properties of undefined (reading '1')"],
    ["Can't find variable: gtag", 'fbq is not defined'],
    ['cart is undefined', 'basket is undefined'],
    ['Failed to fetch (stock.example.com)', 'Load failed (payments.example.com)'],
    ['Unexpected end of JSON input', 'Unexpected token < in JSON at position 0'],
    [
      'Minified React error #31; visit https://react.dev/errors/31',
      'Minified React error #130; visit https://react.dev/errors/130',
    ],
    ['Hydration failed because the initial UI does not match.', 'Text content does not match server-rendered HTML.'],
  ])('keep %j apart from %j', (one, other) => {
    expect(fingerprintOf(one)).not.toBe(fingerprintOf(other));
    expect(fingerprintOf(one, 'TypeError', FRAMES)).not.toBe(fingerprintOf(other, 'TypeError', FRAMES));
  });

  it.each([
    [
      ['InternalError', 'too much recursion'],
      ['RangeError', 'Maximum call stack size exceeded'],
    ],
    [
      ['NS_ERROR_DOM_QUOTA_REACHED', 'Persistent storage maximum size reached'],
      ['QuotaExceededError', 'The quota has been exceeded.'],
    ],
    [
      ['Error', 'Loading CSS chunk 7 failed.\n(https://shop.example.com/7.css)'],
      ['ChunkLoadError', 'Loading chunk 12 failed.\n(timeout: https://shop.example.com/12.js)'],
    ],
    [
      ['TypeError', 'Importing a module script failed.'],
      ['ChunkLoadError', 'Loading chunk pages-cart failed.'],
    ],
  ] as const)('join %j and %j, whose types differ', ([type, message], [otherType, otherMessage]) => {
    expect(fingerprintOf(message, type)).toBe(fingerprintOf(otherMessage, otherType));
  });

  it.each(['undefined', 'null'])('join the reads of one element of %s', (nothing) => {
    expect(fingerprintOf(`${nothing} is not an object (evaluating 'e.items[7]')`)).toBe(
      fingerprintOf(`Cannot read properties of ${nothing} (reading '7')`),
    );
  });

  it('join an outage of lazy loading wherever the program meets it, with a title of its own', () => {
    const elsewhere = FRAMES.replaceAll('cart', 'profile');
    expect(fingerprintOf('Loading chunk 7 failed.', 'ChunkLoadError', FRAMES)).toBe(
      fingerprintOf('Loading chunk 12 failed.', 'ChunkLoadError', elsewhere),
    );
    expect(titleOf('ChunkLoadError', 'Loading chunk 7 failed.')).toBe(
      'ChunkLoadError: A part of the program could not be loaded',
    );
  });

  it('have a title in the same words', () => {
    const title = "TypeError: Cannot read properties of undefined (reading 'price')";
    expect(titleOf('TypeError', "undefined is not an object (evaluating 'cart.price')")).toBe(title);
    expect(titleOf('Error', 'Minified React error #418; visit https://react.dev/errors/418')).toMatch(
      /^Hydration failed/,
    );
  });

  it('are no words of other programs', () => {
    const messages = [
      'upload: Load failed',
      'Failed to fetch the cart',
      'order is null and void',
      'Loading chunk file failed',
    ];
    expect(new Set(messages.map((message) => fingerprintOf(message))).size).toBe(messages.length);
  });
});
