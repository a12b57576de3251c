import { rustParser } from '../../../../../core/fingerprint/stack/parsers/rust.js';
import { serverPayload } from '../../../../helpers/payloads.js';
import { computeFingerprint } from '../../compute-fingerprint.js';
import { appFunctions, describeText, fingerprintOf, framesOf, outlineOf } from '../../stack-parsers/read-text.js';

const panic = (
  line: number,
  address = '',
  hash = '',
): string => `thread 'main' (3137) panicked at src/cart.rs:${line}:116:
index out of bounds: the len is 1 but the index is ${line}
stack backtrace:
   0: ${address}__rustc::rust_begin_unwind${hash}
             at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/std/src/panicking.rs:689:5
   1: ${address}core::panicking::panic_bounds_check${hash}
             at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/panicking.rs:271:5
   2: ${address}<usize as core::slice::index::SliceIndex<[T]>>::index${hash}
             at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/slice/index.rs:272:10
   3: ${address}shop::cart::Cart::line${hash}
             at ./src/cart.rs:${line}:116
   4: ${address}<shop::cart::Cart as shop::cart::Total>::total${hash}
             at ./src/cart.rs:${line + 1}:9
   5: ${address}shop::main::{{closure}}::{{closure}}${hash}
             at ./src/main.rs:7:5
   6: ${address}core::ops::function::FnOnce::call_once${hash}
             at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/ops/function.rs:250:5
   7: ${address}__libc_start_main${hash}
note: Some details are omitted, run with \`RUST_BACKTRACE=full\` for a verbose backtrace.`;

describe('frames of Rust', () => {
  it('separate the standard library from the crate, and name closures by the function that holds them', () => {
    expect(framesOf(panic(2)).filter((frame) => frame.inApp)).toMatchObject([
      { module: 'shop::cart::Cart', function: 'line', line: 2, column: 116 },
      { module: '<shop::cart::Cart as shop::cart::Total>', function: 'total' },
      { module: 'shop', function: 'main', line: 7 },
    ]);
  });

  it('are the same with hashes, addresses and without locations', () => {
    const full = panic(2, '    0x55d0c0ffee00 - ', '::h0123456789abcdef');
    const stripped = panic(2).replaceAll(/\n {13}at .*/g, '');
    expect(fingerprintOf(full)).toBe(fingerprintOf(panic(2)));
    expect(appFunctions(stripped)).toEqual(appFunctions(panic(2)));
    expect(fingerprintOf(stripped)).toBe(fingerprintOf(panic(2)));
  });

  it('are the location of the panic without a backtrace', () => {
    const note = 'note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace';
    expect(framesOf(`thread 'main' panicked at src/cart.rs:4:5:\nno price\n${note}`)).toEqual([
      { function: null, module: null, file: 'src/cart.rs', line: 4, column: 5, inApp: true },
    ]);
    expect(framesOf(`thread 'w' panicked at 'two\nlines', src/worker.rs:18:33\n${note}`)).toMatchObject([
      { file: 'src/worker.rs', line: 18 },
    ]);
  });

  it('are the place where the eyre library created an error, and the calls below its title', () => {
    const error = 'Error: \n   0: no price\n\nLocation:\n   src/cart.rs:7\n';
    expect(framesOf(error)).toMatchObject([{ function: null, file: 'src/cart.rs', line: 7, inApp: true }]);
    const calls = '  ━━━ BACKTRACE ━━━\n   7: shop::price::h7a0c7008b702fd04\n      at /srv/src/cart.rs:10\n';
    expect(appFunctions(`${error}${calls}`)).toEqual(['price']);
    expect(framesOf('panicked at src/cart.rs:4:5:\nno price')).toMatchObject([{ file: 'src/cart.rs', line: 4 }]);
  });

  it('are those of the first backtrace of several', () => {
    expect(appFunctions(`${panic(2)}\n${panic(2).replaceAll('Cart::line', 'Cart::other')}`)).not.toContain('other');
  });

  it('include inlined calls that share the number of their caller', () => {
    const stack =
      'stack backtrace:\n   0: shop::price\n             at ./r.rs:2:5\n      shop::run\n             at ./r.rs:6:5';
    expect(appFunctions(stack)).toEqual(['price', 'run']);
  });
});

