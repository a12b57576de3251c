import { serverPayload } from '../../helpers/payloads.js';
import { BASELINES } from './baselines.js';
import { payloadOf, readCaptures } from './captures.js';
import { LANGUAGES } from './languages.js';
import { HALVES, readPrograms } from './program.js';

const MIN_PROGRAMS = 60;
const MIN_RUNS = 4;

describe('the grouping corpus', () => {
  const programs = HALVES.flatMap(readPrograms);

  it('has at least 60 programs that fail at two places for two reasons each', () => {
    expect(programs.length).toBeGreaterThanOrEqual(MIN_PROGRAMS);
    for (const { cases } of programs) {
      const places = cases.map(({ label }) => label.split('/')[2]);
      expect(new Set(cases.map(({ label }) => label)).size).toBe(4);
      expect(new Set(places).size).toBe(2);
    }
  });

  it.each(HALVES)(
    'has a failure for every run of every case of %s, on two releases, without paths of a machine',
    (half) => {
      const captures = readCaptures(half);
      const labels = readPrograms(half).flatMap(({ cases }) =>
        cases.flatMap(({ label, runs }) => runs.map(() => label)),
      );
      expect(captures.map(({ label }) => label)).toEqual(labels);
      for (const label of new Set(labels)) {
        const own = captures.filter((captured) => captured.label === label);
        expect(own.length).toBeGreaterThanOrEqual(MIN_RUNS);
        expect(new Set(own.map(({ release }) => release))).toEqual(new Set([1, 2]));
      }
      for (const captured of captures) {
        expect(payloadOf(captured).message.length + payloadOf(captured).error_name.length).toBeGreaterThan(0);
        expect(captured.stderr).not.toMatch(/\/(?:root|home|work)\//);
      }
    },
  );
});

describe('the baseline of type, message and top frame', () => {
  const stacks: Readonly<Record<string, readonly [first: string, shifted: string, other: string]>> = {
    python: [
      'Traceback (most recent call last):\n  File "/srv/a.py", line 9, in main\n    f(1)\n  File "/srv/a.py", line 2, in f\n    raise X',
      'Traceback (most recent call last):\n  File "/srv/a.py", line 19, in top\n    f(1)\n  File "/srv/a.py", line 4, in f\n    raise X',
      'Traceback (most recent call last):\n  File "/srv/a.py", line 9, in f\n    g(1)\n  File "/srv/a.py", line 2, in g\n    raise X',
    ],
    node: [
      'X: m\n    at f (file:///srv/a.mjs:1:2)',
      'X: m\n    at f (file:///srv/a.mjs:7:2)',
      'X: m\n    at g (file:///srv/a.mjs:1:2)',
    ],
    java: ['X: m\n\tat a.B.f(B.java:3)', 'X: m\n\tat a.B.f(B.java:9)', 'X: m\n\tat a.B.g(B.java:3)'],
    go: [
      'goroutine 1 [running]:\nmain.(*T).f(0xc0001)\n\t/srv/a.go:3 +0x1d',
      'goroutine 1 [running]:\npanic({0x1?, 0x2?})\n\t/go/panic.go:7\nmain.(*T).f(0xc0002)\n\t/srv/a.go:9 +0x2d',
      'goroutine 1 [running]:\nmain.(*T).g(0xc0001)\n\t/srv/a.go:3 +0x1d',
    ],
    rust: [
      'stack backtrace:\n   0: __rustc::rust_begin_unwind\n   1: core::panicking::panic_fmt\n   2: a::f\n             at ./a.rs:3:5',
      'stack backtrace:\n   0: __rustc::rust_begin_unwind\n   1: a::f\n             at ./a.rs:9:5',
      'stack backtrace:\n   0: __rustc::rust_begin_unwind\n   1: a::g\n             at ./a.rs:3:5',
    ],
  };
  const group = (stack: string, language: string) =>
    BASELINES['type + message + top frame'](serverPayload({ error_name: 'X', message: 'order 7', stack }), language);

  it.each(Object.keys(LANGUAGES))('keeps moved lines together and functions apart in %s', (language) => {
    const [first = '', shifted = '', other = ''] = stacks[language] ?? [];
    expect(group(shifted, language)).toBe(group(first, language));
    expect(group(other, language)).not.toBe(group(first, language));
  });
});
