import { SYMBOL_PARTS, symbolName } from '../../../../core/fingerprint/stack/families/symbol-name.js';
import { isSystemFunction, SYSTEM_FUNCTIONS } from '../../../../core/fingerprint/stack/families/system-functions.js';
import { REPORTS, reportedFailure } from '../../../../core/fingerprint/stack/parsers/native-reports.js';

describe('names of native functions', () => {
  it.each(
    SYMBOL_PARTS.flatMap(({ examples, reason }) => examples.map(([symbol, name]) => [symbol, name, reason] as const)),
  )('read %s as %s: %s', (symbol, name) => {
    expect(symbolName(symbol)).toBe(name);
  });

  it.each([
    ['-[NSString(Price) parse:]', '-[NSString(Price) parse:]'],
    ['-[Cart total:](self=0x0000, _cmd="total:")', '-[Cart total:]'],
    ['__24-[Cart total:]_block_invoke_2', '-[Cart total:]'],
    ['std::function<void (int)> shop::makeHandler(int)', 'shop::makeHandler'],
    ['decltype(auto) shop::visit(int)', 'shop::visit'],
    ['void (*shop::Cart::handler<int>(char const*))(int, char)', 'shop::Cart::handler'],
    ['shop::operator()(int) const', 'shop::operator()'],
    ['std::ostream& shop::operator<< <int>(std::ostream&, shop::Cart const&)', 'shop::operator<<'],
    ['bool shop::operator<(shop::Cart const&, shop::Cart const&)', 'shop::operator<'],
    ['shop::Cart::operator->() const', 'shop::Cart::operator->'],
    ['shop::Cart::operator std::string() const', 'shop::Cart::operator std::string'],
    ['shop::Cart::operator unsigned long() const', 'shop::Cart::operator unsigned long'],
    ['shop::total(int)::<lambda(int)>::operator()(int) const', 'shop::total'],
    ["auto shop::total<int>(int)::'lambda'(int)::operator()(int) const", 'shop::total'],
    ['shop::Cart::total()::$_0::operator()(int) const', 'shop::Cart::total'],
    ['closure #2 (Swift.Int) -> () in closure #1 in Shop.Cart.total() -> ()', 'Shop.Cart.total'],
    ['static Shop.Cart.make(with:) throws -> Shop.Cart', 'Shop.Cart.make'],
    ['Shop.Cart.total.getter : Swift.Int', 'Shop.Cart.total.getter'],
    [
      'protocol witness for Shop.Priced.total() -> Swift.Int in conformance Shop.Cart : Shop.Priced in Shop',
      'Shop.Cart.total',
    ],
    ['generic specialization <Shop.Item> of Shop.Cart.add<A>(A) -> ()', 'Shop.Cart.add'],
    ['round #1 (Swift.Int) -> Swift.Int in Shop.Cart.total() -> ()', 'Shop.Cart.total.round'],
    ['variable initialization expression of Shop.Cart.items : [Swift.Int]', 'Shop.Cart.items'],
    ['_RNvNtCs1234_4shop4cart5total', 'shop::cart::total'],
  ])('read %s as %s', (symbol, name) => {
    expect(symbolName(symbol)).toBe(name);
  });
});

it.each(
  SYSTEM_FUNCTIONS.flatMap(({ examples, reason, isByImage }) =>
    examples.map((name) => [name, reason, isByImage === true] as const),
  ),
)('%s is a function of a system: %s', (name, _, isByImage) => {
  expect(isSystemFunction(name, false)).toBe(true);
  expect(isSystemFunction(name, true)).toBe(!isByImage);
});

it.each([
  'Cart::raise_price',
  'abort_order',
  'freeShipping',
  'shop_main',
  'Starter.start',
  'reallocate',
  'std_dev',
  '_read_cart',
  '__free_cart',
  '_dispatch_order',
])('%s is a function of a program', (name) => {
  expect(isSystemFunction(name, true)).toBe(false);
});

it.each(REPORTS.map(({ example, reason }) => [...example, reason] as const))(
  'the report %j names %s, %s: %s',
  (text, rootCause, rootMessage) => {
    const found = reportedFailure(text);
    expect([found.rootCause, found.rootMessage || null]).toEqual([rootCause, rootMessage]);
  },
);
