import fc from 'fast-check';
import type { JsonObject } from '../../../core/event/json.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { createCachedGrouper } from '../../../core/fingerprint/grouper.js';
import { DEFAULT_GROUPING } from '../../../core/fingerprint/grouping-settings.js';
import { serverPayload } from '../../helpers/payloads.js';
import { computeFingerprint } from './compute-fingerprint.js';

const STACKS = [
  null,
  '',
  'Error: a\n    at load (/srv/src/a.js:1:2)\n    at run (/srv/src/b.js:3:4)',
  'Error: a\n    at load (/srv/src/a.js:9:9)\n    at run (/srv/src/b.js:3:4)',
  'Error: two\nlines\n    at other (/srv/src/c.js:1:2)',
  `RangeError: x\n${'    at walk (/srv/src/tree.js:1:2)\n    at step (/srv/src/tree.js:5:2)\n'.repeat(20)}`,
  `Error: long\n${'    at f (/srv/src/long.js:1:2)\n'.repeat(600)}`,
  'no frames at all',
];

const payload = fc.record({
  stack: fc.constantFrom(...STACKS),
  error_name: fc.constantFrom('Error', 'TypeError', 'RangeError: Maximum call stack', 'a\nb', ''),
  message: fc.constantFrom('', 'order 17 failed', 'order 18 failed', 'two\nlines', 'stack overflow', 'x'.repeat(9000)),
  extra: fc.constantFrom<RawPayload['extra']>(
    null,
    {},
    { message_template: 'order {} failed' },
    { 'message.template': 'order <n> failed' },
    { fingerprint: ['mine'] },
    { fingerprint: ['{{ default }}', 'mine'] },
    { fingerprint: 7 },
    { sentry: 7 },
    { sentry: { fingerprint: ['mine'], mapping: { message_template: 'order %s failed' } } },
    {
      sentry: {
        exception: { values: [{ type: 'E', stacktrace: { frames: [{ function: 'ship', filename: 'ship.js' }] } }] },
        mapping: { exceptions: [0] },
      },
    },
  ),
});

const HEADERS = [
  'Error: order 17 failed',
  'Error: order 18 failed',
  'Error: at handler.js:1:2',
  'Error: Caused by: TypeError: inner',
  'Error: it failed [cause]: Error: b',
  'AggregateError: all [errors]: [',
  'Suppressed: Error: c',
  'at ship (/srv/src/ship.js:1:2)',
  '   ',
  '',
  'Exception in thread "main" java.lang.IllegalStateException: 17',
  '/srv/src/a.js:17',
  '  File "a.py", line 3, in f',
  'goroutine 1 [running]:',
  '#0 /srv/a.php(17): f()',
  '0: core::panicking::panic',
];
const V8_LINES = '    at load (/srv/src/a.js:1:2)\n    at run (/srv/src/b.js:3:4)\n    at main (/srv/src/c.js:5:6)';
const BODIES = [
  V8_LINES,
  `    throw x\n    ^\n\n${V8_LINES}`,
  `a line\nanother\n${V8_LINES}`,
  `${V8_LINES}\nCaused by: TypeError: inner\n    at deep (/srv/src/d.js:7:8)`,
  '\tat com.shop.Ledger.post(Ledger.java:17)\n\tat com.shop.Api.call(Api.java:8)\n\tat com.shop.Main.main(Main.java:3)',
  '\tat com.shop.Ledger.post(Ledger.java:17)\n\tat com.shop.Api.call(Api.java:8)\n\tat com.shop.Main.main(Main.java:3)\nCaused by: java.io.IOException: 17\n\tat com.shop.Disk.read(Disk.java:9)',
  '   at Shop.Ledger.Post(Int32 id) in /src/Ledger.cs:line 17\n   at Shop.Api.Call() in /src/Api.cs:line 8\n   at Shop.Main.Main()',
  '   0: shop::post\n             at ./src/ledger.rs:17:5\n   1: shop::main\n             at ./src/main.rs:3:5',
  '  File "/srv/a.py", line 3, in f\n    g()\nValueError: 17',
];

