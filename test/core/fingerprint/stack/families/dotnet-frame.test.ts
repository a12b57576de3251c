import type { JsonObject } from '../../../../../core/event/json.js';
import { serverPayload } from '../../../../helpers/payloads.js';
import { computeFingerprint, decidingFrames } from '../../compute-fingerprint.js';
import { sentKeys, textKeys } from '../../sent-frames/sent-stack.js';

/** A call as the runtime writes it, as SDKs may send it (module and function), and what it counts as. */
const CALLS: readonly (readonly [string, string, string, string])[] = [
  ['Shop.Cart.Total(Int32 id)', 'Shop.Cart', 'Total', 'Shop.Cart.Total'],
  ['Shop.Cart.Total(Int32 id)', '', 'Task<Order> Shop.Cart.Total(Int32 id)', 'Shop.Cart.Total'],
  ['Shop.Cart.Total(Int32 id)', 'Shop.Cart, Shop, Version=1.0.0.0', 'void Cart.Total(int id)', 'Shop.Cart.Total'],
  ['Shop.Cart.Total(Int32 id)', 'Shop.Cart', '(int Sum, string Currency) Cart.Total(int id)', 'Shop.Cart.Total'],
  [
    'Shop.Cart.<TotalAsync>d__3.MoveNext()',
    'Shop.Cart',
    'async Task<(int Total, string Currency)> Cart.TotalAsync(int id)',
    'Shop.Cart.TotalAsync',
  ],
  ['Shop.Cart.<TotalAsync>d__3`1.MoveNext()', 'Shop.Cart+<TotalAsync>d__3`1', 'MoveNext', 'Shop.Cart.TotalAsync'],
  ['Shop.Cart.<>c.<Total>b__3_0(Item item)', 'Shop.Cart+<>c', '<Total>b__3_0', 'Shop.Cart.Total'],
  ['Shop.Cart.<>c__DisplayClass3_0.<Total>b__0(Item i)', 'Shop.Cart', 'Total { <lambda> }', 'Shop.Cart.Total'],
  ['Shop.Cart.<>c.<<Total>b__0_1>d.MoveNext()', 'Shop.Cart', 'Cart.Total(int id)+(Item i) => { }', 'Shop.Cart.Total'],
  [
    'Shop.Cart.<Total>g__Round|7_0(Decimal v)',
    'Shop.Cart',
    'decimal Cart.Total(int id)+Round(decimal v)',
    'Shop.Cart.Total.Round',
  ],
  ['Shop.Cart.<Items>d__4.MoveNext()', 'Shop.Cart', 'IEnumerable<int> Cart.Items()+MoveNext()', 'Shop.Cart.Items'],
  [
    'Shop.Store`1.Get[TKey](TKey key)',
    'Shop.Store`1[System.Int32]',
    'T Store<T>.Get<TKey>(TKey key)',
    'Shop.Store.Get',
  ],
  ['Shop.Cart.Till.Open(String name)', 'Shop.Cart+Till', 'Open(String name)', 'Shop.Cart.Till.Open'],
  ['Shop.Cart..ctor(String id)', 'Shop.Cart', 'new Cart(string id)', 'Shop.Cart..ctor'],
  ['Shop.Cart..ctor(String id)', 'Shop.Cart', '.ctor', 'Shop.Cart..ctor'],
  ['Shop.Cart..cctor()', 'Shop.Cart', 'static Cart()', 'Shop.Cart..cctor'],
  ['Shop.Cart.Shop.ICart.Total(Int32 id)', 'Shop.Cart', 'Shop.ICart.Total', 'Shop.Cart.Total'],
  ['Shop.Cart.System.IDisposable.Dispose()', 'Shop.Cart', 'System.IDisposable.Dispose()', 'Shop.Cart.Dispose'],
  ['Shop.Prices.total@12-1.Invoke(Int32 n)', 'Shop.Prices+total@12-1', 'Invoke', 'Shop.Prices.total'],
  [
    'Shop.Cart.<>c__DisplayClass3_0.<Shop.ICart.Total>b__0(Item i)',
    'Shop.Cart+<>c__DisplayClass3_0',
    '<Shop.ICart.Total>b__0',
    'Shop.Cart.Total',
  ],
  ['Shop.Cart.<Shop-ICart-Load>d__3.MoveNext()', 'Shop.Cart+<Shop-ICart-Load>d__3', 'MoveNext', 'Shop.Cart.Load'],
  ['Program.<Main>$(String[] args)', 'Program', '<Main>$', 'Program.Main'],
  [
    'Shop.Cart.TryGet(String id, Item& item)',
    'Shop.Cart',
    'bool Cart.TryGet(string id, out Item item)',
    'Shop.Cart.TryGet',
  ],
];

const PROGRAM: JsonObject = { module: 'Shop.Program', function: 'Main' };

