import { goParser } from '../../../../../core/fingerprint/stack/parsers/go.js';
import { serverPayload } from '../../../../helpers/payloads.js';
import { computeFingerprint } from '../../compute-fingerprint.js';
import { appFunctions, describeText, fingerprintOf, framesOf, outlineOf } from '../../stack-parsers/read-text.js';

const again = (
  line: number,
  address: string,
): string => `panic: runtime error: index out of range [${line}] with length 0 [recovered]
	panic: again ${line}: runtime error: index out of range [${line}] with length 0

goroutine 1 [running]:
main.again.func1()
	/srv/shop/main.go:${line} +${address}
panic({0x4a9660?, ${address}?})
	/usr/local/go/src/runtime/panic.go:860 +0x13a
example.com/shop/stock.(*Store[...]).Take(...)
	/srv/shop/stock/store.go:${line}
main.again(0x5)
	/srv/shop/main.go:${line + 9} +${address}
main.main()
	/srv/shop/main.go:16 +0x1a5
exit status 2`;

const straight = `panic: runtime error: index out of range [7] with length 0

goroutine 18 gp=0x22070edea1e0 m=0 mp=0x58d200 [running]:
example.com/shop/stock.(*Store[...]).Take(...)
	/srv/shop/stock/store.go:12
main.main.func2.1()
	/srv/shop/main.go:30 +0x1d
created by main.main in goroutine 1
	/srv/shop/main.go:29 +0x2c`;

describe('frames of Go', () => {
  it.each([
    ['main.(*Cart).Line(...)', '/srv/shop/main.go:4', { module: 'main', function: 'Cart.Line', line: 4, inApp: true }],
    [
      'example.com/shop/stock.Map[...](0x1, {0x2?, 0x3?})',
      '/srv/s/map.go:4 +0x1d',
      { module: 'example.com/shop/stock', function: 'Map' },
    ],
    ['main.run.func1.2()', '/srv/shop/main.go:4 +0x1d', { function: 'run' }],
    ['main.(*Cart).Line-fm()', '/srv/shop/main.go:4 +0x1d', { function: 'Cart.Line' }],
    [
      'net/http.(*conn).serve(0xc0, {0x1, 0x2})',
      '/usr/local/go/src/net/http/server.go:2067 +0x690',
      { module: 'net/http', inApp: false },
    ],
    ['example.com/log.Print()', '/root/go/pkg/mod/example.com/log@v1.4.2/log.go:9 +0x1', { inApp: false }],
    ['shop/stock.Take()', 'C:/code/shop/stock/take.go:9 +0x1', { module: 'shop/stock', function: 'Take', inApp: true }],
    ['gopkg.in/yaml%2ev3.Decode()', '/srv/x/decode.go:9 +0x1', { module: 'gopkg.in/yaml.v3', function: 'Decode' }],
  ])('are parsed from %s', (call, location, frame) => {
    expect(framesOf(`goroutine 1 [running]:\n${call}\n\t${location}`)).toMatchObject([frame]);
  });

  it('are parsed from a list of locations', () => {
    const stack =
      'E0824 runtime.go:66] bad\n/usr/local/go/src/runtime/panic.go:63\n/srv/shop/stock/take.go:9\n/srv/shop/main.go:3';
    expect(framesOf(stack).filter(({ inApp }) => inApp)).toMatchObject([
      { function: null, file: '/srv/shop/stock/take.go', line: 9 },
      { function: null, file: '/srv/shop/main.go' },
    ]);
    expect(framesOf('starting shop\n/srv/shop/main.go:3\nready')).toEqual([]);
  });

  it('of two programs of a repository are two, on each machine', () => {
    const [api, worker, elsewhere] = [
      '/srv/shop/cmd/api/main.go',
      '/srv/shop/cmd/worker/main.go',
      '/app/cmd/api/main.go',
    ].map((path) => fingerprintOf(`goroutine 1 [running]:\nmain.main()\n\t${path}:9 +0x1d`, 'panic', 'no cart'));
    expect(api).not.toBe(worker);
    expect(elsewhere).toBe(api);
  });

  it('are those of the goroutine that ran', () => {
    const stack = `panic: x

goroutine 7 [sleep]:
main.sleeper()
	/srv/shop/main.go:3 +0x1

goroutine 19 [running]:
main.worker()
	/srv/shop/main.go:9 +0x1
created by main.main in goroutine 1
	/srv/shop/main.go:2 +0x1

goroutine 1 [chan receive]:
main.main()
	/srv/shop/main.go:5 +0x1`;
    expect(appFunctions(stack)).toEqual(['worker']);
  });

  it('are not those of the stack of the runtime', () => {
    const stack = `fatal error: stack overflow

runtime stack:
runtime.throw({0x4ca5ad?, 0x41a725?})
	/usr/local/go/src/runtime/panic.go:1229 +0x48 fp=0x7ffda931fea8 sp=0x7ffda931fe78 pc=0x479988

goroutine 1 gp=0x22070edea1e0 m=0 mp=0x58d200 [running]:
main.deep(0x1555523?)
	/srv/shop/main.go:9 +0x29 fp=0x22072eee03a0 sp=0x22072eee0398 pc=0x4a2469
...additional frames elided...
main.main()
	/srv/shop/main.go:20 +0x29`;
    expect(framesOf(stack).map((frame) => frame.function)).toEqual(['deep', 'main']);
  });
});

