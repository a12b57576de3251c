import fc from 'fast-check';
import { dartParser } from '../../../../../core/fingerprint/stack/parsers/dart.js';
import { detectParser } from '../../../../../core/fingerprint/stack/parsers/stack-parsers.js';
import { serverPayload } from '../../../../helpers/payloads.js';
import { computeFingerprint } from '../../compute-fingerprint.js';
import { expectFramesOfLines, framesBy } from '../../stack-parsers/read-text.js';

const vm = (line: number) => `#0      List.first (dart:core-patch/growable_array.dart:343:5)
#1      Cart.total.<anonymous closure> (package:shop/src/cart.dart:${line}:12)
<asynchronous suspension>
#2      _Checkout@17026.submit (package:shop/checkout.dart:${line + 3}:5)
#3      StatefulElement.build (package:flutter/src/widgets/framework.dart:5080:27)
(elided 3 frames from dart:async)
#4      main (file:///home/anna/shop/bin/main.dart:4)`;

const framesOf = (stack: string) => framesBy(dartParser, stack);

describe('frames of Dart', () => {
  it('are parsed from the form of the Dart VM', () => {
    expect(framesOf(vm(10))).toMatchObject([
      { function: 'List.first', inApp: false },
      { function: 'Cart.total', file: 'package:shop/src/cart.dart', line: 10, column: 12, inApp: true },
      { function: '_Checkout.submit', inApp: true },
      { function: 'StatefulElement.build', inApp: false },
      { function: 'main', file: 'shop/bin/main.dart', line: 4, column: null },
    ]);
  });

  it('are parsed from the folded form', () => {
    const stack = `dart:core                          List.first
package:shop/src/cart.dart 10:12   Cart.total.<fn>
===== asynchronous gap ===========================
package:shop/checkout.dart 22:5    Checkout.submit
lib/main.dart 4                    main`;
    expect(framesOf(stack)).toMatchObject([
      { function: 'Cart.total', line: 10, column: 12 },
      { function: 'Checkout.submit' },
      { function: 'main', file: 'lib/main.dart', column: null },
    ]);
    expect(detectParser(stack)).toBe(dartParser);
  });

  it('are not mistaken for other numbered frames', () => {
    expect(detectParser(vm(1))).toBe(dartParser);
  });

  it('of a build without symbols are grouped by message', () => {
    const stack = `*** *** ***\npid: 12, tid: 13, name 1.ui\n    #00 abs 0000007b1d2e3f virt 000000000012 _kDartIsolateSnapshotInstructions+0x1d2e3f`;
    expect(detectParser(stack)).toBe(dartParser);
    expect(framesOf(stack)).toEqual([]);
  });

  it('in a box of a framework name what was thrown', () => {
    const box = `══╡ EXCEPTION CAUGHT BY WIDGETS LIBRARY ╞═══
The following StateError was thrown building CartView(dirty):
Bad state: No element

When the exception was thrown, this was the stack:
#0      List.first (dart:core-patch/growable_array.dart:344:5)
#1      CartView.build (package:shop/cart_view.dart:20:18)`;
    const of = (stack: string) =>
      computeFingerprint(serverPayload({ error_name: '', message: 'EXCEPTION CAUGHT', stack }));
    expect(of(box)).toMatchObject({
      title: 'StateError: Bad state: No element',
      culprit: 'CartView.build (cart_view.dart)',
    });
    expect(of(box.replace('StateError', 'assertion')).title).toBe('AssertionError: Bad state: No element');
  });

  it('are parsed behind the prefix of a log of Android', () => {
    const log =
      'I/flutter ( 4242): #0      Cart.total (package:shop/cart.dart:12:3)\nI/flutter ( 4242): #1      main (package:shop/main.dart:5:3)';
    expect(framesBy(dartParser, log).map((frame) => frame.function)).toEqual(['Cart.total', 'main']);
  });

  it.each([
    '#0      Cart.total \npackage:shop/…/cart.dart:12\n#1      main \npackage:shop/main.dart:5',
    '#0      Cart.total\n(package:shop/cart.dart:12:3)\n#1      main\n(package:shop/main.dart:5:3)',
    '[        ] E/flutter ( 5415): #0      Cart.total\n(package:shop/cart.dart:12:3)\n[   +3 ms] E/flutter ( 5415): #1      main\n(package:shop/main.dart:5:3)',
  ])('are parsed with their location on the next line: %j', (stack) => {
    expect(framesOf(stack)).toMatchObject([
      { function: 'Cart.total', line: 12 },
      { function: 'main', line: 5 },
    ]);
  });

  it('are decided by a package before the language', () => {
    const stack =
      '#0      parse (dart:convert-patch/convert_patch.dart:1463:5)\n#1      read (package:flutter_x/read.dart:12:3)';
    expect(computeFingerprint(serverPayload({ stack })).culprit).toContain('read');
  });

  it.each([
    'package:flutter_bloc/src/bloc.dart',
    'package:sentry/src/hub.dart',
    'package:dio/src/dio_mixin.dart',
    'dart-sdk/lib/async/zone.dart',
  ])('of %s are not the application', (path) => {
    expect(framesBy(dartParser, `#0      run (${path}:1:2)`)[0]?.inApp).toBe(false);
  });

  it('of a browser are parsed as V8', () => {
    expect(detectParser('Error: x\n    at Object.total (https://shop.example/main.dart.js:12:3)')?.family).toBe('v8');
  });

  it('are those of the first stack of several', () => {
    expect(framesOf(`${vm(1)}\n${vm(2)}`)).toHaveLength(5);
  });

  it('decide by the innermost in-app frame at any position', () => {
    const of = (line: number) =>
      computeFingerprint(serverPayload({ error_name: 'StateError', message: 'x', stack: vm(line) }));
    expect(of(1).culprit).toContain('Cart.total');
    fc.assert(
      fc.property(fc.nat(99_999), (line) => {
        expect(of(line).value).toBe(of(1).value);
      }),
    );
  });

  it('are parsed from any text without throwing', () => {
    expectFramesOfLines(dartParser, [
      '#0 ',
      '#1      ',
      '(package:',
      '.dart',
      ':1:2',
      ')',
      '\n',
      'dart:',
      ' ',
      '.<fn>',
      '12:3',
    ]);
  });
});
