import { dotnetParser } from '../../../../../core/fingerprint/stack/parsers/dotnet.js';
import { DOTNET_FORMS } from '../../../../../core/fingerprint/stack/parsers/dotnet-lines.js';
import { detectParser } from '../../../../../core/fingerprint/stack/parsers/stack-parsers.js';
import { appFunctions, describeText, fingerprintOf, framesOf, outlineOf } from '../../stack-parsers/read-text.js';

const inner = (
  line: number,
  outer = 'System.InvalidOperationException',
): string => `Unhandled exception. ${outer}: order 5 is unreadable
 ---> System.FormatException: The input string 'x5' was not in a correct format.
   at System.Number.ThrowFormatException[TChar](ReadOnlySpan\`1 value)
   at System.Int32.Parse(String s)
   at Shop.Orders.Load(String id) in /srv/shop/Orders.cs:line ${line}
   --- End of inner exception stack trace ---
   at Shop.Orders.Load(String id) in /srv/shop/Orders.cs:line ${line + 3}
   at Program.<Main>$(String[] args) in /srv/shop/Program.cs:line 3`;

const CART = `Shop.CartMissing: no cart 7
   at Shop.Cart.<>c__DisplayClass3_0.<<LoadAll>b__1>d.MoveNext() in /srv/shop/Cart.cs:line 31
--- End of stack trace from previous location ---
   at Shop.Store\`1.Get[TKey](TKey key) in /srv/shop/Store.cs:line 8`;
const LINE = `Shop.BadLine: bad line 3
   at Shop.Lines..ctor(Int32 n) in /srv/shop/Lines.cs:line 5`;

const aggregate = (
  first: string,
  second: string,
): string => `System.AggregateException: One or more errors occurred. (a) (b)
 ---> ${first}
   --- End of inner exception stack trace ---
   at System.Threading.Tasks.Task.WaitAllCore(Task[] tasks, Int32 millisecondsTimeout, CancellationToken token)
   at Program.<Main>$(String[] args) in /srv/shop/Program.cs:line 3
 ---> (Inner Exception #1) ${second}<---
`;

describe('frames of .NET', () => {
  it.each([
    [
      'at Shop.Cart.get_Total() in /srv/shop/Cart.cs:line 9',
      { module: 'Shop.Cart', function: 'get_Total', file: '/srv/shop/Cart.cs', line: 9, inApp: true },
    ],
    [
      'at Shop.Cart.<Get>d__2.MoveNext() in C:\\shop\\Cart.cs:line 21',
      { module: 'Shop.Cart', function: 'Get', file: 'C:/shop/Cart.cs' },
    ],
    ['at Program.<<Main>$>g__Round|0_1(Decimal value)', { module: 'Program', function: 'Main.Round' }],
    ['at Program.<<<Main>$>g__Round|0_1>d.MoveNext()', { module: 'Program', function: 'Main.Round' }],
    ['at Program.<<Main>$>b__0_1(Decimal value)', { module: 'Program', function: 'Main' }],
    ['at Shop.Store`1.Get[TKey,T](TKey key, Dictionary`2 all)', { module: 'Shop.Store', function: 'Get' }],
    [
      'at Shop.Cart.Load (System.String id, System.Int32 n) [0x00012] in <6d723498bfd94cdf>:0',
      { module: 'Shop.Cart', function: 'Load', file: null, line: null, inApp: true },
    ],
    [
      'at Shop.Tax+<Taxes>c__AnonStorey0.<>m__0 (System.Int32 n) [0x00000] in <09058>:0',
      { module: 'Shop.Tax', function: 'Taxes' },
    ],
    ['at System.Threading.Tasks.Task.Wait()', { inApp: false }],
    ['at Shop.Cart.Total(Shop.Line, Int32 ByRef)', { module: 'Shop.Cart', function: 'Total' }],
    [
      'at Shop.Cart.Total(System.Func`2<System.__Canon,System.String>, System.Object[])',
      { module: 'Shop.Cart', function: 'Total' },
    ],
    ['at Shop.Cart+<Load>d__7[[System.__Canon, mscorlib, Version=4.0.0.0]].MoveNext()', { function: 'Load' }],
    ['at FSI_0012.Prices.total(Int32 n)', { module: 'FSI.Prices', function: 'total' }],
  ])('are parsed from %s', (line, frame) => {
    expect(framesOf(`System.Exception: x\n   ${line}`)).toMatchObject([frame]);
  });

  it.each([
    ['at com.acme.Cart.submit(Cart.java:12)', 'jvm'],
    ['at com.acme.Cart.submit(Unknown Source)', 'jvm'],
    ['at com.acme.Cart.submit(Native Method)', 'jvm'],
    ['at Shop.Cart.Submit(String id)', 'dotnet'],
    ['at Shop.Cart.Submit()', 'dotnet'],
    ['at Shop.Cart.Submit(ref Int32 id, Dictionary<string, int> all, (int A, int B) pair)', 'dotnet'],
    ['at Shop.Cart.submit(a, b)', 'java'],
    ['at ./src/main.rs:3:5', 'rust'],
  ])('are not mistaken for other families: %s', (line, family) => {
    expect(detectParser(`x\n   ${line}`)?.family).toBe(family);
  });
});

