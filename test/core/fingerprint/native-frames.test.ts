import type { JsonObject } from '../../../core/event/json.js';
import type { Fingerprint } from '../../../core/fingerprint/fingerprint.js';
import { serverPayload } from '../../helpers/payloads.js';
import { computeFingerprint } from './compute-fingerprint.js';
import { sentExtra, sentKeys } from './sent-frames/sent-stack.js';

/** An event of native code; `frames` are in the order of SDKs, the caller first. */
function sent(frames: JsonObject[]): Fingerprint {
  return computeFingerprint(serverPayload({ extra: sentExtra('native', frames) }));
}

const APP = '/opt/shop/bin/shop';

describe('sent frames of native code', () => {
  it.each([
    ['-[NSString(Price) parse:]', '-[NSString(Markdown) render]', 'parse:'],
    ['shop::(anonymous namespace)::total(int)', 'shop::(anonymous namespace)::refund(int)', 'total'],
    [
      'std::function<void (int)> shop::makeHandler(int)',
      'std::function<void (int)> shop::makeTimer(int)',
      'makeHandler',
    ],
    ['decltype(auto) shop::visit(int)', 'decltype(auto) shop::leave(int)', 'visit'],
    ['void (*shop::handler())(int)', 'void (*shop::timer())(int)', 'handler'],
    ['shop::operator<<(std::ostream&, int)', 'shop::operator>>(std::istream&, int)', 'operator<<'],
    [
      'closure #1 (Swift.Int) -> () in Shop.Cart.total() -> ()',
      'closure #1 (Swift.Int) -> () in Shop.Cart.load() -> ()',
      'Cart.total',
    ],
    [
      '(extension in Shop):Swift.Array.total() -> Swift.Int',
      '(extension in Shop):Swift.Array.load() -> Swift.Int',
      'total',
    ],
  ])('are told apart by their names: %s and %s', (one, other, shown) => {
    const of = (name: string) => sent([{ function: name, package: APP, in_app: true }]);
    expect(of(one).culprit).toContain(shown);
    expect(of(one).value).not.toBe(of(other).value);
  });

  it.each<[string, JsonObject[]]>([
    [
      'free of glibc',
      [
        { function: 'free', package: '/lib/x86_64-linux-gnu/libc.so.6' },
        { function: 'abort' },
        { function: 'gsignal' },
      ],
    ],
    [
      'a lock of Android',
      [{ function: '__pthread_mutex_lock', package: '/apex/com.android.runtime/lib64/bionic/libc.so' }],
    ],
    [
      'the runtime of Android',
      [{ function: 'art::JavaVMExt::JniAbort(char const*)', package: '/apex/com.android.art/lib64/libart.so' }],
    ],
    ['a message to an object', [{ function: 'objc_msgSend', package: '/usr/lib/libobjc.A.dylib' }]],
    [
      'an exception of Objective-C',
      [
        {
          function: '-[__NSArrayM objectAtIndex:]',
          package: '/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation',
        },
        { function: 'objc_exception_throw', package: '/usr/lib/libobjc.A.dylib' },
        {
          function: '__exceptionPreprocess',
          package: '/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation',
        },
      ],
    ],
    [
      'a failed check of Swift',
      [
        {
          function: 'Swift._assertionFailure(_: Swift.StaticString) -> Swift.Never',
          package: '/usr/lib/swift/libswiftCore.dylib',
        },
      ],
    ],
    ['a queue of Apple', [{ function: '_dispatch_client_callout', package: 'libdispatch.dylib' }]],
    ['the heap of Windows', [{ function: 'RtlAllocateHeap', package: 'C:\\Windows\\System32\\ntdll.dll' }]],
    [
      'an exception of C++',
      [{ function: 'std::terminate()' }, { function: '__cxa_throw' }, { function: '_Unwind_Resume' }],
    ],
    ['a page of the kernel', [{ function: '__kernel_vsyscall', package: 'linux-gate.so.1' }]],
    [
      'a handler of crashes',
      [
        { function: 'crashpad::CrashpadClient::DumpWithoutCrash', package: APP },
        { function: 'sentry__capture_crash', package: APP },
      ],
    ],
    ['an interceptor of a sanitizer', [{ function: '__interceptor_memcpy', package: APP }]],
    ['a thunk of Swift', [{ function: 'thunk for @escaping @callee_guaranteed () -> ()', package: APP }]],
  ])('are not decided by %s, however it is marked', (_, inner) => {
    const app = (name: string, mark: JsonObject) => {
      return [{ function: 'main', package: APP }, { function: name, package: APP }, ...inner].map((frame) => ({
        ...frame,
        ...mark,
      }));
    };
    for (const mark of [{}, { in_app: true }, { in_app: false }]) {
      const total = sent(app('shop::Cart::total', mark));
      expect(total.culprit).toContain('shop::Cart::total');
      expect(sent(app('shop::Profile::load', mark)).value).not.toBe(total.value);
    }
  });
});

it.each(['core::Engine::run(int)', 'art::Canvas::draw()', 'alloc::Pool::take()'])(
  'a namespace of a program that runtimes have too is its own: %s',
  (name) => {
    const frames = [
      { function: 'main', package: APP },
      { function: name, package: APP },
    ];
    expect(sent(frames).culprit).toContain(name.slice(0, name.indexOf('(')));
  },
);