describe('a call in .NET', () => {
  it.each(CALLS)('%s, sent as %s %s, counts as %s', (text, module, name, key) => {
    expect(textKeys(`System.Exception: x\n   at ${text}\n   at Shop.Program.Main()`)).toEqual([key]);
    expect(sentKeys('csharp', [{ module, function: name }, PROGRAM])).toEqual([key]);
    expect(sentKeys('csharp', [{ module, function: name, in_app: true }, PROGRAM])).toEqual([key]);
    const file = { filename: 'Cart.cs', abs_path: 'C:\\shop\\Cart.cs', lineno: 3 };
    expect(textKeys(`System.Exception: x\n   at ${text} in C:\\shop\\Cart.cs:line 3`)).toEqual([key]);
    expect(sentKeys('csharp', [{ module, function: name, ...file }, PROGRAM])).toEqual([key]);
  });

  it.each([
    ['object CallSite.Target(Closure , CallSite , Object )', '', 'object CallSite.Target(Closure, CallSite, object)'],
    ['lambda_method12(Closure , Object )', '', 'lambda_method12'],
    [
      'System.Dynamic.UpdateDelegates.UpdateAndExecute1[T0](CallSite site, T0 a)',
      'System.Dynamic.UpdateDelegates',
      'UpdateAndExecute1',
    ],
    [
      'System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw()',
      'System.Runtime.ExceptionServices.ExceptionDispatchInfo',
      'Throw',
    ],
    [
      'System.Runtime.CompilerServices.TaskAwaiter`1.GetResult()',
      'System.Runtime.CompilerServices.TaskAwaiter`1',
      'GetResult',
    ],
    ['Newtonsoft.Json.JsonConvert.DeserializeObject(String value)', 'Newtonsoft.Json.JsonConvert', 'DeserializeObject'],
    ['Sentry.SentryClient.Capture()', 'Sentry.SentryClient', 'Capture'],
  ])('%s only passes it on', (text, module, name) => {
    expect(textKeys(`System.Exception: x\n   at ${text}\n   at Shop.Program.Main()`)).toEqual(['Shop.Program.Main']);
    expect(sentKeys('csharp', [{ module, function: name }, PROGRAM])).toEqual(['Shop.Program.Main']);
  });
});

describe('a call without a location', () => {
  const library = { module: 'Kit.Mapper', function: 'Query' };
  const own = { module: 'Shop.Cart', function: 'Load', abs_path: '/srv/shop/Cart.cs' };

  it('belongs to a library if others have one, else to the application', () => {
    expect(sentKeys('csharp', [library, { ...own, lineno: 9 }])).toEqual(['Shop.Cart.Load']);
    expect(sentKeys('csharp', [library, { ...own, lineno: 0, abs_path: '' }])).toEqual(['Kit.Mapper.Query']);
    const text = 'E: x\n   at Kit.Mapper.Query(String sql)\n   at Shop.Cart.Load(String id)';
    expect(textKeys(`${text} in /srv/shop/Cart.cs:line 9`)).toEqual(['Shop.Cart.Load']);
    expect(textKeys(text)).toEqual(['Kit.Mapper.Query']);
  });

  it('is judged by the locations of all exceptions of a chain', () => {
    const inner = 'System.IO.IOException: b\n   at Kit.Store.Read(String path)';
    const stack = `E: a\n ---> ${inner}\n   --- End of inner exception stack trace ---\n   at Shop.Cart.Load(String id) in /srv/shop/Cart.cs:line 9`;
    const values = [
      { type: 'System.IO.IOException', stacktrace: { frames: [{ module: 'Kit.Store', function: 'Read' }] } },
      { type: 'E', stacktrace: { frames: [{ ...own, lineno: 9 }] } },
    ];
    const sentry = { platform: 'csharp', exception: { values }, mapping: { exceptions: [1, 0] } };
    const sent = computeFingerprint(serverPayload({ extra: { sentry }, stack: null }));
    expect([textKeys(stack), decidingFrames(sent)]).toEqual([['Shop.Cart.Load'], ['Shop.Cart.Load']]);
  });
});

describe('a program in a namespace of the runtime', () => {
  const INNER = 'System.Collections.Generic.List`1.get_Item(Int32 index)';

  it.each([
    [
      'has no other namespace',
      `   at ${INNER}\n   at Microsoft.Shop.Cart.Total()\n   at Microsoft.Shop.Program.Main()`,
    ],
    [
      'has locations',
      `   at ${INNER}\n   at Microsoft.Shop.Cart.Total() in C:\\shop\\Cart.cs:line 3\n   at Shop.Program.Main()`,
    ],
  ])('is the application if it %s', (_, frames) => {
    expect(textKeys(`System.Exception: x\n${frames}`)).toEqual(['Microsoft.Shop.Cart.Total']);
  });

  it('is the application if the client says so', () => {
    const marked = { module: 'System.Shop.Cart', function: 'Total', in_app: true };
    expect(sentKeys('csharp', [marked, { ...PROGRAM, in_app: true }])).toEqual(['System.Shop.Cart.Total']);
  });

  it('is not the application where the makers of the runtime built it', () => {
    const path = '/_/src/EFCore/Storage/Batch.cs';
    const stack = `E: x\n   at Microsoft.Data.Batch.Run() in ${path}:line 3\n   at Shop.Program.Main() in C:\\shop\\P.cs:line 1`;
    expect(textKeys(stack)).toEqual(['Shop.Program.Main']);
  });
});
