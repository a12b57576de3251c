import { rubyParser } from '../../../../../core/fingerprint/stack/parsers/ruby.js';
import { appFunctions, describeText, fingerprintOf, framesOf, outlineOf } from '../../stack-parsers/read-text.js';

const cause = (
  line: number,
  outer = 'CartError',
): string => `/srv/shop/cart.rb:${line + 2}:in 'rescue in Cart#total': cart 7 has no total (${outer})
it was asked for by checkout
	from /srv/shop/cart.rb:${line - 1}:in 'Cart#total'
	from /srv/shop/cart.rb:900000:in '<main>'
/srv/shop/cart.rb:${line}:in 'Integer#/': divided by 0 (ZeroDivisionError)
	from /srv/shop/cart.rb:${line}:in 'Cart#total'
	from /srv/shop/cart.rb:900000:in '<main>'`;

const straight = `/srv/shop/cart.rb:4:in 'Integer#/': divided by 0 (ZeroDivisionError)
	from /srv/shop/cart.rb:4:in 'Cart#total'
	from /srv/shop/cart.rb:30:in '<main>'`;

describe('frames of Ruby', () => {
  it.each([
    ["from /srv/shop/cart.rb:5:in `total'", { function: 'total', file: '/srv/shop/cart.rb', line: 5, inApp: true }],
    ["from /srv/shop/cart.rb:5:in 'Shop::Cart#total'", { function: 'total', owner: 'Shop::Cart#' }],
    ["from /srv/shop/cart.rb:5:in `block (2 levels) in total'", { function: 'total' }],
    ["from /srv/shop/cart.rb:5:in 'rescue in block in Cart.total'", { function: 'total', owner: 'Cart.' }],
    ["from /srv/shop/cart.rb:5:in '#<Class:0x00007f1c24>#total'", { function: 'total', owner: '#<Class>#' }],
    ["from /srv/shop/boot.rb:5:in `<top (required)>'", { function: '<main>' }],
    [
      "from /app/vendor/bundle/ruby/3.2.0/gems/kit-1.2.3/lib/kit.rb:9:in `call'",
      { inApp: false, file: 'kit/lib/kit.rb' },
    ],
    ["from /usr/local/lib/ruby/3.2.0/net/http.rb:1603:in `connect'", { inApp: false }],
    ["from /usr/local/bin/shop:23:in `load'", { inApp: false }],
    ["from /usr/local/bin/shop:23:in `<main>'", { inApp: false }],
    ["from /srv/shop/bin/import.rb:23:in `<main>'", { inApp: true }],
    ["from /srv/shop/bin/shop:9:in `start'", { inApp: true }],
    ["from <internal:kernel>:187:in `loop'", { inApp: false }],
    [
      "from actionpack (6.1.7.2) lib/abstract_controller/callbacks.rb:41:in `process_action'",
      { inApp: false, file: 'actionpack/lib/abstract_controller/callbacks.rb' },
    ],
    ["from org/jruby/RubyKernel.java:1234:in `raise'", { inApp: false }],
    ["from C:/shop/cart.rb:5:in `total'", { file: 'C:/shop/cart.rb', line: 5 }],
  ])('are parsed from %s', (line, frame) => {
    expect(framesOf(`/srv/a.rb:1:in \`a': x (E)\n\t${line}`)[1]).toMatchObject(frame);
  });

  it('exclude methods that are not written in Ruby, which have the location of their caller', () => {
    expect(framesOf(straight)).toMatchObject([
      { function: '/', owner: 'Integer#', inApp: false },
      { function: 'total', owner: 'Cart#', inApp: true },
      { function: '<main>', inApp: true },
    ]);
  });

  it('of a recursion in one line stay in-app', () => {
    const stack = `/srv/a.rb:1:in 'a': x (E)\n${"\tfrom /srv/a.rb:1:in 'a'\n".repeat(5)}`;
    expect(appFunctions(stack)).toHaveLength(6);
  });

  it('are parsed when callers come first', () => {
    const stack =
      "Traceback (most recent call last):\n\t2: from t.rb:9:in `<main>'\n\t1: from t.rb:5:in `total'\nt.rb:5:in `/': divided by 0 (ZeroDivisionError)";
    expect(appFunctions(stack)).toEqual(['total', '<main>']);
  });

  it('are parsed from a list of locations alone', () => {
    expect(appFunctions("app/cart.rb:5:in 'Cart#total'\napp/page.rb:7:in 'Page#show'")).toEqual(['total', 'show']);
  });
});

/** The same failure as different programs write it: in `total`, which `run` called. */
const FORMS: readonly [string, string][] = [
  ['without quotes', 'app/cart.rb:12:in total\napp/main.rb:9:in block in run'],
  [
    'in JRuby',
    'NoMethodError: x\n   total at /srv/cart.rb:12\n  each at org/jruby/RubyArray.java:1800\n  block in run at /srv/main.rb:9',
  ],
  [
    'in a test',
    "  1) Cart totals\n     Failure/Error: expect(1).to eq 2\n\n     NoMethodError:\n       x\n     # ./app/cart.rb:12:in `total'\n     # ./app/main.rb:9:in `run'",
  ],
  [
    'with a source below the message',
    "cart.rb:12:in 'Cart#total': x (NoMethodError)\n\n    lines.sum\n         ^^^^\n\tfrom main.rb:9:in 'Object#run'",
  ],
];

describe('the forms of Ruby', () => {
  it.each(FORMS)('are one failure: %s', (_, stack) => {
    expect(appFunctions(stack)).toEqual(['total', 'run']);
    expect(fingerprintOf(stack)).toBe(fingerprintOf("cart.rb:1:in `total'\nmain.rb:2:in `run'"));
  });

  it('have the cause below its title', () => {
    const rake = `rake aborted!
ActiveRecord::StatementInvalid: PG::UndefinedTable: no carts
/srv/shop/lib/tasks/carts.rake:12:in \`block (2 levels) in <top (required)>'

Caused by:
PG::UndefinedTable: no carts
/srv/shop/app/models/cart.rb:3:in \`load'
Tasks: TOP => carts`;
    expect(outlineOf(rake)).toEqual(['ruby', 'PG::UndefinedTable', 'no carts']);
    expect(appFunctions(rake)).toEqual(['load', '<main>']);
    const page = `ActionView::Template::Error (no price)
Caused by: KeyError (no price)

Information for: ActionView::Template::Error (no price):
app/views/carts/show.html.erb:3:in \`_app_views_carts_show_html_erb__12_34'

Information for cause: KeyError (no price):
app/models/cart.rb:3:in \`price'`;
    expect(outlineOf(page)).toEqual(['ruby', 'KeyError', 'no price']);
    expect(appFunctions(page)[0]).toBe('price');
  });
});

describe('chains of Ruby', () => {
  it('begin with the cause', () => {
    expect(outlineOf(cause(4))).toEqual(['ruby', 'ZeroDivisionError', 'divided by 0']);
    expect(outlineOf(straight)).toEqual(['ruby', null, null]);
  });

  it('are one failure however the cause is wrapped', () => {
    expect(fingerprintOf(cause(4), 'CartError', 'cart 7')).toBe(
      fingerprintOf(cause(40, 'PageError'), 'PageError', 'page'),
    );
    expect(fingerprintOf(cause(4), 'CartError')).toBe(fingerprintOf(straight, 'ZeroDivisionError', 'divided by 0'));
    expect(fingerprintOf(cause(4))).not.toBe(fingerprintOf(cause(4).replaceAll('Cart#total', 'Cart#tax')));
  });
});

describeText('Ruby', rubyParser, cause(4), (line) => cause(line + 1));
