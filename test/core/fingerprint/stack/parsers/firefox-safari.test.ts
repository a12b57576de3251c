import fc from 'fast-check';
import { firefoxSafariParser } from '../../../../../core/fingerprint/stack/parsers/javascript.js';
import { detectParser } from '../../../../../core/fingerprint/stack/parsers/stack-parsers.js';
import { serverPayload } from '../../../../helpers/payloads.js';
import { computeFingerprint } from '../../compute-fingerprint.js';
import { expectFramesOfLines, framesBy } from '../../stack-parsers/read-text.js';

const framesOf = (stack: string) => framesBy(firefoxSafariParser, stack);

const FIREFOX = `total@https://shop.example/js/cart.3f2a9c1b.js:12:34
submit/<@https://shop.example/js/cart.3f2a9c1b.js:40:9
promise callback*submit@https://shop.example/js/cart.3f2a9c1b.js:39:5
@https://shop.example/js/main.js:1:1
`;
const SAFARI = `total@https://shop.example/js/cart.3f2a9c1b.js:12:34
forEach@[native code]
submit@https://shop.example/js/cart.3f2a9c1b.js:40:9
global code@https://shop.example/js/main.js:1:1`;

describe('frames of Firefox and Safari', () => {
  it.each([
    [
      'total@https://shop.example/js/cart.js:12:34',
      { function: 'total', file: 'js/cart.js', line: 12, column: 34, inApp: true },
    ],
    ['async*total@https://shop.example/js/cart.js:12:34', { function: 'total' }],
    ['setTimeout handler*start@https://shop.example/a.js:1:2', { function: 'start' }],
    ['total/</<@https://shop.example/a.js:1:2', { function: 'total' }],
    ['async total@https://shop.example/a.js:1:2', { function: 'total' }],
    ['@https://shop.example/a.js:1:2', { function: null, file: 'a.js' }],
    ['https://shop.example/a.js:1:2', { function: null, file: 'a.js' }],
    ['https://shop.example/@vite/client.ts:1:2', { function: null, file: '@vite/client.ts' }],
    ['price@https://shop.example/rules.js line 12 > eval:1:5', { function: 'price', file: 'rules.js' }],
    ['global code@https://shop.example/a.js:1:2', { function: null, file: 'a.js' }],
    ['get total@https://shop.example/a.js:1:2', { function: 'total' }],
    ['forEach@[native code]', { function: 'forEach', file: null, inApp: false }],
    ['[native code]', { function: null, inApp: false }],
    ['map@self-hosted:180:17', { function: 'map', file: null, inApp: false }],
    ['f@debugger eval code:1:7', { file: null, inApp: false }],
    ['total @ cart.js:12', { function: 'total', file: 'cart.js', line: 12, inApp: true }],
    ['(anonymous) @ cart.js:12', { function: null, file: 'cart.js', inApp: true }],
    ['run@moz-extension://1f2e/content.js:1:2', { inApp: false }],
    ['render@http://localhost/node_modules/@acme/ui/index.js:1:2', { file: '@acme/ui/index.js', inApp: false }],
    ['total@/var/containers/main.jsbundle:12:3', { function: 'total' }],
    ['t@https://shop.example/a.js:1:2', { function: null }],
    ['./src/cart.ts/total@https://shop.example/a.js:1:2', { function: 'total', inApp: true }],
    ['./src/cart.ts/<@https://shop.example/a.js:1:2', { function: './src/cart.ts', inApp: true }],
    [
      '../node_modules/ui@2.7.1/ui.js/</make/View.prototype.draw@https://shop.example/a.js:1:2',
      { function: 'View.draw', file: 'a.js', inApp: false },
    ],
  ] as const)('reads %s', (line, frame) => {
    expect(framesOf(line)[0]).toMatchObject(frame);
  });

  it.each([
    'mail root@host.example now',
    'root@10.0.0.1:22',
    'user@shop.example:22:13',
    'see https://a.example/x.js:1:2',
    '@',
    '',
  ])('does not parse %p as a frame', (line) => {
    expect(framesOf(line)).toEqual([]);
  });

  it('is detected by the form of its lines', () => {
    expect(detectParser(FIREFOX)).toBe(firefoxSafariParser);
    expect(detectParser(SAFARI)).toBe(firefoxSafariParser);
  });

  it('has one fingerprint for a failure in both browsers', () => {
    const [one, other] = [FIREFOX, SAFARI].map((stack) =>
      computeFingerprint(serverPayload({ error_name: 'TypeError', message: 'x', stack })),
    );
    expect(one?.culprit).toBe('total (cart.<hash>.js)');
    expect(one?.value).toBe(other?.value);
  });

  it('parses the cause after the frames', () => {
    const stack = `${FIREFOX}Caused by: RangeError: below zero\nprice@https://shop.example/price.js:1:2`;
    expect(firefoxSafariParser.parse(stack)).toMatchObject({ rootCause: 'RangeError', rootMessage: 'below zero' });
    expect(framesOf(stack)[0]?.function).toBe('price');
  });

  it('never throws on any text', () => {
    expectFramesOfLines(firefoxSafariParser, [
      '@',
      ':1:2',
      'https://',
      '[native code]',
      '*',
      '/<',
      '\n',
      ' ',
      'f',
      ' > eval',
      'a.js',
    ]);
  });

  it('ignores lines, columns and hashes in the fingerprint', () => {
    const value = (line: number, hash: string) =>
      computeFingerprint(
        serverPayload({
          error_name: 'TypeError',
          message: 'x',
          stack: `total@https://shop.example/js/cart.${hash}.js:${line}:${line}`,
        }),
      ).value;
    fc.assert(
      fc.property(fc.nat(99_999), fc.integer({ min: 0x10000000, max: 0xffffffff }), (line, hash) => {
        expect(value(line, hash.toString(16))).toBe(value(1, '3f2a9c1b'));
      }),
    );
  });
});