describe('chains of Go', () => {
  it('begin at the first panic', () => {
    expect(outlineOf(again(5, '0x18'))).toEqual(['go', 'panic', 'runtime error: index out of range [5] with length 0']);
    expect(appFunctions(again(5, '0x18'))).toEqual(['Store.Take', 'again', 'main', 'again']);
  });

  it('are one failure with a panic that was not raised again', () => {
    const message = 'again 5: runtime error: index out of range [5] with length 0';
    expect(fingerprintOf(again(5, '0x18'), 'panic', message)).toBe(
      fingerprintOf(straight, 'panic', 'runtime error: index out of range [7] with length 0'),
    );
  });

  it('are two failures when something else failed', () => {
    expect(fingerprintOf(straight, 'panic')).not.toBe(fingerprintOf(straight.replace('.Take(', '.Give('), 'panic'));
  });

  it('are parsed from a stack that was printed while recovering', () => {
    const stack = `goroutine 11 [running]:
runtime/debug.Stack()
	/usr/local/go/src/runtime/debug/stack.go:26 +0x5e
main.safe.func1()
	/srv/shop/main.go:6 +0x4b
panic({0x6f6c80?, 0x9fbbe0?})
	/usr/local/go/src/runtime/panic.go:860 +0x13a
main.handler({0x62dea5?, 0x239d449a80e8?}, 0x0?)
	/srv/shop/main.go:3 +0x28`;
    expect(appFunctions(stack)).toEqual(['handler', 'safe']);
  });

  it('are parsed from errors with stacks, the root first', () => {
    const stack = `no stock of A-1
example.com/shop/stock.(*Store).Take
	/srv/shop/stock/store.go:12
runtime.main
	/usr/local/go/src/runtime/proc.go:250
could not order
main.order
	/srv/shop/main.go:22`;
    expect(outlineOf(stack)).toEqual(['go', null, 'no stock of A-1']);
    expect(framesOf(stack).map((frame) => frame.function)).toEqual(['Store.Take', 'main', 'order']);
  });
});

describeText('Go', goParser, `${again(5, '0x1')}\n${straight}`, again);