describe('calls of .NET in other forms', () => {
  it.each(DOTNET_FORMS.flatMap((row) => row.examples.map((example) => [...example, row] as const)))(
    '%s is %s',
    (line, read, { pattern, replacement }) => {
      expect(line.replace(pattern, replacement)).toBe(read);
    },
  );

  it.each(['at Shop.Cart.Total(Int32) + 0x1b', 'at Shop.Cart.Total (int,Shop.Cart/Line) <0x0001b>'])(
    'are told from other languages by the call %s alone',
    (line) => {
      expect(framesOf(`Error: x\n   ${line}`)).toMatchObject([{ module: 'Shop.Cart', function: 'Total' }]);
    },
  );

  /** The words of a language for `at`, the location, and the end of an inner exception. */
  it.each([
    ['English', 'at', ' in %:line 3', 'End of inner exception stack trace'],
    ['German', 'bei', ' in %:Zeile 3.', 'Ende der internen Ausnahmestapelüberwachung'],
    ['French', 'à', ' dans %:ligne 3', "Fin de la trace de la pile d'exception interne"],
    ['Spanish', 'en', ' en %:línea 3', 'Fin del seguimiento de la pila de la excepción interna'],
    ['Italian', 'in', ' in %:riga 3', "Fine della traccia dello stack dell'eccezione interna"],
    ['Portuguese', 'em', ' na %:linha 3', 'Fim do rastreamento de pilha de exceções internas'],
    ['Russian', 'в', ' в %:строка 3', 'Конец трассировки внутреннего стека исключений'],
    ['Polish', 'w', ' w %:wiersz 3', 'Koniec śladu stosu wyjątków wewnętrznych'],
    ['Czech', 'v', ' v %:řádek 3', 'Konec trasování zásobníku pro vnitřní výjimku'],
    ['Turkish', 'konum:', ' % içinde: satır 3', 'İç özel durum yığını izlemesinin sonu'],
    ['Chinese', '在', ' 位置 %:行号 3', '内部异常堆栈跟踪的结尾'],
    ['Chinese in Taiwan', '於', ' 於 %: 行 3', '內部例外狀況堆疊追蹤的結尾'],
    ['Japanese', '場所', ' 場所 %:行 3', '内部例外スタック トレースの終わり'],
    ['Korean', '위치:', ' 파일 %:줄 3', '내부 예외 스택 추적의 끝'],
  ])('are one failure in %s', (_, at, location, end) => {
    const inFile = (path: string) => location.replace('%', path);
    const stack = `Shop.OrderException: a ---> System.FormatException: b
   ${at} System.Number.Parse(String s)
   ${at} Shop.Orders.Load(String id)${inFile('C:\\shop\\Orders.cs')}
   --- ${end} ---
   ${at} Shop.Program.Main(String[] args)${inFile('C:\\shop\\Program.cs')}`;
    expect(outlineOf(stack)).toEqual(['dotnet', 'System.FormatException', 'b']);
    expect(framesOf(stack).filter(({ inApp }) => inApp)).toMatchObject([
      { module: 'Shop.Orders', function: 'Load', file: 'C:/shop/Orders.cs', line: 3 },
      { module: 'Shop.Program', function: 'Main', file: 'C:/shop/Program.cs', line: 3 },
    ]);
  });

  it('are one failure whatever the language of a message that the runtime writes', () => {
    const [english, german] = [
      'Object reference not set to an instance of an object.',
      'Der Objektverweis wurde nicht festgelegt.',
    ];
    const of = (message: string, at: string) => {
      const stack = `System.NullReferenceException: ${message}\n   ${at} Shop.Cart.Total()\n   ${at} Shop.Program.Main()`;
      return fingerprintOf(stack, 'System.NullReferenceException', message);
    };
    expect(of(english ?? '', 'at')).toBe(of(german ?? '', 'bei'));
  });

  it('are read as Unity writes them, the innermost exception first', () => {
    const stack = `NullReferenceException: no cart
Shop.Cart+<Load>d__3.MoveNext () (at Assets/Scripts/Cart.cs:12)
Shop.Shelf:Fill(Int32) (at Assets/Scripts/Shelf.cs:8)
Rethrow as TargetInvocationException: Exception has been thrown by the target of an invocation.
UnityEngine.Events.UnityEvent.Invoke () (at <0123456789abcdef>:0)`;
    expect(outlineOf(stack)).toEqual(['dotnet', 'NullReferenceException', 'no cart']);
    expect(appFunctions(stack)).toEqual(['Load', 'Fill']);
  });

  it('are read from a page of ASP.NET, the innermost exception first', () => {
    const stack = `[SqlException (0x80131904): no table]
   System.Data.SqlClient.SqlConnection.OnError(SqlException exception, Boolean breakConnection) +2555926

[DbUpdateException: not saved]
   System.Data.Entity.DbContext.SaveChanges() +20
   Shop.Store.Save() in f:\\shop\\Store.cs:741
   lambda_method(Closure , ControllerBase , Object[] ) +297`;
    expect(outlineOf(stack)).toEqual(['dotnet', 'SqlException', 'no table']);
    expect(appFunctions(stack)).toEqual(['Save']);
  });

  it('are read from the event log of Windows, the innermost exception first', () => {
    const stack = `Description: The process was terminated due to an unhandled exception.
Exception Info: System.FormatException
   at System.Number.Parse(System.String)
   at Shop.Orders.Load(Shop.Order, Int32 ByRef)

Exception Info: System.InvalidOperationException
   at Shop.Program.Main(System.String[])`;
    expect(outlineOf(stack)).toEqual(['dotnet', 'System.FormatException', null]);
    expect(appFunctions(stack)).toEqual(['Load', 'Main']);
  });

  it('are read from the line of a message too', () => {
    const stack = `[Error] Shop: it failed System.Exception none    at Shop.Cart.Total(Int32 id) in C:\\shop\\Cart.cs:line 3
--- End of stack trace from previous location where exception was thrown ---
   at Shop.Program.Main(String[] args) in C:\\shop\\Program.cs:line 3`;
    expect(appFunctions(stack)).toEqual(['Total', 'Main']);
  });

  it('are not those whose names an obfuscator made', () => {
    const stack = `System.Exception: none
   at #=zrplfimj2kiFotwj5DX50q_k=.#=zXzk8SAV0ISVTeSV53w==(Object #=zHiJ2mTA=, EventArgs #=zGFMB6QI=)
   at Shop.Cart.Total(Int32 id)`;
    expect(appFunctions(stack)).toEqual(['Total']);
  });

  it('are read from methods that Mono made, first in a stack too', () => {
    const stack = `NullReferenceException: none
  at (wrapper dynamic-method) Cart.DMD<Cart::Total>(Cart)
  at Shop.Program.Main () [0x00012] in <51aa1906a4be487d826fc3320f54235b>:0`;
    expect(appFunctions(stack)).toEqual(['Total', 'Main']);
  });

  it('of two languages are told from other texts', () => {
    for (const text of ['in Rome.we met (or not)', 'en Shop.total(a.js:1:2)', 'w pliku.nic()nie']) {
      expect(detectParser(`x\n   ${text}`)?.family).not.toBe('dotnet');
    }
  });
});

