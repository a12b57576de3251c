import fc from 'fast-check';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { serverPayload } from '../../helpers/payloads.js';
import { computeFingerprint, decidingFrames, partOf } from './compute-fingerprint.js';

const ROOT =
  'com.shop.OutOfStock: item 17 is gone\n\tat com.shop.Stock.take(Stock.java:12)\n\tat com.shop.Cart.add(Cart.java:8)';

function wrapped(names: readonly string[], root = ROOT): Partial<RawPayload> {
  const outer = names.map(
    (name, depth) => `${name}: wrap ${depth}\n\tat com.shop.${name}.run(${name}.java:${depth + 1})`,
  );
  return {
    error_name: names[0] ?? 'com.shop.OutOfStock',
    message: 'wrap',
    stack: [...outer, root].join('\nCaused by: '),
  };
}

function fingerprintOf(changes: Partial<RawPayload>): string {
  return computeFingerprint(serverPayload(changes)).value;
}

describe('the main exception', () => {
  it('is the root cause, as if it had not been wrapped', () => {
    const name = fc.stringMatching(/^[A-Z][a-z]{3,9}Failure$/);
    fc.assert(
      fc.property(fc.array(name, { maxLength: 5 }), fc.array(name, { maxLength: 5 }), (one, other) => {
        const plain = { error_name: 'com.shop.OutOfStock', message: 'item 17 is gone', stack: ROOT };
        for (const names of [one, other]) {
          expect(fingerprintOf(names.length === 0 ? plain : wrapped(names))).toBe(fingerprintOf(plain));
        }
      }),
    );
  });

  it('lists the wrapper in the basis, and is the title', () => {
    const found = computeFingerprint(serverPayload(wrapped(['JobFailure'])));
    expect(found.title).toBe('com.shop.OutOfStock: item <n> is gone');
    expect(partOf(found, 'wrapper')).toMatchObject({ used: false, value: 'JobFailure' });
  });

  it('has frames of its wrapper if it has no in-app frames', () => {
    const root = 'java.net.SocketException: reset\n\tat java.net.Socket.read(Socket.java:1)';
    expect(decidingFrames(computeFingerprint(serverPayload(wrapped(['Job'], root))))).toEqual(['com.shop.Job.run']);
  });

  it('has the message of the event if the root has none and no frame decides', () => {
    const stack = 'java.io.IOException: wrap\nCaused by: java.net.SocketException';
    const changes = { error_name: 'java.io.IOException', message: 'cannot read prices', stack };
    expect(partOf(computeFingerprint(serverPayload(changes)), 'message')).toMatchObject({
      used: true,
      value: 'cannot read prices',
    });
  });

  it('has no specific type if the client marked it as synthetic', () => {
    const of = (type: string, synthetic: boolean) => {
      const frames = [{ function: 'ship', filename: 'ship.js', in_app: true }];
      const values = [{ type, mechanism: { synthetic }, stacktrace: { frames } }];
      return fingerprintOf({
        error_name: type,
        extra: { sentry: { exception: { values }, mapping: { exceptions: [0] } } },
      });
    };
    expect(of('SIGSEGV at 7', true)).toBe(of('SIGBUS', true));
    expect(of('AError', false)).not.toBe(of('BError', false));
  });
});

const AT = '    at load (/srv/src/load.js:3:1)';

