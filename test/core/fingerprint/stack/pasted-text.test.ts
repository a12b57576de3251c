import { serverPayload } from '../../../helpers/payloads.js';
import { computeFingerprint } from '../compute-fingerprint.js';

const DOTNET = [
  'Shop.CartMissing: no cart 7',
  '   at Shop.Store`1.Get[TKey](TKey key)',
  '   at Shop.Cart.Total(Int32 id) in C:\\shop\\Cart.cs:line 8',
  '   at Shop.Pages.Checkout.OnPost(String name) in C:\\shop\\Checkout.cs:line 31',
].join('\n');
const GO = [
  'panic: no cart 7',
  '',
  'goroutine 17 [running]:',
  'example.com/shop/stock.(*Cart).Total(0xc000012345)',
  '\t/srv/shop/stock/cart.go:12 +0x1b',
  'example.com/shop/stock.Checkout({0xc0000a, 0x2})',
  '\t/srv/shop/stock/checkout.go:9 +0x2c',
].join('\n');
const JAVA = [
  'com.acme.CartMissing: no cart 7',
  '\tat com.acme.Store.get(Store.java:3)',
  '\tat com.acme.Cart.lambda$total$0(Cart.java:12)',
  'Caused by: java.lang.IllegalStateException: closed',
  '\tat com.acme.Lines.read(Lines.java:7)',
].join('\n');

const PYTHON = [
  'Traceback (most recent call last):',
  '  File "/srv/shop/cart.py", line 3, in total',
  "KeyError: 'a'",
].join('\n');
const NODE = ['Error: x', '    at total (/srv/shop/cart.js:3:1)', '    at show (/srv/shop/cart.js:9:1)'].join('\n');

const prefixed = (prefix: (index: number) => string) => (text: string) =>
  text
    .split('\n')
    .map((line, index) => `${prefix(index)}${line}`.trimEnd())
    .join('\n');

const decidedBy = (stack: string) => {
  const { culprit, basis } = computeFingerprint(serverPayload({ stack, error_name: 'Failure', message: '' }));
  return { culprit, parts: basis.parts };
};

describe('A stack that was copied from elsewhere', () => {
  it.each([
    ['the journal of the system', prefixed((index) => `Jan 31 07:16:${10 + index} web-1 shop[8862]: `)],
    ['a log with levels', prefixed((index) => `E 2024-06-09T07:05:57.83${index}Z `)],
    ['a tool that starts plugins', prefixed((index) => `2024-03-25T13:34:0${index} [DEBUG] plugin.shop_v1.5_x4: `)],
    ['several containers', prefixed(() => 'shop-1  | ')],
    ['a mail', prefixed(() => '> ')],
    ['a program that runs others', prefixed(() => 'shop:dev: ')],
    ['a platform', prefixed((index) => `2024-07-22T15:31:3${index}.877517+00:00 app[web.1]: `)],
    ['a log below its first line', (text: string) => `Started.\n${prefixed(() => 'shop-1  | ')(text)}\n`],
    ['JSON', (text: string) => JSON.stringify(text).slice(1, -1)],
    ['JSON with line breaks of Windows', (text: string) => JSON.stringify(text.replaceAll('\n', '\r\n')).slice(1, -1)],
  ])('counts as its original: from %s', (_, copied) => {
    for (const stack of [DOTNET, GO, JAVA, PYTHON, NODE]) expect(decidedBy(copied(stack))).toEqual(decidedBy(stack));
  });

  it('counts as its original in one line', () => {
    const inOneLine = (text: string) => text.replaceAll(/\n\s*/g, ' ');

    expect(decidedBy(inOneLine(DOTNET))).toEqual(decidedBy(DOTNET));
    expect(
      decidedBy(
        inOneLine(
          'Error: no cart\n    at total (/srv/cart.js:3:7)\n    at /srv/shop.js:8:1\n    at async main (/srv/app.js:9:2)',
        ),
      ).culprit,
    ).toBe('total (cart.js)');
  });

  it('is not read from text without frames', () => {
    expect(decidedBy('1 | one\n2 | two\n3 | three').culprit).toBeNull();
    expect(decidedBy(String.raw`C:\new\total\next`).culprit).toBeNull();
  });
});