describe('a cached fingerprint', () => {
  it('of a stack whose header changes equals computeFingerprint', () => {
    const stacks = fc.array(fc.tuple(fc.constantFrom(...HEADERS), fc.constantFrom(...BODIES)), { maxLength: 60 });
    fc.assert(
      fc.property(stacks, fc.constantFrom('Error', 'IllegalStateException'), (sent, errorName) => {
        const fingerprint = createCachedGrouper(DEFAULT_GROUPING).fingerprint;
        for (const [header, body] of sent) {
          const message = header.slice(header.indexOf(': ') + 2);
          const one = serverPayload({ stack: `${header}\n${body}`, error_name: errorName, message });
          expect(fingerprint(one)).toEqual(computeFingerprint(one));
        }
      }),
    );
  });

  it('equals computeFingerprint after any other events', () => {
    fc.assert(
      fc.property(fc.array(payload, { maxLength: 40 }), (changes) => {
        const fingerprint = createCachedGrouper(DEFAULT_GROUPING).fingerprint;
        for (const change of changes) {
          const one = serverPayload(change);
          expect(fingerprint(one)).toEqual(computeFingerprint(one));
        }
      }),
    );
  });

  it('does not take a stack for the lines after the header of another', () => {
    const fingerprint = createCachedGrouper(DEFAULT_GROUPING).fingerprint;
    const lines = '\nonStock@http://shop.example/main.js:5:11';
    for (const stack of [lines, `    #1 0x5600b424b1d2 in forget /srv/shop/main.c:20${lines}`]) {
      const one = serverPayload({ stack });
      expect(fingerprint(one)).toEqual(computeFingerprint(one));
    }
  });

  it('does not take a message for the wording of a bundler that is reworded to the same', () => {
    const fingerprint = createCachedGrouper(DEFAULT_GROUPING).fingerprint;
    for (const message of ['Loading chunk 7 failed.', 'A part of the program could not be loaded']) {
      const one = serverPayload({ error_name: 'ChunkLoadError', message });
      for (let round = 0; round < 3; round += 1) expect(fingerprint(one)).toEqual(computeFingerprint(one));
    }
  });

  it('is one object for equal failures', () => {
    const fingerprint = createCachedGrouper(DEFAULT_GROUPING).fingerprint;
    const responses = Array.from({ length: 8 }, (_, round) =>
      fingerprint(serverPayload({ stack: STACKS[2 + (round % 2)] ?? null, message: `order ${round} failed` })),
    );
    expect(responses.at(-1)).toBe(responses.at(-2));
    expect(responses.at(-1)).toEqual(responses[0]);
  });
});

const frame = fc.option(
  fc.record(
    {
      function: fc.constantFrom('load', '?', 'assertOk', 'e', 'run(int)', ''),
      filename: fc.constantFrom('/srv/src/a.js', 'b.js', 'node:internal/x', ''),
      abs_path: fc.constantFrom('/srv/node_modules/q.js', '/srv/src/b.js'),
      module: fc.constantFrom('com.acme.Cart', 'java.util.List'),
      in_app: fc.boolean(),
      lineno: fc.nat(99),
    },
    { requiredKeys: [] },
  ),
  { freq: 20 },
);

const sentry = fc.record({
  platform: fc.constantFrom('node', 'java'),
  exception: fc.record({
    values: fc.array(
      fc.record({
        type: fc.constantFrom('Error', 'TypeError'),
        stacktrace: fc.record({ frames: fc.array(frame, { maxLength: 5 }) }),
      }),
      { minLength: 1, maxLength: 2 },
    ),
  }),
  mapping: fc.constantFrom({ exceptions: [0] }, { exceptions: [0, 1] }, { exceptions: [0], message_template: 'a %s' }),
});

describe('a cached fingerprint of structured frames', () => {
  it('equals computeFingerprint after any other events', () => {
    const changes = fc.record({
      stack: fc.constantFrom(...STACKS.slice(0, 4)),
      message: fc.constantFrom('order 17 failed', 'order 18 failed', 'stack overflow', ''),
      extra: fc.record({ sentry }).map((extra): JsonObject => JSON.parse(JSON.stringify(extra))),
    });
    fc.assert(
      fc.property(fc.array(changes, { maxLength: 40 }), (many) => {
        const fingerprint = createCachedGrouper(DEFAULT_GROUPING).fingerprint;
        for (const change of [...many, ...many]) {
          const one = serverPayload(change);
          expect(fingerprint(one)).toEqual(computeFingerprint(one));
        }
      }),
    );
  });

  it('is one object for equal failures with any lines and callers', () => {
    const fingerprint = createCachedGrouper(DEFAULT_GROUPING).fingerprint;
    const of = (round: number) => {
      const frames = [
        { function: `caller${round}`, filename: 'caller.js', in_app: true },
        { function: 'ship', filename: 'ship.js', lineno: round, in_app: true },
      ];
      const values = [{ type: 'E', stacktrace: { frames } }];
      return serverPayload({ extra: { sentry: { exception: { values }, mapping: { exceptions: [0] } } } });
    };
    const responses = [1, 2, 3, 4].map((round) => fingerprint(of(round)));
    expect(responses[3]).toBe(responses[2]);
    expect(responses[3]).toEqual(computeFingerprint(of(1)));
  });

  it('caches a stack without a deciding frame up to its end', () => {
    const fingerprint = createCachedGrouper(DEFAULT_GROUPING).fingerprint;
    const of = (outer: string) => {
      const frames = [outer, 'inner'].map((name) => ({ function: name, filename: 'lib.js', in_app: false }));
      const values = [{ type: 'E', stacktrace: { frames } }];
      return serverPayload({ extra: { sentry: { exception: { values }, mapping: { exceptions: [0] } } } });
    };
    for (const outer of ['a', 'b', 'a', 'b', 'a']) {
      expect(fingerprint(of(outer))).toEqual(computeFingerprint(of(outer)));
    }
    expect(fingerprint(of('a'))).toBe(fingerprint(of('b')));
  });
});
