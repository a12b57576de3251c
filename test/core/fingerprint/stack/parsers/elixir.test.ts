import { elixirParser } from '../../../../../core/fingerprint/stack/parsers/elixir.js';
import { appFunctions, describeText, fingerprintOf, framesOf, outlineOf } from '../../stack-parsers/read-text.js';

const exited = (
  line: number,
  call = 'take!',
): string => `** (exit) exited in: GenServer.call(Shop.Stock, {:take, ${line}}, 5000)
    ** (EXIT) an exception was raised:
        ** (ArithmeticError) bad argument in arithmetic expression
            (shop 0.1.${line}) lib/shop/stock.ex:${line}: anonymous fn/1 in Shop.Stock.handle_call/3
            (elixir 1.15.0) lib/enum.ex:1693: Enum."-map/2-lists^map/1-1-"/2
            (stdlib 5.0) gen_server.erl:1113: :gen_server.try_handle_call/4
    (elixir 1.15.0) lib/gen_server.ex:1074: GenServer.call/3
    (shop 0.1.0) lib/shop/cart.ex:12: Shop.Cart.${call}(${line}, "a/b")`;

const crash = `GenServer #PID<0.214.0> terminating
** (ArithmeticError) bad argument in arithmetic expression
    (shop 0.1.0) lib/shop/stock.ex:21: Shop.Stock.handle_call/3
    (stdlib 5.0) gen_server.erl:1113: :gen_server.try_handle_call/4
Last message (from #PID<0.213.0>): {:take, 5}`;

describe('frames of Elixir and Erlang', () => {
  it.each([
    [
      '(shop 0.1.0) lib/shop/cart.ex:12: Shop.Cart.load!/1',
      { module: 'Shop.Cart', function: 'load!', line: 12, inApp: true },
    ],
    ['(shop 0.1.0) lib/shop/cart.ex:12: Shop.Cart.load(1, %{a: "b/1"})', { module: 'Shop.Cart', function: 'load' }],
    ['(shop) lib/shop/cart.ex:12: anonymous fn/2 in Shop.Cart.total/1', { module: 'Shop.Cart', function: 'total' }],
    [
      '(shop 0.1.0) src/shop_stock.erl:3: :shop_stock."-take/2-fun-0-"/1',
      { module: ':shop_stock', function: 'take', inApp: true },
    ],
    ['(elixir 1.15.0) lib/enum.ex:1693: Enum."-map/2-lists^map/1-1-"/2', { function: 'map', inApp: false }],
    ['(stdlib 5.0) gen_server.erl:1113: :gen_server.try_handle_call/4', { inApp: false }],
    ['lib/shop/cart.ex:12 Shop.Cart.total/1', { module: 'Shop.Cart', function: 'total', line: 12 }],
    ['File "lib/shop/cart.ex", line 12, in Shop.Cart.total/1', { module: 'Shop.Cart', function: 'total', line: 12 }],
    [':erlang.+(1, "a")', { module: ':erlang', function: '+', inApp: false }],
    ['lib/shop.ex:3: (file)', { module: null, function: '<file>', file: 'lib/shop.ex', inApp: true }],
    ['deps/kit/lib/kit.ex:3: Kit.run/1', { inApp: false }],
    ['(shop 0.1.0) lib/shop/cart.ex:12: Shop.Cart.load(%{lines: [1,', { module: 'Shop.Cart', function: 'load' }],
    ['(shop 0.1.0) lib/shop/cart.ex:12: anonymous fn([]) in Shop.Cart.total/1', { function: 'total' }],
    ['(phoenix 1.7.2) lib/phoenix/router.ex:432: Phoenix.Router.__call__/5', { inApp: false }],
    ['(ecto_sql 3.12.0) lib/ecto/adapters/sql.ex:1078: Ecto.Adapters.SQL.raise_sql_call_error/1', { inApp: false }],
    ['lib/enum.ex:1693: Enum.map/2', { inApp: false }],
    ['in function  shop:take/2 (src/shop.erl, line 12)', { module: 'shop', function: 'take', line: 12, inApp: true }],
  ])('are parsed from %s', (line, frame) => {
    const evidence = line.startsWith('in ') ? '' : '    (stdlib 5.0) proc_lib.erl:241: :proc_lib.init_p_do_apply/3';
    const frames = framesOf(`** (RuntimeError) x\n    ${line}\n${evidence}`);
    if (line.startsWith(':erlang')) expect(frames).toMatchObject([{ module: ':proc_lib' }]);
    else expect(frames[0]).toMatchObject(frame);
  });

  it('are parsed from tuples on any number of lines', () => {
    const stack = `{{badmatch,{error,enoent}},[{shop_stock,take,2,[{file,"src/shop_stock.erl"},{line,21}]},{shop_stock,'-all/1-fun-0-',1,
  [{file,"src/shop_stock.erl"},
   {line,30}]},{gen_server,try_handle_call,4,[{file,"gen_server.erl"},{line,1113}]}]}`;
    expect(framesOf(stack)).toMatchObject([
      { module: 'shop_stock', function: 'take', line: 21, inApp: true },
      { module: 'shop_stock', function: 'all', line: 30 },
      { module: 'gen_server', inApp: false },
    ]);
  });

  it('are parsed from tuples with modules of Elixir and with arguments in place of their number', () => {
    const stack = `{function_clause,[{'Elixir.Shop.Stock',take,[<<"seven">>,2],[{file,"lib/shop/stock.ex"},{line,21}]},{gen_server,call,2,[{file,"gen_server.erl"},{line,1}]}]}`;
    expect(framesOf(stack)).toMatchObject([{ module: 'Shop.Stock', function: 'take', inApp: true }, { inApp: false }]);
  });

  it('begin with the calls of the reason, and with a function none of whose clauses matches', () => {
    const called = '  in function  gen_server:call/2 (gen_server.erl, line 370)';
    const exit = `escript: exception exit: {{badarg,
      [{shop,add,2,[{file,"shop.erl"},{line,7}]}]},
      {gen_server,call,[<0.80.0>,{add,"seven"}]}}\n${called}`;
    expect(framesOf(exit)).toMatchObject([{ module: 'shop', function: 'add' }, { function: 'call' }]);
    const unmatched = `exception error: no function clause matching\n   shop:area({circle,\n      (3)}) (shop.erl, line 3)\n${called}`;
    expect(framesOf(unmatched)).toMatchObject([{ module: 'shop', function: 'area', line: 3 }, { function: 'call' }]);
  });
});

describe('chains of Elixir', () => {
  it('begin with the reason of the exit', () => {
    expect(outlineOf(exited(21))).toEqual(['elixir', 'ArithmeticError', 'bad argument in arithmetic expression']);
    expect(appFunctions(exited(21))).toEqual(['handle_call', 'take!']);
    expect(outlineOf(crash)).toEqual(['elixir', null, null]);
  });

  it('are the failure of the process that was called', () => {
    const message = 'bad argument in arithmetic expression';
    expect(fingerprintOf(exited(21), 'exit', 'exited')).toBe(fingerprintOf(crash, 'ArithmeticError', message));
    expect(fingerprintOf(exited(21), 'exit')).toBe(fingerprintOf(exited(3, 'other'), 'exit'));
    expect(fingerprintOf(crash)).not.toBe(fingerprintOf(crash.replace('Stock.handle_call', 'Stock.handle_cast')));
  });
});

describeText(
  'Elixir',
  elixirParser,
  `${exited(21)}\n${crash}\n{shop_stock,take,2,[{file,"src/shop_stock.erl"},{line,21}]}`,
  (line) => exited(line),
);
