import { rustParser } from '../../../../../core/fingerprint/stack/parsers/rust.js';
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
