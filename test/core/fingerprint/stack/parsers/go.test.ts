import { goParser } from '../../../../../core/fingerprint/stack/parsers/go.js';
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
