import type { Fingerprint } from '../../../../core/fingerprint/fingerprint.js';
import { WRAPPERS, wrapperKind } from '../../../../core/fingerprint/stack/wrappers.js';
import { serverPayload } from '../../../helpers/payloads.js';
import { computeFingerprint, decidingFrames, partOf } from '../compute-fingerprint.js';

function grouped(lines: readonly string[], message = 'failed'): Fingerprint {
  return computeFingerprint(
    serverPayload({ message, stack: ['E: failed', ...lines.map((line) => `    at ${line}`)].join('\n') }),
  );
}

function framesOf(lines: readonly string[], message?: string): unknown {
  return decidingFrames(grouped(lines, message));
}

describe('the frames that decide', () => {
  it('are the innermost in-app frame', () => {
    const lines = [
      'parse (node:url:1:1)',
      'get (/srv/a/node_modules/x/get.js:1:1)',
      'load (/srv/a/load.js:1:1)',
      'run (/srv/a/run.js:1:1)',
    ];
    expect(framesOf(lines)).toEqual(['load (load.js)']);
    expect(grouped(lines).culprit).toBe('load (load.js)');
  });

  it('are the innermost library frame without in-app frames', () => {
    expect(framesOf(['get (/srv/a/node_modules/x/get.js:1:1)', 'run (node:x:1:1)'])).toEqual(['get (x/get.js)']);
  });

  describe('of a callback without a name', () => {
    const callback = '/srv/a/one.js:1:1';
    const ofLibrary = 'Array.map (<anonymous>)';

    it('are its file, whichever function called it and however deep, with the message', () => {
      for (const callers of [
        [],
        ['once (/srv/a/one.js:5:1)'],
        ['retry (/srv/a/retry.js:5:1)', 'load (/srv/a/load.js:1:1)'],
        ['/srv/a/one.js:9:1', ofLibrary, '/srv/a/one.js:12:1', 'once (/srv/a/one.js:5:1)'],
        ['/srv/a/two.js:9:1', 'load (/srv/a/load.js:1:1)'],
      ]) {
        expect(framesOf([callback, ...callers])).toEqual(['one.js']);
        expect(grouped([callback, ...callers]).basis.rule).toBe('stack_and_message');
      }
    });

    it('include the function of its file that passed it to a library', () => {
      const passed = [callback, ofLibrary, 'load (/srv/a/one.js:5:1)', 'run (/srv/a/run.js:1:1)'];
      expect(framesOf(passed)).toEqual(['one.js', 'load (one.js)']);
      expect(framesOf([callback, ofLibrary, '/srv/a/one.js:9:1', ...passed.slice(1)])).toEqual(framesOf(passed));
      expect(framesOf([callback, ofLibrary, 'load (/srv/a/load.js:5:1)'])).toEqual(['one.js']);
    });

    it('end the callers of a check', () => {
      const check = ['checkPrice (/srv/a/check.js:1:1)', callback];
      expect(framesOf([...check, ofLibrary, 'load (/srv/a/one.js:5:1)'])).toEqual(framesOf(check));
    });
  });

  it('include the caller of a frame that raises', () => {
    const raising = ['throwIfClosed (/srv/a/check.js:1:1)', 'assertOpen (/srv/a/check.js:5:1)'];
    expect(framesOf([...raising, 'load (/srv/a/load.js:1:1)'])).toEqual(['assertOpen (check.js)', 'load (load.js)']);
    expect(framesOf(raising)).toEqual(['assertOpen (check.js)']);
  });

  it('include two callers of a check', () => {
    const lines = ['checkPrice (/srv/a/check.js:1:1)', 'setPrice (/srv/a/cart.js:5:1)', 'load (/srv/a/load.js:1:1)'];
    expect(framesOf(lines)).toEqual(['checkPrice (check.js)', 'setPrice (cart.js)', 'load (load.js)']);
    expect(grouped(lines).culprit).toBe('setPrice (cart.js)');
  });

  it('include repeated calls once, with any calls between them', () => {
    const around = (times: number) => [
      'checkPrice (/srv/a/check.js:1:1)',
      ...Array.from({ length: times }, () => ['one (/srv/a/one.js:1:1)', 'emit (/srv/a/two.js:1:1)']).flat(),
      'load (/srv/a/load.js:1:1)',
    ];
    expect(framesOf(around(1))).toEqual(['checkPrice (check.js)', 'one (one.js)', 'load (load.js)']);
    expect(framesOf(around(4))).toEqual(framesOf(around(1)));
  });

  it('skip frames that only call others', () => {
    expect(framesOf(['Bus.emit (/srv/a/bus.js:1:1)', 'load (/srv/a/load.js:1:1)'])).toEqual(['load (load.js)']);
  });

  it('do not depend on the depth of a recursion', () => {
    const once = ['walk (/srv/a/walk.js:1:1)', 'run (/srv/a/run.js:1:1)'];
    expect(framesOf([...Array.from({ length: 9 }, () => 'walk (/srv/a/walk.js:1:1)'), ...once])).toEqual(
      framesOf(once),
    );
  });

  it('do not depend on the position in a cycle of calls at which the stack overflowed', () => {
    const calls = ['ping (/srv/a/ping.js:1:1)', 'pong (/srv/a/pong.js:1:1)', 'pang (/srv/a/pang.js:1:1)'];
    const message = 'Maximum call stack size exceeded';
    const cycle = (start: number) => Array.from({ length: 10 }, (_, at) => calls[(start + at) % 3] ?? '');
    expect(framesOf(cycle(0), message)).toEqual(['pang (pang.js)', 'ping (ping.js)', 'pong (pong.js)']);
    expect(framesOf(cycle(1), message)).toEqual(framesOf(cycle(0), message));
    expect(framesOf(cycle(2), message)).toEqual(framesOf(cycle(0), message));
  });

  it.each([
    ['a message that quotes it', 'E', 'no rule \'recursion limit\' for "call stack"'],
    ['a path', 'E', 'cannot open /srv/stackoverflow/posts or C:\\stack-overflow\\posts'],
    ['a module of a dotted name', 'E', 'stackoverflow.posts.read failed'],
    ['a namespace of the type', 'com.acme.stackoverflow.PostMissing', 'post 4'],
    ['a longer name', 'com.acme.StackOverflowClient$Refused', 'post 4'],
  ])('are not a cycle if only a name mentions an overflow: %s', (_, error_name, message) => {
    const stack = [
      'E: x',
      ...Array.from({ length: 6 }, (__, at) => `    at ${at % 2 === 0 ? 'visit' : 'enter'} (/srv/a/walk.js:1:1)`),
    ];
    const found = computeFingerprint(serverPayload({ error_name, message, stack: stack.join('\n') }));
    expect(decidingFrames(found)).toEqual(['visit (walk.js)']);
  });

  it.each([
    ['java.lang.StackOverflowError', ''],
    ['System.StackOverflowException', "in 'walk'"],
    ['RecursionError', "maximum recursion depth exceeded while calling 'x'"],
    ['InternalError', 'too much recursion'],
    ['SystemStackError', 'stack level too deep'],
    ['fatal error', 'goroutine stack exceeds 1000000000-byte limit'],
    ['crash', "thread 'main' has overflowed its stack"],
    ['STATUS_STACK_OVERFLOW', ''],
  ])('are a cycle after %s: %s', (error_name, message) => {
    const stack = [
      'E: x',
      ...Array.from({ length: 6 }, (__, at) => `    at ${at % 2 === 0 ? 'visit' : 'enter'} (/srv/a/walk.js:1:1)`),
    ];
    const found = computeFingerprint(serverPayload({ error_name, message, stack: stack.join('\n') }));
    expect(decidingFrames(found)).toEqual(['enter (walk.js)', 'visit (walk.js)']);
  });

  it.each([
    [
      'content hashes',
      'f (https://a.example.com/main.3f2a9c1b.js:1:1)',
      'f (https://b.example.org:8080/main.99aa00bb.js:2:7)',
    ],
    [
      'content hashes without a digit',
      'f (https://a.example.com/main.3f2a9c1b.js:1:1)',
      'f (https://a.example.com/main.badcafee.js:1:1)',
    ],
    ['hashes of eight letters and digits', 'f (/srv/dist/x-DhX3k2Lp.js:1:1)', 'f (/srv/dist/x-A_9bcDeF.js:1:1)'],
    ['versions in names', 'f (/srv/lib/chart-3.6.0.min.js:1:1)', 'f (/srv/lib/chart-4.0.1.min.js:1:1)'],
    ['numbers of chunks', 'f (/srv/dist/7.bundle.js:1:1)', 'f (/srv/dist/132.bundle.js:1:1)'],
    ['folders of releases', 'f (/srv/releases/20261120/src/a/b.js:1:1)', 'f (/srv/releases/20261121/src/a/b.js:1:1)'],
    ['homes', 'f (/home/anna/index.js:1:1)', 'f (/home/bo/index.js:1:1)'],
    ['temporary folders', 'f (/tmp/build-a1/index.js:1:1)', 'f (/tmp/build-b2/index.js:1:1)'],
    ['source and build', 'f (/srv/src/cart/a.js:1:1)', 'f (/srv/dist/cart/a.js:1:1)'],
    ['letters of a minifier', 'a (https://a.example.com/main.js:1:1)', 'e2 (https://a.example.com/main.js:1:9)'],
    ['receivers and aliases', 'Object.f [as g] (/srv/a.js:1:1)', 'async f (/srv/a.js:1:1)'],
  ])('do not depend on %s', (_, one, other) => {
    expect(framesOf([one])).toEqual(framesOf([other]));
  });

  it('differ for files of the same name', () => {
    expect(framesOf(['f (/srv/a/users/index.js:1:1)'])).not.toEqual(framesOf(['f (/srv/a/orders/index.js:1:1)']));
    expect(framesOf(['f (/srv/src/users/list.js:1:1)'])).not.toEqual(framesOf(['f (/srv/src/orders/list.js:1:1)']));
  });

  it('include the type of the root cause', () => {
    const chain = (root: string) =>
      `E: failed\n\tat a.B.c(B.java:1)\nCaused by: ${root}: x\n\tat a.D.e(D.java:2)\n\t... 1 more`;
    const one = computeFingerprint(serverPayload({ stack: chain('a.Timeout') }));
    expect(partOf(one, 'error_name')).toMatchObject({
      used: true,
      value: 'a.Timeout',
    });
    expect(one.culprit).toBe('D.e (D.java)');
    expect(one.value).not.toBe(computeFingerprint(serverPayload({ stack: chain('a.Refused') })).value);
  });

  it.each(WRAPPERS.flatMap((row) => row.examples.map((name) => [name, row.kind] as const)))(
    'exclude %s as a wrapper',
    (name, kind) => {
      const frame = { function: name, module: null, file: 'a.js', line: 1, column: 1, inApp: true };
      expect(wrapperKind(frame)).toBe(kind);
    },
  );

  it.each(['checkout', 'Cart.failover', 'requirement', 'load', 'Simulator.step', 'apply'])(
    'include %s, which does work of its own',
    (name) => {
      expect(wrapperKind({ function: name, module: null, file: 'a.js', line: 1, column: 1, inApp: true })).toBeNull();
    },
  );
});