describe('causes of Rust', () => {
  it('name the root in the last entry of their list', () => {
    const stack = `Error: failed to read the settings

Caused by:
    0: could not open shop.toml
    1: No such file or directory (os error 2)

Stack backtrace:
   0: shop::settings::read
             at ./src/settings.rs:3:9`;
    expect(outlineOf(stack)).toEqual(['rust', null, 'No such file or directory (os error 2)']);
    expect(appFunctions(stack)).toEqual(['read']);
  });
});

describe('panics of Rust', () => {
  it('have two fingerprints for two locations', () => {
    expect(fingerprintOf(panic(2), 'panic')).not.toBe(
      fingerprintOf(panic(2).replaceAll('Cart::line', 'Cart::row'), 'panic'),
    );
  });
});

describeText('Rust', rustParser, `${panic(2)}\nthread 'w' panicked at 'two', src/worker.rs:18:33`, (line, at) =>
  panic(line, `    ${at} - `, `::h${at.slice(2).padStart(16, '0')}`),
);

describe('places of panics of Rust', () => {
  const of = (stack: string) =>
    computeFingerprint(serverPayload({ error_name: 'panic', message: 'boom', stack })).culprit;

  it.each([
    ['before 1.73, without symbols', "thread 'main' panicked at 'boom', src/parse.rs:15:6", 'parse.rs'],
    [
      'on Windows, with names of the system only',
      "thread 'main' panicked at 'no `pear`', src\\parse.rs:15:6\nstack backtrace:\n   0:     0x7ff7d7e8e962 - <unknown>\n  22:     0x7ff90b707614 - BaseThreadInitThunk",
      'parse.rs',
    ],
    ['in a log', "2026-05-01T10:00:00Z ERROR panic] thread 'worker' panicked at 'boom': src/pool.rs:12", 'pool.rs'],
    ['on a thread without a name', 'thread panicked at src/pool.rs:12:4:\nboom', 'pool.rs'],
    ['of the standard library only', "thread 'main' panicked at 'boom', libcore/result.rs:1009:5", 'libcore/result.rs'],
    [
      'in a library, by its function',
      "thread 'main' panicked at /home/u/.cargo/registry/src/index.crates.io-6f17d22bba15001f/toolkit-0.17.0/src/frame.rs:430:52:\nboom\nstack backtrace:\n   0: std::panicking::begin_panic_handler\n   1: core::option::expect_failed\n   2: toolkit::frame::resize\n             at /home/u/.cargo/registry/src/index.crates.io-6f17d22bba15001f/toolkit-0.17.0/src/frame.rs:430:52",
      'toolkit::frame.resize (toolkit/frame.rs)',
    ],
    [
      'with names as debuggers of Windows write them',
      'stack backtrace:\n   3: anyhow::context::impl$0::with_context::closure$0<alloc::vec::Vec<u8>,shop::load::closure_env$0<str> >\n   4: shop::cart::impl$1::load::closure$0<str>\n             at C:\\shop\\src\\cart.rs:12',
      'shop::cart::{impl}.load (cart.rs)',
    ],
    [
      'in the log of Android in columns',
      '2026-05-03 15:48:18.989 26440-26499 RustStdoutStderr        com.shop               I  stack backtrace:\n2026-05-03 15:48:18.989 26440-26499 RustStdoutStderr        com.shop               I     1:       0x7a95 - shop::cart::total\n2026-05-03 15:48:18.989 26440-26499 RustStdoutStderr        com.shop               I                         at /srv/shop/src/cart.rs:1:5',
      'shop::cart.total (cart.rs)',
    ],
    [
      'in a report for people',
      "explanation = '''\nPanic occurred in file 'src/cart.rs' at line 88\n'''\nbacktrace = '''\n\n   0: 0x5596 - core::panicking::panic_fmt\n   1: 0x5596 - shop::cart::total\n'''",
      'shop::cart.total',
    ],
    [
      'in a report for people without a backtrace',
      "explanation = '''\nPanic occurred in file 'src/cart.rs' at line 88\n'''",
      'cart.rs',
    ],
    [
      'below a title of the program',
      'Backtrace:\n   1: rust_begin_unwind\n             at std/src/panicking.rs:575:5\n   2: shop::cart::total\n             at shop/src/cart.rs:9:5',
      'shop::cart.total (cart.rs)',
    ],
    [
      'broken at the width of a terminal, without a title',
      '  × Main thread panicked.\n  ├─▶ at src/shop.rs:1:14\n  ╰─▶ attempt to subtract with overflow\n         0: 0x5569 - _rust_begin_unwind\n         1: 0x5569 - <shop::cart::Cart as\n      shop::Total>::total::h4f5b022eb10afcc7\n                      at /srv/shop/src/cart/\n      total.rs:107',
      '<shop::cart::Cart as shop::Total>.total (cart/total.rs)',
    ],
    [
      'with the start of a thread only, and the location in a library',
      "  × Thread 'screen' panicked.\n  ├─▶ At /root/.cargo/registry/src/index-1/kit-0.40.1/src/lib.rs:956:18\n  ╰─▶ x\n\n      Stack backtrace:\n         0: <unknown>\n         8: start_thread\n                   at ./nptl/pthread_create.c:447:8",
      'kit/lib.rs',
    ],
    [
      'as Rust wrote it before it named crates',
      'stack backtrace:\n   1:     0x5585 - sys::backtrace::tracing::imp::write::hb120982054a416e35nu\n   2:     0x5585 - panicking::default_handler::closure.42840\n   3:     0x5585 - result::unwrap_failed::h6440699766568013568\n   4:     0x5585 - cart::Cart::total::h94975a378bcad1740pg\n   5:     0x5585 - __rust_try',
      'cart::Cart.total',
    ],
  ])('%s', (_, stack, culprit) => {
    expect(of(stack)).toBe(culprit);
  });

  const eyre = (line: number, colour: string) => `The application panicked (crashed).
Message:  ${colour}cart ${line} is closed${colour}
Location: ${colour}src/cart.rs${colour}:${colour}${line}${colour}

  ━━━━━━━━━━━━━━━ BACKTRACE ━━━━━━━━━━━━━━━
                 ⋮ 8 frames hidden ⋮
   9: ${colour}shop::cart::close${colour}${colour}::h3f366dabf55ebf60${colour}
      at ${colour}<unknown source file>${colour}:${colour}<unknown line>${colour}
  14: start_thread<unknown>
      at <unknown source file>:<unknown line>
                 ⋮ 14 frames hidden ⋮`;
  const diagnostic = (line: number) =>
    `  × Main thread panicked.\n  ├─▶ at src/cart.rs:${line}:5\n  ╰─▶ cart ${line} is closed\n  help: set a variable`;

  const drawnBacktrace = (line: number) => `  × Main thread panicked.
  ├─▶ at src/cart.rs:${line}:5 with backtrace:
  │      0: std::panicking::begin_panic_handler
  │                at /rustc/07dca489ac2d/library/std/src/panicking.rs:645:5
  │      1: core::panicking::panic_fmt
  │      2: shop::cart::close
  │                at src/cart.rs:${line}:5
  │
  ╰─▶ cart ${line} is closed
  help: set a variable`;

  it.each<[string, (line: number) => string, string]>([
    ['with colours', (line) => eyre(line, '\u001b[36m'), 'shop::cart.close'],
    ['without colours', (line) => eyre(line, ''), 'shop::cart.close'],
    ['drawn with lines', diagnostic, 'cart.rs'],
    ['drawn with a backtrace', drawnBacktrace, 'shop::cart.close (cart.rs)'],
  ])('are read from reports %s', (_, make, culprit) => {
    const found = (line: number) =>
      computeFingerprint(
        serverPayload({ error_name: '', message: make(line).split('\n', 1)[0] ?? '', stack: make(line) }),
      );
    expect(found(7)).toMatchObject({ culprit, title: 'panic: cart <n> is closed', value: found(31).value });
  });

  // A pattern that begins again at each empty line takes ten seconds.
  it('are read at once from a report with many empty lines', () => {
    const stack = diagnostic(7).replace('  ├', `${'\n'.repeat(120_000)}  ├`);
    const start = performance.now();
    const { title } = computeFingerprint(serverPayload({ error_name: '', message: 'x', stack }));
    expect(title).toBe('panic: cart <n> is closed');
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it('are decided by where an error was created, if only the spans are known', () => {
    const stack = `Error:\n   0: failed to read\n   1: no such file\n\nLocation:\n   src/ledger.rs:33\n\n  ━━━ SPANTRACE ━━━\n   0: shop::read with path="x"\n      at src/main.rs:9`;
    expect(of(stack)).toBe('ledger.rs');
  });
});
