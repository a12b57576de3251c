import fc from 'fast-check';
import { nativeImagesParser, nativeNumberedParser } from '../../../../core/fingerprint/stack/parsers/native-lines.js';
import type { StackParser } from '../../../../core/fingerprint/stack/parsers/stack-parser.js';
import { detectParser } from '../../../../core/fingerprint/stack/parsers/stack-parsers.js';
import { appleParser, swiftParser } from '../../../../core/fingerprint/stack/parsers/swift-apple.js';
import { serverPayload } from '../../../helpers/payloads.js';
import { computeFingerprint, decidingFrames } from '../compute-fingerprint.js';
import { expectFramesOfLines, framesBy } from './read-text.js';

const hex = (address: number) => `0x${address.toString(16).padStart(12, '0')}`;

const ASAN = (address: number) => `==12==ERROR: AddressSanitizer: heap-use-after-free on address ${hex(address)}
READ of size 8 at ${hex(address)} thread T0
    #0 ${hex(address)} in __interceptor_memcpy (/usr/bin/shop+0x4a2f)
    #1 ${hex(address + 8)} in shop::Cart<int>::total(int) const /app/src/cart.cpp:12:5
    #2 ${hex(address + 9)} in __libc_start_main (/lib/x86_64-linux-gnu/libc.so.6+0x2409b) (BuildId: 8f3a91c2)

${hex(address)} is located 0 bytes inside of 8-byte region
freed by thread T0 here:
    #0 ${hex(address)} in free (/usr/bin/shop+0x4a2f)
    #1 ${hex(address)} in shop::Cart<int>::clear() /app/src/cart.cpp:30:5`;
const GDB = (address: number) => `#0  __GI_raise (sig=sig@entry=6) at ../sysdeps/unix/sysv/linux/raise.c:50
#1  ${hex(address)} in __GI_abort () at abort.c:79
#2  ${hex(address)} in total (items=${hex(address)}, n=3) at src/cart.c:12
#3  <signal handler called>
#4  ${hex(address)} in ?? () from /lib/libshop.so.1
#5  main (argc=1, argv=${hex(address)}) at src/main.c:5`;
const GLIBC = (address: number) => `./shop(+0x12a9) [${hex(address)}]
./shop(_ZN4shop4Cart5totalEi+0x1d) [${hex(address)}]
/lib/x86_64-linux-gnu/libc.so.6(__libc_start_main+0xf3) [${hex(address)}]`;
const APPLE = (address: number) => `Exception Type:  EXC_CRASH (SIGABRT)

Thread 1:
0   libsystem_kernel.dylib        \t${hex(address)} __workq_kernreturn + 8

Thread 0 Crashed::  Dispatch queue: com.apple.main-thread
0   libsystem_kernel.dylib        \t${hex(address)} __pthread_kill + 8
1   libswiftCore.dylib            \t${hex(address)} _assertionFailure(_:_:file:line:flags:) + 308
2   My Shop                       \t${hex(address)} closure #1 (Int) -> Int in Cart.total(of:) + ${address % 100} (Cart.swift:12)
3   My Shop                       \t${hex(address)} -[Checkout submitWithCart:] + 120
4   My Shop                       \t${hex(address)} $s4Shop4CartC5clearyyF + 12
5   My Shop                       \t${hex(address)} ${hex(address)} + 12345
6   UIKitCore                     \t${hex(address)} -[UIApplication sendAction:to:from:forEvent:] + 96

Thread 2:
0   libsystem_kernel.dylib        \t${hex(address)} __workq_kernreturn + 8`;
const SWIFT = (address: number) => `Fatal error: Index out of range
*** Program crashed: Illegal instruction at ${hex(address)} ***

Thread 0 "main" crashed:

0 [system] ${hex(address)} _assertionFailure(_:_:file:line:flags:) + 353 in libswiftCore.so
1 [inlined] ${hex(address)} static Cart.first<A>(of:) in Shop at /app/Sources/Shop/Cart.swift:4:11
2 [ra] ${hex(address)} closure #2 in Cart.total() + ${address % 100} in Shop at /app/Sources/Shop/Cart.swift:9:3
3 [ra] [system] ${hex(address)} __libc_start_main + 12 in libc.so.6`;
const WINDOWS = (
  address: number,
) => `00 00000012\`3456789a 00007ff6\`${address.toString(16).padStart(8, '0')} ntdll!RtlUserThreadStart+0x21
01 00000012\`3456789a 00007ff6\`12345678 shop!Cart::total+0x${address.toString(16)} [C:\\work\\src\\cart.cpp @ 12]
shop.exe!Cart::clear(int x) Line 30
KERNEL32.DLL!BaseThreadInitThunk + 0x14
shop.exe+0x12a9`;