describe('recovered panics of Go', () => {
  const app = (line: number, address: string) => `panic({0x850e20?, ${address}?})
	/usr/local/go/src/runtime/panic.go:770 +0x132
example.com/shop/stock.(*Service).Reserve(${address}, {0xc1, 0x9})
	/srv/shop/stock/service.go:${line} +0x9f9`;
  const zap = (line: number, address: string) => `example.com/shop/web.recoverer.func1
	/srv/shop/web/recoverer.go:${line}
runtime.gopanic
	/usr/local/go/src/runtime/panic.go:1038
example.com/shop/stock.(*Service).Reserve
	/srv/shop/stock/service.go:24
${address}`;
  const gin = (line: number, address: string) => `[Recovery] 2026/01/12 - 10:00:01 panic recovered:
GET /cart HTTP/1.1
Host: shop

stock is closed
/usr/local/go/src/runtime/panic.go:884 (${address})
	gopanic: fn()
/srv/shop/stock/service.go:${line} (${address})
	(*Service).Reserve: panic("stock is closed")
/go/pkg/mod/github.com/gin-gonic/gin@v1.9.1/context.go:174 (${address})
	(*Context).Next: c.handlers[c.index](c)`;

  it.each<[string, (line: number, address: string) => string, string, string | null]>([
    [
      'the server of the language',
      (line, address) =>
        `2026/01/12 10:00:00 http: panic serving 10.0.0.${line % 9}:51234: stock is closed\ngoroutine ${line} [running]:\nnet/http.(*conn).serve.func1()\n\t/usr/local/go/src/net/http/server.go:1898 +0xbe\n${app(line, address)}`,
      'stock.Service.Reserve (stock/service.go)',
      'panic: stock is closed',
    ],
    [
      'a middleware that writes one line first',
      (line, address) =>
        `echo: [PANIC RECOVER] stock is closed goroutine ${line} [running]:\ngithub.com/labstack/echo/v4/middleware.Recover.func1()\n\t/go/pkg/mod/github.com/labstack/echo/v4@v4.11.4/middleware/recover.go:93 +0x15b\n${app(line, address)}`,
      'stock.Service.Reserve (stock/service.go)',
      'panic: stock is closed',
    ],
    [
      'a middleware that writes addresses and lines of source',
      gin,
      'Service.Reserve (stock/service.go)',
      'panic: stock is closed',
    ],
    ['a middleware of the application', zap, 'stock.Service.Reserve (stock/service.go)', null],
    [
      'a middleware that draws',
      (line) =>
        ` panic: stock is closed\n\n -> main.reserve\n      /srv/shop/stock.go:${line}\n\n    net/http.HandlerFunc.ServeHTTP\n      /usr/local/go/src/net/http/server.go:2136`,
      'main.reserve (stock.go)',
      null,
    ],
  ])('are decided by what failed below %s', (_, make, culprit, title) => {
    const of = (line: number, address: string) => {
      const stack = make(line, address);
      return computeFingerprint(serverPayload({ error_name: '', message: stack.slice(0, stack.indexOf('\n')), stack }));
    };
    const first = of(24, '0xc0000180f0');
    expect(first.culprit).toBe(culprit);
    if (title !== null) expect(first.title).toBe(title);
    expect(of(31, '0xc000404000').value).toBe(first.value);
  });

  it.each([
    [
      'one line for each call',
      'no ledger\n\tmain.open:/srv/shop/ledger.go:12\n\tmain.main:/srv/shop/main.go:20',
      'main.open',
    ],
    ['lines with a mark', 'no ledger\n  -- stack trace:\n  | main.open\n  | \t/srv/shop/ledger.go:12', 'main.open'],
    ['an address', '*errors.errorString no ledger\n/srv/shop/ledger.go:12 (0x47f2a5)\n\topen: return err', 'open'],
  ])('have errors beside them that are written with %s', (_, stack, name) => {
    expect(framesOf(stack).map((frame) => [frame.module, frame.function].filter(Boolean).join('.'))[0]).toBe(name);
  });

  it('are no races, which are decided by the access that was found', () => {
    const race = `==================
WARNING: DATA RACE
Write at 0x00c00077b5a8 by goroutine 120:
  example.com/shop/stock.(*Counter).Add()
      /srv/shop/stock/counter.go:104 +0x192

Previous read at 0x00c00077b5a8 by goroutine 121:
  example.com/shop/stock.(*Counter).Sum()
      /srv/shop/stock/counter.go:110 +0x304`;
    expect(outlineOf(race)).toEqual(['go', 'DATA RACE', null]);
    expect(appFunctions(race)).toEqual(['Counter.Add']);
  });

  it.each([
    ['(*shop.Error) 0xc000012345', 'panic(*shop.Error)'],
    ['shop.Error{Code:7}', 'panic(shop.Error)'],
    ['no cart', 'panic'],
  ])('are named by the type of the value %s', (value, name) => {
    const stack = `http: panic serving 10.0.0.1:3669: ${value}\ngoroutine 51 [running]:\nexample.com/shop.Total()\n\t/srv/shop/cart.go:9`;
    expect(goParser.parse(stack).rootCause).toBe(name);
  });

  it('without a frame of the program are those of the modules that it uses, not of Go', () => {
    const stack = `http: panic serving 10.0.0.1:3669: no cart
goroutine 51 [running]:
panic(0xcc2ae0, 0x151cdf0)
\t/usr/local/go/src/runtime/panic.go:679 +0x1b2
bufio.(*Writer).Flush(...)
\t/usr/local/go/src/bufio/bufio.go:646
example.com/stock/v2.(*Cart).Total(0xc000220ea0)
\t/root/go/pkg/mod/example.com/stock/v2@v2.0.1/cart.go:144 +0x7a0`;
    const { culprit } = computeFingerprint(serverPayload({ stack, error_name: 'panic', message: 'no cart' }));
    expect(culprit).toContain('Cart.Total');
  });

  it('of a program that was installed into the folder of modules are its own', () => {
    const stack = `panic: boom

goroutine 1 [running]:
example.com/acme/list.First(...)
	/go/pkg/mod/example.com/acme/list@v1.0.1/list.go:16
main.show({0xc000404000})
	/go/pkg/mod/example.com/acme/tool@v1.0.1/show.go:16 +0x79`;
    expect(appFunctions(stack)).toEqual(['show']);
  });
});