describe('the message', () => {
  it.each([
    ['a type of the application', { error_name: 'StockError', stack: `StockError: x\n${AT}` }],
    ['a type of the language', { error_name: 'TypeError', stack: `TypeError: x\n${AT}` }],
    ['a name that any failure may have', { error_name: 'Error', stack: `Error: x\n${AT}` }],
    ['an error of Go', { error_name: '*errors.errorString', stack: null }],
    ['the last words of a program', { error_name: 'ProcessExit', stack: null }],
  ])('of %s counts by the words that name a reason', (_, changes: Partial<RawPayload>) => {
    const of = (message: string) => fingerprintOf({ ...changes, message });
    expect(of('unknown currency CHF')).toBe(of('unknown currency zloty'));
    expect(of('unknown currency CHF')).not.toBe(of('missing currency CHF'));
  });

  it.each([
    ['a type of the language', { error_name: 'TypeError', stack: `TypeError: x\n${AT}` }, false],
    ['a type of the application', { error_name: 'StockError', stack: `StockError: x\n${AT}` }, true],
  ])('of %s counts by the names that it quotes, or not', (_, changes: Partial<RawPayload>, isSame) => {
    const of = (name: string) =>
      fingerprintOf({ ...changes, message: `cannot read properties of undefined (reading '${name}')` });
    expect(of('price') === of('amount')).toBe(isSame);
  });

  it.each([
    'exceptions.ValueError',
    'builtins.KeyError',
    'sqlite3.OperationalError',
    '\\RuntimeException',
    'JSON::ParserError',
    'WebAssembly.RuntimeError',
    'DataError',
    'android.os.DeadObjectException',
    'OpenSSL::SSL::SSLError',
  ])('of %s, which names the kind of error, counts by the names that it quotes', (name) => {
    const of = (field: string) =>
      fingerprintOf({ error_name: name, message: `field '${field}' is missing`, stack: `x\n${AT}` });
    expect(of('price')).not.toBe(of('amount'));
  });

  it.each(['Illuminate\\Database\\QueryException', 'App\\PriceError', 'shop.json.PriceError'])(
    'of %s, which names what failed, does not',
    (name) => {
      const of = (field: string) =>
        fingerprintOf({ error_name: name, message: `field '${field}' is missing`, stack: `x\n${AT}` });
      expect(of('price')).toBe(of('amount'));
    },
  );

  it('counts whole without a frame, as a template of the client, and if a type of the language has no word that names a reason', () => {
    const alike = (changes: Partial<RawPayload>) =>
      fingerprintOf({ message: 'Birnen weg', ...changes }) === fingerprintOf({ message: 'Pflaumen weg', ...changes });
    expect(alike({ error_name: 'StockError', stack: `StockError: x\n${AT}` })).toBe(true);
    expect(alike({ error_name: 'TypeError', stack: `TypeError: x\n${AT}` })).toBe(false);
    expect(alike({ error_name: 'StockError', stack: null })).toBe(false);
    const template = (text: string) =>
      fingerprintOf({ error_name: 'Error', stack: `Error: x\n${AT}`, extra: { message_template: text } });
    expect(template('{} pears')).not.toBe(template('{} plums'));
  });

  it.each([
    ['a handler of a script', 'ApiError: x\n    at /srv/shop/routes.js:12:9\n    at node:internal/process:1:1'],
    [
      'the top level of Python',
      'Traceback (most recent call last):\n  File "/srv/shop/job.py", line 3, in <module>\nApiError: x',
    ],
    ['a minified bundle', 'ApiError: x\n    at a (https://shop.example.com/assets/app-8f3a91c2.js:1:20433)'],
  ])('counts by its sentence where only the file of %s has a name', (_, stack) => {
    const of = (message: string) => fingerprintOf({ error_name: 'ApiError', message, stack });
    const failures = [
      'Warehouse offline',
      'Coupon expired',
      'Thumbnail generation crashed',
      'The mail is not delivered',
      'The mail is not readable',
      'Stock of 7 is reserved',
      'Stock of 7 is locked',
      'Lager geschlossen',
    ];
    expect(new Set(failures.map(of)).size).toBe(failures.length);
    expect(of('Stock of 7 is reserved by ada')).toBe(of('Stock of 12 is reserved by eve'));
  });

  it('of an error that wraps others counts by the innermost ones', () => {
    const of = (message: string) => fingerprintOf({ error_name: 'ProcessExit', message, stack: null });
    expect(of('shop: total of 3 items: rate EUR: currency CHF not found')).toBe(of('shop: currency CHF not found'));
    expect(of('shop: open prices: permission denied')).not.toBe(of('shop: open prices: no such file'));
    expect(of('shop: HTTP 404: page not found')).not.toBe(of('shop: HTTP 500: page not found'));
  });
});

describe('a check', () => {
  const of = (type: string, caller: string) =>
    fingerprintOf({
      error_name: type,
      message: 'must be positive',
      stack: `${type}: x\n    at checkStock (/srv/src/stock.js:1:1)\n    at ${caller} (/srv/src/stock.js:9:1)\n${AT}`,
    });

  it('counts with its callers, unless it raises a type of the application for its own file', () => {
    expect(of('RangeError', 'take')).not.toBe(of('RangeError', 'give'));
    expect(of('StockError', 'take')).toBe(of('StockError', 'give'));
  });
});

describe('parsing a stack', () => {
  it('parses twice as many frames for twice the input, up to its bounds', () => {
    const work = (frames: number) => {
      const sent = Array.from({ length: frames }, () => ({ filename: 'lib.js', function: 'pass', in_app: false }));
      let read = 0;
      const counted = sent.map((frame) =>
        Object.defineProperty({ ...frame }, 'function', {
          enumerable: true,
          get: () => {
            read += 1;
            return 'pass';
          },
        }),
      );
      const values = [{ type: 'E', stacktrace: { frames: counted } }];
      fingerprintOf({ extra: { sentry: { exception: { values }, mapping: { exceptions: [0] } } } as never });
      return read;
    };
    const small = work(100);
    expect(work(200)).toBeLessThanOrEqual(2 * small);
    expect(work(100_000)).toBeLessThanOrEqual(6 * small);
  });
});
