import type { JsonObject } from '../../../../../core/event/json.js';
import type { Fingerprint } from '../../../../../core/fingerprint/fingerprint.js';
import { serverPayload } from '../../../../helpers/payloads.js';
import { computeFingerprint, decidingFrames } from '../../compute-fingerprint.js';
import { sentExtra } from '../../sent-frames/sent-stack.js';

function ofText(stack: string): Fingerprint {
  return computeFingerprint(serverPayload({ error_name: 'Failure', message: '', stack }));
}

/** An event with frames in the order of SDKs, the outermost first; the client marks all as its own. */
function ofFrames(platform: string, frames: JsonObject[]): Fingerprint {
  const marked = frames.map((frame) => ({ in_app: true, ...frame }));
  const extra = sentExtra(platform, marked);
  return computeFingerprint(serverPayload({ error_name: 'Failure', message: '', stack: null, extra }));
}

interface Case {
  readonly platform: string;
  readonly what: string;
  readonly text: string;
  readonly frames: JsonObject[];
  readonly deciding: string[];
  readonly culprit: string;
}

const PYTHON_TITLE = 'Traceback (most recent call last):';

const CASES: readonly Case[] = [
  {
    platform: 'python',
    what: 'a module, a qualified name, a package and a comprehension',
    text: `${PYTHON_TITLE}
  File "/app/shop/web.py", line 8, in serve
  File "/app/shop/cart.py", line 12, in total
  File "/app/shop/cart.py", line 12, in <listcomp>
  File "/usr/lib/python3/dist-packages/kit/load.py", line 3, in load
Failure`,
    frames: [
      { module: 'shop.web', function: 'serve', filename: 'shop/web.py', abs_path: '/app/shop/web.py', lineno: 8 },
      {
        module: 'shop.cart',
        function: 'Cart.total',
        filename: 'shop/cart.py',
        abs_path: '/app/shop/cart.py',
        lineno: 12,
      },
      {
        module: 'shop.cart',
        function: '<listcomp>',
        filename: 'shop/cart.py',
        abs_path: '/app/shop/cart.py',
        lineno: 12,
      },
      {
        module: 'kit.load',
        function: 'load',
        filename: 'kit/load.py',
        abs_path: '/usr/lib/python3/dist-packages/kit/load.py',
        lineno: 3,
      },
    ],
    deciding: ['total (cart.py)'],
    culprit: 'total (cart.py)',
  },
  {
    platform: 'python',
    what: 'a lambda that its own file calls, and text that runs as code',
    text: `${PYTHON_TITLE}
  File "/app/shop/cart.py", line 4, in ordered
  File "/app/shop/cart.py", line 5, in <lambda>
  File "<frozen importlib._bootstrap>", line 241, in _call_with_frames_removed
Failure`,
    frames: [
      { module: 'shop.cart', function: 'ordered', abs_path: '/app/shop/cart.py', lineno: 4 },
      { module: 'shop.cart', function: 'ordered.<locals>.<lambda>', abs_path: '/app/shop/cart.py', lineno: 5 },
      {
        module: 'importlib._bootstrap',
        function: '_call_with_frames_removed',
        filename: '<frozen importlib._bootstrap>',
        abs_path: '/app/<frozen importlib._bootstrap>',
      },
    ],
    deciding: ['ordered (cart.py)'],
    culprit: 'ordered (cart.py)',
  },
  {
    platform: 'ruby',
    what: 'a method that is written in C, and a block',
    text: `/app/app/models/cart.rb:12:in 'Hash#fetch': key not found (Failure)
	from /app/app/models/cart.rb:12:in 'block (2 levels) in Shop::Cart#total'
	from /app/app/models/cart.rb:11:in 'Array#each'
	from /app/app/models/cart.rb:11:in 'Shop::Cart#total'`,
    frames: [
      { function: 'total', module: 'Shop::Cart', abs_path: '/app/app/models/cart.rb', lineno: 11 },
      { function: 'each', module: 'Array', abs_path: '/app/app/models/cart.rb', lineno: 11 },
      {
        function: 'block (2 levels) in Shop::Cart#total',
        abs_path: '/app/app/models/cart.rb',
        filename: 'app/models/cart.rb',
        lineno: 12,
      },
      { function: 'Hash#fetch', abs_path: '/app/app/models/cart.rb', lineno: 12 },
    ],
    deciding: ['total (cart.rb)'],
    culprit: 'Shop::Cart#total (cart.rb)',
  },
  {
    platform: 'php',
    what: 'a function of PHP itself, a closure and an internal call',
    text: `Failure: no line in /app/src/Cart.php:12
Stack trace:
#0 /app/src/Cart.php(12): json_decode('{', false, 512, 4194304)
#1 [internal function]: Shop\\Cart->Shop\\{closure}(Object(Shop\\Line), 0)
#2 /app/src/Cart.php(20): array_map(Object(Closure), Array)
#3 /app/public/index.php(5): Shop\\Cart->total()
#4 {main}`,
    frames: [
      { filename: '/public/index.php', abs_path: '/app/public/index.php', lineno: 5 },
      { function: 'Shop\\Cart::total', filename: '/src/Cart.php', abs_path: '/app/src/Cart.php', lineno: 20 },
      { function: 'array_map', filename: '[internal]', lineno: 0 },
      { function: 'Shop\\Cart::Shop\\{closure}', abs_path: '/app/src/Cart.php', lineno: 12 },
      { function: 'json_decode', abs_path: '/app/src/Cart.php', lineno: 12 },
    ],
    deciding: ['Shop\\Cart.{closure}'],
    culprit: 'Shop\\Cart.{closure} (Cart.php)',
  },
  {
    platform: 'elixir',
    what: 'an anonymous function and a module of Erlang',
    text: `** (Failure) no line
    (elixir 1.17.2) lib/enum.ex:1703: Enum."-map/2-lists^map/1-1-"/2
    (shop 0.1.0) lib/shop/cart.ex:12: anonymous fn/2 in Shop.Cart.total/1
    (stdlib 5.0) gen_server.erl:1113: :gen_server.try_handle_call/4`,
    frames: [
      { function: ':gen_server.try_handle_call/4', module: 'gen_server', filename: 'gen_server.erl', lineno: 1113 },
      {
        function: 'anonymous fn/2 in Shop.Cart.total/1',
        module: 'Elixir.Shop.Cart',
        filename: 'lib/shop/cart.ex',
        lineno: 12,
      },
      { function: 'Enum."-map/2-lists^map/1-1-"/2', module: 'Elixir.Enum', filename: 'lib/enum.ex' },
    ],
    deciding: ['Shop.Cart.total'],
    culprit: 'Cart.total (cart.ex)',
  },
  {
    platform: 'erlang',
    what: 'a function in a function of Erlang',
    text: `{badarg,[{shop_stock,'-take/2-fun-0-',1,[{file,"src/shop_stock.erl"},{line,3}]},
  {gen_server,try_handle_call,4,[{file,"gen_server.erl"},{line,1113}]}]}`,
    frames: [
      { function: 'try_handle_call/4', module: 'gen_server', filename: 'gen_server.erl', lineno: 1113 },
      { function: '-take/2-fun-0-/1', module: 'shop_stock', filename: 'src/shop_stock.erl', lineno: 3 },
    ],
    deciding: ['shop_stock.take'],
    culprit: 'shop_stock.take (shop_stock.erl)',
  },
];

