import fc from 'fast-check';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import type { BasisPart } from '../../../core/fingerprint/fingerprint.js';
import { serverPayload } from '../../helpers/payloads.js';
import { computeFingerprint } from './compute-fingerprint.js';

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

function partOf(changes: Partial<RawPayload>, name: string): BasisPart | undefined {
  return computeFingerprint(serverPayload(changes)).basis.parts.find(({ part }) => part === name);
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
    const { title, basis } = computeFingerprint(serverPayload(wrapped(['JobFailure'])));
    expect(title).toBe('com.shop.OutOfStock: item <n> is gone');
    expect(basis.parts.find(({ part }) => part === 'wrapper')).toMatchObject({ used: false, value: 'JobFailure' });
  });

  it('has frames of its wrapper if it has no in-app frames', () => {
    const root = 'java.net.SocketException: reset\n\tat java.net.Socket.read(Socket.java:1)';
    expect(partOf(wrapped(['Job'], root), 'frames')?.value).toEqual(['com.shop.Job.run']);
  });

  it('has the message of the event if the root has none and no frame decides', () => {
    const root = 'java.net.SocketException\n\tat java.net.Socket.read(Socket.java:1)';
    const stack = `java.io.IOException: wrap\n\tat java.io.Reader.read(Reader.java:1)\nCaused by: ${root}`;
    expect(
      partOf({ error_name: 'java.io.IOException', message: 'cannot read prices', stack }, 'message'),
    ).toMatchObject({
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
    [
      'a type of the application in a named function',
      { error_name: 'StockError', stack: `StockError: x\n${AT}` },
      false,
    ],
    ['a type of the language', { error_name: 'TypeError', stack: `TypeError: x\n${AT}` }, true],
    ['a type of the language with its namespace', { error_name: 'System.IO.IOException', stack: `E: x\n${AT}` }, true],
    ['an error of Go', { error_name: '*errors.errorString', stack: `E: x\n${AT}` }, true],
    ['a name that any failure may have', { error_name: 'Error', stack: `Error: x\n${AT}` }, true],
    ['an assertion', { error_name: 'org.acme.AssertionFailedError', stack: `E: x\n${AT}` }, true],
    ['frames without a name', { error_name: 'StockError', stack: 'E: x\n    at /srv/src/load.js:3:1' }, true],
    ['minified frames', { error_name: 'StockError', stack: 'E: x\n    at e (https://a.example/main.js:1:99)' }, true],
    [
      'frames of libraries',
      { error_name: 'StockError', stack: 'E: x\n    at get (/srv/node_modules/a/b.js:1:1)' },
      true,
    ],
    ['frames that only raise', { error_name: 'StockError', stack: 'E: x\n    at throwIt (/srv/src/a.js:1:1)' }, true],
    ['a check', { error_name: 'StockError', stack: `E: x\n    at checkStock (/srv/src/a.js:1:1)\n${AT}` }, true],
    ['no stack', { error_name: 'StockError', stack: null }, true],
  ])('of %s decides, or does not: %#', (_, changes: Partial<RawPayload>, counts) => {
    const part = partOf({ message: 'stock of pears is low', ...changes }, 'message');
    expect(part?.used).toBe(counts);
    expect(part?.reason).toMatch(counts ? /It counts because .+\.$/ : /tell this failure from others\.$/);
    const other = { message: 'stock of plums is low', ...changes };
    expect(fingerprintOf({ message: 'stock of pears is low', ...changes }) === fingerprintOf(other)).toBe(!counts);
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