describe('sent frames of Rust', () => {
  const panicked = [
    'sentry_core::hub::Hub::with_active',
    'sentry_panic::panic_handler::{{closure}}',
    'std::panicking::begin_panic_handler::{{closure}}',
    '__rustc::rust_begin_unwind',
    'core::panicking::panic_fmt',
    'core::option::unwrap_failed',
  ].map((name) => ({ function: name }));

  it.each([
    ['shop::cart::total', 'src/cart.rs', 'shop::cart.total'],
    ['shop::cart::total::{{closure}}', undefined, 'shop::cart.total'],
    ['shop::cart::total::<u32>', undefined, 'shop::cart.total'],
    ['shop::cart::{impl#3}::total', 'src/cart.rs', 'shop::cart::{impl}.total'],
    ['shop::cart::impl$3::total', 'src/cart.rs', 'shop::cart::{impl}.total'],
    ['shop::cart::load::{closure#1}::total', 'src/cart.rs', 'shop::cart::load::{closure}.total'],
    ['<(A, B) as shop::Total>::total', 'src/cart.rs', '<(A, B) as shop::Total>.total'],
    ['<(A, B) as shop::Total>::total', undefined, '<(A, B) as shop::Total>.total'],
    ['<shop::Cart as core::ops::drop::Drop>::drop', 'src/cart.rs', '<shop::Cart as core::ops::drop::Drop>.drop'],
    ['<alloc::vec::Vec<T> as shop::Total>::total', 'src/cart.rs', '<alloc::vec::Vec<T> as shop::Total>.total'],
  ])('are decided by the function of the application: %s', (name, path, key) => {
    const own = { function: name, ...(path !== undefined && { filename: path, abs_path: `/srv/shop/${path}` }) };
    const frames = [...panicked, own, { function: 'std::rt::lang_start' }].map((frame) => ({ ...frame, in_app: true }));
    expect(sentKeys('native', frames)).toEqual([key]);
  });

  it('are decided by a trait of the application for a type of the language, and not also by its caller', () => {
    const called = ['shop::main', '<alloc::boxed::Box<dyn shop::Job> as shop::Runner>::run'];
    const frames = called.map((name) => ({ function: name, abs_path: '/srv/shop/src/run.rs' }));
    expect(sentKeys('native', frames.toReversed())).toEqual(['<alloc::boxed::Box<dyn shop::Job> as shop::Runner>.run']);
  });

  it.each([
    'anyhow::error::<impl anyhow::Error>::msg',
    'color_eyre::config::install',
    'tokio::runtime::task::raw::poll',
    '<T as core::convert::Into<U>>::into',
  ])('are not decided by %s', (name) => {
    const frames = [name, 'shop::cart::load'].map((called) => ({ function: called, in_app: true }));
    expect(sentKeys('native', frames)).toEqual(['shop::cart.load']);
  });
});

describe('sent frames of Go', () => {
  it.each([
    [{ module: 'example.com/shop/stock', function: '(*Service).Reserve' }, 'example.com/shop/stock.Service.Reserve'],
    [{ module: 'example.com/shop/stock', function: 'Service.Reserve[...]' }, 'example.com/shop/stock.Service.Reserve'],
    [{ module: 'main', function: 'handle.func1.2' }, 'main.handle'],
    [{ function: 'main.(*Cart).Total' }, 'main.Cart.Total'],
  ])('are named as in a text: %j', (frame, key) => {
    const recover = {
      module: 'github.com/getsentry/sentry-go',
      function: '(*Hub).Recover',
      abs_path: '/go/pkg/mod/github.com/getsentry/sentry-go@v0.27.0/hub.go',
    };
    const inner = { module: 'runtime', function: 'gopanic', abs_path: '/usr/local/go/src/runtime/panic.go' };
    const frames = [recover, inner, frame].map((one) => ({ ...one, in_app: true }));
    expect(sentKeys('go', frames)).toEqual([key]);
  });
});

describe('sent frames of Dart', () => {
  it.each([
    [{ function: 'Cart.total', abs_path: 'package:shop/cart.dart' }, 'Cart.total (cart.dart)'],
    [{ function: 'Cart.total.<fn>', abs_path: 'package:shop/cart.dart' }, 'Cart.total (cart.dart)'],
    [{ function: '<fn>', abs_path: 'package:shop/cart.dart' }, 'cart.dart'],
  ])('are named as in a text: %j', (frame, key) => {
    const below = [
      { function: 'SentryHttpClient.send', abs_path: 'package:sentry/src/http_client.dart' },
      { function: 'List.first', abs_path: 'dart:core-patch/growable_array.dart' },
      { abs_path: '<asynchronous suspension>' },
    ];
    const frames = [...below, frame].map((one) => ({ ...one, in_app: true }));
    expect(sentKeys('dart', frames)).toEqual([key]);
  });
});

describe('sent frames of an unknown platform', () => {
  it.each([
    [{ function: 'void ledger::post(int, char const*)' }, 'ledger::post'],
    [{ function: '-[NSString(Price) parse:]' }, '-[NSString(Price) parse:]'],
    [{ function: 'shop::Cart::total(int)', package: '/srv/libshop.so' }, 'libshop.so.shop::Cart::total'],
    [{ function: 'main.(*Service).Reserve' }, 'main.Service.Reserve'],
    [{ function: 'shop::cart::total::h0123456789abcdef' }, 'shop::cart.total'],
    [{ function: 'Cart.total.<fn>', abs_path: 'package:shop/cart.dart' }, 'Cart.total (cart.dart)'],
  ])('are read by their form: %j', (frame, key) => {
    expect(sentKeys('other', [frame])).toEqual([key]);
  });
});