describe('a stack of a dynamic language', () => {
  it.each(CASES)(
    'of $platform is the same as text and as frames: $what',
    ({ platform, text, frames, deciding, culprit }) => {
      const sent = ofFrames(platform, frames);
      expect([decidingFrames(ofText(text)), ofText(text).culprit]).toEqual([deciding, culprit]);
      expect([decidingFrames(sent), sent.culprit]).toEqual([deciding, culprit]);
      expect(sent.value).toBe(ofText(text).value);
    },
  );

  it.each(CASES)('of $platform is read by the extensions of its files: $what', ({ frames, deciding }) => {
    expect(decidingFrames(ofFrames('other', frames))).toEqual(deciding);
  });
});

describe('methods of Ruby', () => {
  const calledBy = (name: string): string =>
    `/app/cart.rb:12:in ${name}: no line (Failure)\n\tfrom /app/web.rb:3:in ${name}`;

  it.each([
    ["`total'", "'Shop::Cart#total'"],
    ["`total'", "'Cart.total'"],
    ["`block in total'", "'block in #<Class:0x00007f1c24>#total'"],
    ["`<top (required)>'", "'<main>'"],
    ["`[]='", "'Shop::Cart#[]='"],
    ["`_app_views_carts_show_html_erb__1234567890_12340'", "'_app_views_carts_show_html_erb___98765_40'"],
    [
      "`block in _app_views_carts_show_html_erb___4029283765_70211'",
      "'block (2 levels) in ActionView::Base#_app_views_carts_show_html_erb__77_123'",
    ],
    ["`_app_views_carts_show_html_slim__1_2'", "'#<Class:0x000078f1>#_app_views_carts_show_html_slim___333_444'"],
    ["`__tilt_70123'", "'Object#__tilt_9'"],
  ])('are the same in any version and process: %s and %s', (one, other) => {
    expect(ofText(calledBy(one)).value).toBe(ofText(calledBy(other)).value);
  });

  it.each([
    ["'Cart#total'", "'Cart#refund'"],
    ["'_app_views_carts_show_html_erb__12_34'", "'_app_views_carts_edit_html_erb__12_34'"],
    ["'Cart#step_1_2'", "'Cart#step_1_3'"],
  ])('stay two: %s and %s', (one, other) => {
    expect(ofText(calledBy(one)).value).not.toBe(ofText(calledBy(other)).value);
  });
});

describe('templates', () => {
  const smarty = (id: string): string => `Failure: no line in /app/templates_c/${id}_0.file.cart.tpl.php:12
Stack trace:
#0 /app/vendor/acme/smarty/src/Template.php(5): content_66f1a2b3c4${id}_12345678(Object(Template))
#1 {main}`;
  const mako = (address: string, name: string): string =>
    `${PYTHON_TITLE}\n  File "/app/vendor/site-packages/mako/runtime.py", line 1, in _render\n  File "memory:0x${address}", line 3, in ${name}\nFailure`;

  it('are one in each compilation', () => {
    expect(ofText(smarty('3f2a91c0')).value).toBe(ofText(smarty('77aa01ff')).value);
    expect(ofText(smarty('3f2a91c0')).value).not.toBe(
      ofText(smarty('3f2a91c0').replace('cart.tpl', 'order.tpl')).value,
    );
    expect(ofText(mako('7f3a90', 'render_body')).value).toBe(ofText(mako('7f1c24', 'render_body')).value);
    expect(ofText(mako('7f3a90', 'render_body')).value).not.toBe(ofText(mako('7f3a90', 'render_price')).value);
  });
});