const SAMPLES: readonly (readonly [string, StackParser, (address: number) => string, string])[] = [
  ['sanitizers', nativeNumberedParser, ASAN, 'shop::Cart::total (cart.cpp)'],
  ['gdb', nativeNumberedParser, GDB, 'total (cart.c)'],
  ['glibc', nativeImagesParser, GLIBC, 'shop.shop::Cart::total'],
  ['Windows', nativeImagesParser, WINDOWS, 'Cart::total (cart.cpp)'],
  ['Apple', appleParser, APPLE, 'Cart.total (Cart.swift)'],
  ['Swift', swiftParser, SWIFT, 'Cart.first (Cart.swift)'],
];

describe('native stacks', () => {
  it.each(SAMPLES)('of %s are detected by their form and decided by the application', (_, parser, trace, culprit) => {
    expect(detectParser(trace(0x5566_1234))).toBe(parser);
    expect(
      computeFingerprint(serverPayload({ error_name: 'Crash', message: 'x', stack: trace(0x5566_1234) })).culprit,
    ).toBe(culprit);
  });

  it.each(SAMPLES)('of %s do not count addresses', (_, _parser, trace) => {
    const value = (address: number) =>
      computeFingerprint(serverPayload({ error_name: 'Crash', message: 'x', stack: trace(address) })).value;
    fc.assert(
      fc.property(fc.integer({ min: 0x10000, max: 0x7fffffff }), (address) => {
        expect(value(address)).toBe(value(0x5566_1234));
      }),
    );
  });

  it('end with the first stack of a report', () => {
    expect(framesBy(nativeNumberedParser, ASAN(0x5566_1234))).toMatchObject([
      { inApp: false },
      { function: 'shop::Cart::total', file: '/app/src/cart.cpp', line: 12, column: 5, inApp: true },
      { inApp: false },
    ]);
  });

  it.each([
    [
      '#01 pc 0000000000012345  /data/app/com.shop-1/lib/arm64/libshop.so (shop::Cart::total(int)+20) (BuildId: 8f3a)',
      { function: 'shop::Cart::total', module: 'libshop.so', inApp: true },
    ],
    ['#00 pc 000000000004d2e3  /system/lib64/libc.so (abort+50)', { function: 'abort', inApp: false }],
    ['* frame #0: 0x0000000100003f5c shop`total(n=3) at cart.c:12:5', { function: 'total', file: 'cart.c', line: 12 }],
    [' 0# total(int) at /app/cart.cpp:12', { function: 'total', line: 12 }],
    [
      '03-02 09:44:45.108 19972 19972 F DEBUG   :     #01 pc 00046778  /data/app/x/lib/arm/libshop.so (_ZN4shop4Cart5totalEv+12)',
      { function: 'shop::Cart::total', module: 'libshop.so', inApp: true },
    ],
    ['2 #01 pc 00312b39 /data/app/x/libshop.so (Cart::total()+212) [armeabi-v7a]', { function: 'Cart::total' }],
    [
      '#0    Object "/srv/shop/shop", at 0x55d0, in shop::Cart::total()',
      { function: 'shop::Cart::total', module: 'shop' },
    ],
    ['#1    Source "/srv/shop/cart.cpp", line 12, in shop::Cart::total()', { file: '/srv/shop/cart.cpp', line: 12 }],
    ['@     0x55d0c0ffee00 shop::Cart::total()', { function: 'shop::Cart::total' }],
    ['3: 0x7f1a2b3c4d5e shop::Cart::Total(int const&) [/srv/shop/shop.node]', { module: 'shop.node', inApp: true }],
    ['1: 0xb09980 node::Abort() [node]', { function: 'node::Abort', inApp: false }],
    ['#0 0x1 in wrap_memcpy (libclang_rt.asan_osx_dynamic.dylib:x86_64h+0x509f6)', { inApp: false }],
    [
      'frame #3: 0x0000000102e4a1b0 Shop`-[Cart total](self=0x0000, _cmd="total") at Cart.m:44:5',
      { function: '-[Cart total]' },
    ],
    ['#1 0x55d0c0ffee00 in (anonymous namespace)::Pool::take() /app/pool.cpp:3', { function: 'Pool::take' }],
    [
      '#1 0x55d0c0ffee00 in std::vector<int, std::allocator<int> >::at(unsigned long) /usr/include/c++/12/vector:3',
      { function: 'std::vector::at', inApp: false },
    ],
    [
      '#1 0x55d0c0ffee00 in void shop::sort<int>(int*) [clone .constprop.0] /app/sort.cpp:3',
      { function: 'shop::sort' },
    ],
    ['#1 0x55d0c0ffee00 in Cart::operator()(int) const /app/cart.cpp:3', { function: 'Cart::operator()' }],
    ['==12==    at 0x4E36118: shop_total (cart.c:12)', { function: 'shop_total', file: 'cart.c', line: 12 }],
    ['==12== by 0x1093BE: Cart::add(int) (in /srv/shop/shop)', { function: 'Cart::add', module: 'shop' }],
    ['==12==    by 0x1093BE: ??? (in /srv/shop/libcart.so)', { function: null, module: 'libcart.so' }],
    [
      '#1 0x55d0c0ffee00 in Cart::total(int) src/cart.cpp:3, r0=104',
      { function: 'Cart::total', file: 'src/cart.cpp', line: 3 },
    ],
  ] as const)('read %s', (line, frame) => {
    expect(framesBy(nativeNumberedParser, line)[0]).toMatchObject(frame);
  });

  it.each([
    ['>\tshop.exe!shop::Cart::total(int n) Line 12\tC++', { function: 'shop::Cart::total', line: 12 }],
    [
      '[  0]LogShop: Error: [Callstack] 0x00007ff6a1b2c3d4 Shop-Win64.exe!UCart::Total() [C:\\build\\Source\\Cart.cpp:42]',
      { function: 'UCart::Total', line: 42 },
    ],
    ['[2] /usr/bin/shop(Cart::total+0x12) [0x55d0c0ffee00] (??:0)', { function: 'Cart::total', module: 'shop' }],
    ['/usr/bin/shop-server *:6379(lookupCart+0x2d)[0x55d0c0ffee20]', { function: 'lookupCart', module: 'shop-server' }],
    ['/srv/shop/shop(+0x2d) [0x55d0c0ffee20] Cart::total()', { function: 'Cart::total', module: 'shop' }],
    ['0x55d0c0ffee00 in Cart::total (this=0x0, n=3) at cart.cpp:12', { function: 'Cart::total', line: 12 }],
    ['0x55d0c0ffee00 in cart_total () from /srv/shop/libcart.so.1', { function: 'cart_total', module: 'libcart.so' }],
    ['0x55d0c0ffee00 in cart_total ()', { function: 'cart_total' }],
    [' 3  shop!Cart::total(int) [cart.cpp : 12 + 0x5]', { function: 'Cart::total', file: 'cart.cpp', line: 12 }],
    ['12  libcart.so.1!Cart::total(int) + 0x4f', { function: 'Cart::total', module: 'libcart.so' }],
    [' 0  shop.exe + 0x8b0c16', { function: null, module: 'shop.exe' }],
    [
      '00000014`2b0ff5a8 00007ff6`1c2e1b2d     : 00000000`00000001 00000000`00000002 : shop!Cart::total+0x1d [D:\\a\\cart.cpp @ 42]',
      { function: 'Cart::total', line: 42 },
    ],
    ['0x00007FF8C736CB58 (ShopPlugin) CartTotal', { function: 'CartTotal', module: 'ShopPlugin', inApp: true }],
    ['0x00007FF8C736CB58 (ShopPlugin) (function-name not available)', { function: null, module: 'ShopPlugin' }],
    ['0x00007FF8C736CB58 (UnityPlayer) UnityMain', { inApp: false }],
    [
      '0x239A2DED (Mono JIT Code) [Cart.cs:12] Shop.Cart:Total (int)',
      { function: 'Total', module: 'Shop.Cart', inApp: true },
    ],
  ] as const)('of other tools read %s', (line, frame) => {
    expect(framesBy(nativeImagesParser, line)[0]).toMatchObject(frame);
  });

  it.each([
    [
      '4   me.shop.Pretty   0x000000010b2376a5 Cart.total(of:) + 917 (Cart.swift:187)',
      { function: 'Cart.total', inApp: true },
    ],
    ['5   Shop   0x00185aa5 __96-[Api load:]_block_invoke115 (Api.m:192)', { function: '-[Api load:]', file: 'Api.m' }],
    ['3   com.apple.AppKit   0x000000010b2376a5 -[NSView draw] + 917', { inApp: false }],
    ['6  ShopKit   0x3a698 _hidden#2304 + 52 (_hidden#2295:52)', { function: null, file: null, module: 'ShopKit' }],
    [
      'at 1   shop   0x0000000102e4a1b0 kfun:com.shop.Cart#total(){}kotlin.Int + 120 (/srv/Cart.kt:12:5)',
      { function: 'com.shop.Cart#total', line: 12 },
    ],
    ['6   Shop   0x0000000102e4a1b0 <unavailable> + 5530529', { function: null, module: 'Shop' }],
    ['0  Shop   0x104b57548 FIRCLSProcessRecordAllThreads + 392 (FIRCLSProcess.c:392)', { inApp: false }],
    ['2   Shop   0x0000000102e4a1b0 partial apply for thunk for @callee_guaranteed () -> () + 20', { inApp: false }],
  ] as const)('of Apple read %s', (line, frame) => {
    expect(framesBy(appleParser, line)[0]).toMatchObject(frame);
  });

  it('whose innermost frame is the last one are read from their end', () => {
    const stack =
      'Stack trace (most recent call last):\n#1    Object "/srv/shop", at 0x55d0, in main\n#0    Object "/srv/shop", at 0x55d0, in total()';
    expect(framesBy(nativeNumberedParser, stack).map((frame) => frame.function)).toEqual(['total', 'main']);
  });

  it('end with the crashed thread of a minidump', () => {
    const dump =
      'Thread 3 (crashed)\n 0  shop.exe + 0x8b0c16\n    Found by: stack scanning\n\nThread 4\n 0  other.exe + 0x12';
    expect(framesBy(nativeImagesParser, dump)).toMatchObject([{ module: 'shop.exe' }]);
  });

  it('of Valgrind end before that of the memory', () => {
    const report = `==12== Invalid read of size 8
==12==    at 0x484ED16: strlen (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)
==12==    by 0x10ECB7: check_cart (cart.c:28)
==12==    by 0x10EC06: main (main.c:12)
==12==  Address 0x4b9bfc0 is 0 bytes inside a block of size 3 free'd
==12==    at 0x484B27F: free (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)`;
    expect(framesBy(nativeNumberedParser, report)).toHaveLength(3);
    const found = computeFingerprint(serverPayload({ error_name: '', message: 'x', stack: report }));
    // In C a check cannot fail for its caller.
    expect(found).toMatchObject({ culprit: 'check_cart (cart.c)' });
  });

  it('of a caught exception come before those of the thread that it ended', () => {
    const stack = `Application Specific Backtrace 1:\n0   CoreFoundation   0x000181234567 __exceptionPreprocess + 220\n1   Shop   0x000181234567 Cart.total() + 3\n\n${APPLE(0x5566_1234)}`;
    expect(framesBy(appleParser, stack)).toHaveLength(2);
  });

  it('are parsed with names of Swift and Objective-C, and without symbols', () => {
    expect(framesBy(appleParser, APPLE(0x5566_1234)).map(({ function: name, inApp }) => [name, inApp])).toEqual([
      ['__pthread_kill', false],
      [expect.anything(), false],
      ['Cart.total', true],
      ['-[Checkout submitWithCart:]', true],
      ['Cart.clear', true],
      [null, true],
      ['-[UIApplication sendAction:to:from:forEvent:]', false],
    ]);
  });

  it('prefer the exception to the thread that it ended', () => {
    const stack = `Last Exception Backtrace:\n0   CoreFoundation   0x000181234567 __exceptionPreprocess + 220\n1   Shop   0x000181234567 Cart.total() + 3\n\n${APPLE(0x5566_1234)}`;
    expect(framesBy(appleParser, stack).map((frame) => frame.function)).toEqual([
      '__exceptionPreprocess',
      'Cart.total',
    ]);
  });

  it('are the place of an assertion or of a report of UBSan without frames', () => {
    const assertion = "shop: src/cart.c:12: int total(int): Assertion `n > 5' failed.";
    expect(framesBy(nativeImagesParser, assertion)).toMatchObject([
      { function: 'total', file: 'src/cart.c', line: 12 },
    ]);
    const report = 'src/cart.c:9:48: runtime error: division by zero';
    expect(detectParser(report)?.family).toBe('native_images');
    expect(framesBy(nativeImagesParser, report)).toMatchObject([{ function: null, file: 'src/cart.c', line: 9 }]);
    const withStack = `${report}\n    #0 0x1 in f src/cart.c:9\n    #1 0x2 in main src/main.c:2`;
    expect(detectParser(withStack)?.family).toBe('native_numbered');
  });

  it('have a source before their image as ThreadSanitizer prints them', () => {
    expect(framesBy(nativeNumberedParser, '#0 shop::count(int) src/cart.cpp:19:3 (shop+0x1559)')).toMatchObject([
      { function: 'shop::count', module: null, file: 'src/cart.cpp', line: 19 },
    ]);
  });

  it.each([
    [
      '0x55f9ab8f1485, function signature specialization <Arg[0] = Dead> of Shop.Cart.total(Swift.Int) -> () at /srv/Cart.swift:9',
      { function: 'Shop.Cart.total', file: '/srv/Cart.swift', line: 9 },
    ],
    [
      '0x55f9ab8f1485, closure #1 () -> () in static Backtrace.Backtrace.install() -> () at /srv/<compiler-generated>:0',
      { inApp: false },
    ],
  ] as const)('of Swift without numbers read %s', (line, frame) => {
    expect(framesBy(swiftParser, line)).toMatchObject([frame]);
    expect(framesBy(swiftParser, '0x7f66da7c741f')).toEqual([]);
  });

  it.each([
    '#2  0x000055d0c0ffee00 in cart_total () from /usr/lib/libcart.so.2',
    '#2  0x000055d0c0ffee00 in cart_total (n=3) at /usr/src/debug/shop/src/cart.c:12',
  ])('of installed programs are decided by their libraries before the system: %s', (line) => {
    const stack = `#0  0x000055d0c0ffee00 in free () from /usr/lib/libc.so.6\n#1  0x000055d0c0ffee00 in unlink_chunk () at /usr/src/debug/glibc/malloc.c:3\n${line}`;
    expect(computeFingerprint(serverPayload({ stack })).culprit).toContain('cart_total');
    const app = `${stack}\n#3  0x000055d0c0ffee00 in main () at src/shop.c:5`;
    expect(computeFingerprint(serverPayload({ stack: app })).culprit).toBe('main (shop.c)');
  });

  it('of Swift without a backtrace are the location in the message', () => {
    expect(framesBy(swiftParser, 'Shop/Cart.swift:12: Fatal error: Index out of range')).toMatchObject([
      { function: null, file: 'Shop/Cart.swift', line: 12, inApp: true },
    ]);
    expect(framesBy(swiftParser, 'Fatal error: no cart: file Shop/Cart.swift, line 12')).toMatchObject([{ line: 12 }]);
    expect(framesBy(swiftParser, 'Swift/Array.swift:12: Fatal error: x')).toMatchObject([{ inApp: false }]);
    const logged = '2024-07-29 15:00:00.123+0200 My Shop[100:2a0] Shop/Cart.swift:12: Fatal error: x';
    expect(framesBy(swiftParser, logged)).toMatchObject([{ file: 'Shop/Cart.swift', line: 12 }]);
  });

  it('of Swift begin with their first call, however far it is from its number', () => {
    const stack = `0      0x000000010f3b2c3d Cart.total(_:) + 13 in shop at /srv/shop/Cart.swift:12:9
1 [ra] 0x000000010f3b2c55 static Main.main() + 24 in shop at /srv/shop/Main.swift:4:9`;
    expect(framesBy(swiftParser, stack).map((frame) => frame.function)).toEqual(['Cart.total', 'Main.main']);
  });

  it.each([
    '3 errors in module',
    '12 items in cart at home',
    '3 tests (of 5) in suite',
    '#1 priority is at risk',
    '#0 /app/x.php(12): f()',
    'a+b!c',
    '0 all good',
    '5 Image here',
    '==12== 3 errors at 0x12',
    '0x12 in total',
  ])('do not contain the frame %p', (line) => {
    for (const parser of [appleParser, swiftParser, nativeNumberedParser, nativeImagesParser]) {
      expect(framesBy(parser, line)).toEqual([]);
    }
  });

  it.each([appleParser, swiftParser, nativeNumberedParser, nativeImagesParser])(
    'never throw on any text: $family',
    (parser) => {
      expectFramesOfLines(parser, [
        '#0 ',
        '0x7f0012345678',
        ' in ',
        ' at ',
        '(',
        ')',
        '<',
        '>',
        '::',
        '\n',
        '+0x1f',
        '[0x7f00]',
        '!',
        ' + 12',
        '0   ',
        '_ZN4',
        '$s4',
        ':12',
        '`',
      ]);
    },
  );
});