describe('chains of .NET', () => {
  it('begin with the innermost exception', () => {
    expect(outlineOf(inner(14))).toEqual([
      'dotnet',
      'System.FormatException',
      "The input string 'x5' was not in a correct format.",
    ]);
    expect(framesOf(inner(14)).map((frame) => frame.line)).toEqual([null, null, 14, 17, 3]);
  });

  it('are parsed from one line, the format of older versions', () => {
    const stack = `System.InvalidOperationException: order 5 ---> System.FormatException: bad input
   at Shop.Orders.Load(String id) in C:\\shop\\Orders.cs:line 14
   --- End of inner exception stack trace ---
   at Shop.Orders.Load(String id) in C:\\shop\\Orders.cs:line 17`;
    expect(outlineOf(stack)).toEqual(['dotnet', 'System.FormatException', 'bad input']);
  });

  it('begin with the innermost exception also if the text ends before its calls do', () => {
    const whole = inner(14);
    const cut = whole.slice(0, whole.indexOf('   --- End'));
    expect(outlineOf(cut)).toEqual(outlineOf(whole));
    expect(outlineOf('Shop.Bad: a ---> b\n   at Shop.Cart.Total(Int32 id)')[1]).toBeNull();
  });

  it('are one failure however the cause is wrapped', () => {
    expect(fingerprintOf(inner(14), 'System.InvalidOperationException', 'a')).toBe(
      fingerprintOf(inner(140, 'Shop.Other'), 'Shop.Other', 'b'),
    );
    expect(fingerprintOf(inner(14))).not.toBe(fingerprintOf(inner(14).replaceAll('Orders.Load', 'Orders.Save')));
  });

  it('of an aggregate are decided by the first member by type, in any order of failing', () => {
    expect(outlineOf(aggregate(CART, LINE))).toEqual(['dotnet', 'Shop.BadLine', 'bad line 3']);
    expect(appFunctions(aggregate(CART, LINE))).toEqual(['.ctor', 'Main']);
    expect(fingerprintOf(aggregate(CART, LINE))).toBe(fingerprintOf(aggregate(LINE, CART)));
    expect(dotnetParser.parse(`Unhandled exception. ${aggregate(CART, LINE)}`).group).toEqual({
      type: 'System.AggregateException',
      message: 'One or more errors occurred. (a) (b)',
    });
    expect(dotnetParser.parse(inner(14)).group).toBeUndefined();
    expect(fingerprintOf(aggregate(CART, CART))).not.toBe(fingerprintOf(aggregate(LINE, CART)));
  });
});

describeText('.NET', dotnetParser, `${inner(14)}\n${aggregate(CART, LINE)}`, (line) => inner(line));
