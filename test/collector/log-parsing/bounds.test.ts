import { createFailureLines } from '../../../collector/log-parsing/failure-lines.js';
import type { FailureLines, TextFailure } from '../../../collector/log-parsing/text-failure.js';

const HEADER = 'java.lang.StackOverflowError: deep';
const FRAME = '\tat com.example.shop.Tree.walk(Tree.java:12)';

function pushAll(finder: FailureLines, lines: readonly string[], from = 0): TextFailure[] {
  return lines.flatMap((line, index) => [...finder.push(line, { from: from + index, to: from + index + 1 })]);
}

describe('limits of traces', () => {
  it('returns a trace of 2,000 lines at once, and skips its other lines', () => {
    const finder = createFailureLines('error');
    const found = pushAll(finder, [HEADER, ...Array<string>(5_000).fill(FRAME)]);
    expect(found.map(({ span }) => span)).toEqual([{ from: 0, to: 2_000 }]);
    expect(finder.waitingFrom).toBe(Number.POSITIVE_INFINITY);
    expect(pushAll(finder, ['TypeError: next', '    at load (/srv/shop/a.js:1:2)'], 5_001)).toEqual([]);
    expect(finder.flush().map(({ value }) => value['message'])).toEqual(['next']);
  });

  it('keeps a trace within 1 MiB', () => {
    const finder = createFailureLines('error');
    const lines = [
      HEADER,
      ...Array<string>(50).fill(`\tat com.${'é'.repeat(20_000)}.Tree.walk(Tree.java:12)`.padEnd(40_000, ' ')),
    ];
    const long = [HEADER, ...Array<string>(50).fill(`${FRAME}${' '.repeat(40_000)}`)];
    for (const text of [lines, long]) {
      const [failure] = [...pushAll(finder, text), ...finder.flush()];
      expect(Buffer.byteLength(failure?.text ?? '')).toBeLessThanOrEqual(1_048_576);
    }
  });

  it('has a name and a message for any length of a line', () => {
    const finder = createFailureLines('error');
    const found = pushAll(finder, [
      `TypeError: ${'x'.repeat(1_000_000)}`,
      '    at load (/srv/shop/a.js:1:2)',
      'end',
      'end',
      'end',
      'end',
    ]);
    expect(found.map(({ value }) => String(value['message']).length)).toEqual([1_000_000]);
  });

  it('stops waiting if too many lines wait', () => {
    const finder = createFailureLines('error');
    const json = JSON.stringify({ level: 'error', msg: 'x'.repeat(1_000_000) });
    let waits = 0;
    let answered = 0;
    pushAll(finder, [HEADER, FRAME]);
    for (let index = 2; index < 40; index += 1) {
      const found = finder.push(index % 3 === 0 ? FRAME : json, { from: index, to: index + 1 });
      waits = found.length === 0 ? waits + 1 : 0;
      answered += found.length;
      expect(waits).toBeLessThan(16);
    }
    expect(answered + finder.flush().length).toBeGreaterThanOrEqual(26);
  });

  it.each([
    ['spaces', ' '.repeat(1_000_000)],
    ['words of errors', 'Error: '.repeat(100_000)],
    ['frames', `    at ${' ('.repeat(400_000)}`],
    ['colons', `/${':1'.repeat(400_000)}`],
    ['braces', `{${'{"a":'.repeat(150_000)}}`],
    ['names of PHP', `PHP Fatal error:  Uncaught ${'a\\'.repeat(400_000)}`],
    ['quotes of Rust', `thread 'main' panicked at '${"', a:1".repeat(100_000)}`],
    ['names of Ruby', `${"a:1:in `b': ".repeat(80_000)}`],
    ['brackets of Elixir', `** (${'A.'.repeat(400_000)}`],
    ['places of Perl', `died${' at a line'.repeat(100_000)}`],
    ['assertions', `a.c:1: ${'f: Assertion a '.repeat(60_000)}`],
    ['clients of nginx', `2026/01/02 03:04:05 [error] 1#1: a${', client: '.repeat(100_000)}\u2028`],
    ['levels of logfmt', `level=error ${'msg=" '.repeat(150_000)}`],
    ['values of logfmt', `a=${'level='.repeat(150_000)}`],
    ['places of Lua', `lua5.4: ${'a:1: '.repeat(200_000)}`],
    ['tuples of Erlang', `init terminating in do_boot (${'{a,'.repeat(300_000)}`],
    ['panics of Rust', `${"thread '' panicked at ".repeat(45_000)}\u2028`],
    ['errors of zap', `2026-01-02T03:04:05Z\tERROR\ta\t{${'"err":"a"'.repeat(100_000)}\u2028`],
    ['open errors of zap', `2026-01-02T03:04:05Z\tERROR\ta\t{${'"err":"\\'.repeat(100_000)}`],
    ['errors of logfmt', `level=error msg=a${' err='.repeat(200_000)}\u2028`],
    ['reports of sanitizers', `==1==ERROR: AddressSanitizer: ${'a '.repeat(500_000)}`],
    ['places of UBSan', `${'a:1:1: runtime error: '.repeat(45_000)}\u2028`],
    ['processes of Elixir', `** (EXIT from ${'#PID<0.1.0>) '.repeat(80_000)}\u2028`],
    ['reasons of Erlang', `** Reason for termination == ${'{a,['.repeat(200_000)}\u2028`],
    ['fields of zap', `2026-01-02T03:04:05Z\tERROR\ta\t${'{'.repeat(900_000)}`],
    ['words before a panic', `${'http: panic serving '.repeat(50_000)}`],
  ])('scans a long line of %s only once', (_of, line) => {
    const finder = createFailureLines('error');
    pushAll(finder, Array<string>(20).fill(line));
    expect(finder.flush().length).toBeLessThanOrEqual(20);
  });
});