/** As GCC prints it for the function `both`: the frames of the library and of the lambda that called it follow. */
const report = (
  kind: string,
  address: number,
  innermost = '',
) => `==${address % 1000}==ERROR: AddressSanitizer: ${kind} on address ${hex(address)} at pc ${hex(address + 3)} bp ${hex(address + 4)} sp ${hex(address + 5)}
READ of size 4 at ${hex(address)} thread T0
${innermost}    #${innermost === '' ? 0 : 1} ${hex(address)} in shop::both(int) src/cart.cpp:${address % 100}
    #1 ${hex(address)} in operator() src/cart.cpp:36
    #2 ${hex(address)} in __invoke_impl<int, helper(char const*, int)::<lambda()>&> /usr/include/c++/12/bits/invoke.h:61
    #3 ${hex(address)} in main src/main.cpp:40`;
const undefinedBehavior = (text: string, line: number) => `src/cart.cpp:${line}:48: runtime error: ${text}
    #0 ${hex(line)} in shop::both(int) src/cart.cpp:${line}
    #1 ${hex(line)} in main src/main.cpp:40`;

describe('reports of sanitizers', () => {
  const crash = (stack: string, error_name = 'ProcessExit') =>
    computeFingerprint(serverPayload({ error_name, message: stack.slice(0, stack.indexOf('\n')), stack }));

  it('are one failure for one kind of error in one function', () => {
    const first = crash(report('heap-use-after-free', 0x6020_0010));
    expect(crash(report('heap-use-after-free', 0x6140_0040), 'SIGABRT').value).toBe(first.value);
    expect(first.title).toBe('heap-use-after-free in shop::both (cart.cpp)');
    const overflow = crash(
      undefinedBehavior("signed integer overflow: 2147483647 + 3 cannot be represented in type 'int'", 24),
    );
    expect(
      crash(undefinedBehavior("signed integer overflow: 2147483647 + 6 cannot be represented in type 'int'", 28)).value,
    ).toBe(overflow.value);
  });

  it('are different failures for two kinds in one function', () => {
    const reports = [
      report('heap-use-after-free', 0x6020_0010),
      report('stack-buffer-overflow', 0x7ffc_0010),
      undefinedBehavior("signed integer overflow: 2147483647 + 3 cannot be represented in type 'int'", 24),
      undefinedBehavior("index 4 out of bounds for type 'int [4]'", 25),
      undefinedBehavior('division by zero', 26),
    ];
    expect(new Set(reports.map((stack) => crash(stack).value)).size).toBe(reports.length);
  });

  it.each([
    'in std::vector<int>::operator[](unsigned long) ../build/vector:1123',
    'in std::__1::basic_string<char>::append(char const*) (/srv/shop/shop+0x12)',
    'in __gnu_cxx::new_allocator<int>::allocate(unsigned long) src/new_allocator.h:12',
    'in operator()<int*, int*> /opt/gcc-12/include/c++/12/bits/predefined_ops.h:158',
    'in __interceptor_strcpy ../../../../src/libsanitizer/asan/asan_interceptors.cpp:425',
    'in operator new(unsigned long) (/srv/shop/shop+0x12)',
    'in strncat (/srv/shop/shop+0x12)',
  ])('are not decided by the library: %s', (innermost) => {
    const through = crash(report('heap-use-after-free', 0x6020_0010, `    #0 0x6020aa ${innermost}\n`));
    expect(through.value).toBe(crash(report('heap-use-after-free', 0x6020_0010)).value);
  });

  it('are decided by the file of a lambda without a name', () => {
    const lambda = report('heap-use-after-free', 0x6020_0010).replace('shop::both(int)', 'operator()');
    expect(crash(lambda).culprit).toBe('cart.cpp');
  });

  it('name stacks that ran over', () => {
    const frames = Array.from(
      { length: 40 },
      (_, at) => `    #${at} 0x55 in shop::${at % 2 === 0 ? 'even' : 'odd'}(int) src/cart.cpp:3`,
    );
    const deep = ['==7==ERROR: AddressSanitizer: stack-overflow on address 0x7ffe (pc 0x55)', ...frames].join('\n');
    expect(decidingFrames(crash(deep))).toEqual(['shop::even (cart.cpp)', 'shop::odd (cart.cpp)']);
  });
});
