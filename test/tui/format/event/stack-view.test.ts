import { parseSourceLocation } from '../../../../core/source-code/source-location.js';
import { stackView } from '../../../../tui/format/event/stack-view.js';

describe('the location of a frame', () => {
  it.each([
    ['save (/srv/api/save.js:31:11)', 31, '/srv/api/save.js'],
    ['/srv/with blank/save.js:31:11', 31, '/srv/with blank/save.js'],
    ['save (C:\\api\\save.js:31:11)', 31, 'C:\\api\\save.js'],
    ['save@http://host:8099/save.js?v=1:31:11', 31, 'http://host:8099/save.js?v=1'],
    ['File "/srv/shop/main.py", line 31, in save', 31, '/srv/shop/main.py'],
    ['Shop.Cart.Add(Line line) in C:\\Program Files\\Cart.cs:line 31', null, 'C:\\Program Files\\Cart.cs'],
    ['#0 /srv/shop/cart.php(31): add()', null, '/srv/shop/cart.php'],
    ['main.take({0x1?})  /srv/shop/main.go:31 +0x9c', 31, '/srv/shop/main.go'],
    ['#1 0x55d5 in main /srv/shop/main.c:31', 31, '/srv/shop/main.c'],
    ["/srv/shop/main.rb:31:in `take'", 31, '/srv/shop/main.rb'],
    ['(elixir 1.14.0) lib/code.ex:31: Code.require_file/2', 31, 'lib/code.ex'],
    ['(file.js:131:31)', 31, undefined],
    ['', 31, undefined],
    ['<anonymous>', 1, undefined],
    ['save (<eval>:31:2)', 31, undefined],
  ])('of %j is its path, unchanged', (text, line, path) => {
    expect(parseSourceLocation(text, line)?.path).toBe(path);
  });
});

describe('stackView', () => {
  it('lists Python errors with the reported one first and calls innermost first', () => {
    const stack = [
      'Traceback (most recent call last):',
      '  File "/srv/shop/main.py", line 4, in load',
      '    return open(path)',
      'OSError: page cannot be read',
      '',
      'The above exception was the direct cause of the following exception:',
      '',
      'Traceback (most recent call last):',
      '  File "/srv/shop/main.py", line 15, in <module>',
      '    show()',
      '  File "/srv/shop/main.py", line 9, in show',
      '    raise PageError("no page") from error',
      'PageError: no page',
    ].join('\n');
    const { errors } = stackView(stack);
    expect(errors.map(({ type, relation, isRoot }) => [type, relation, isRoot])).toEqual([
      ['PageError', 'reported', false],
      ['OSError', 'cause', true],
    ]);
    expect(errors[0]?.frames.map(({ frame, source }) => [frame.line, source])).toEqual([
      [9, 'raise PageError("no page") from error'],
      [15, 'show()'],
    ]);
  });

  it('lists suppressed errors and causes of Java, and files in the folder of their package', () => {
    const stack = [
      'Exception in thread "main" com.acme.CartException: cart lost',
      '\tat com.acme.cart.Cart.load(Cart.java:20)',
      '\tat java.base/java.lang.Thread.run(Thread.java:840)',
      '\tSuppressed: java.io.IOException: close failed',
      '\t\tat com.acme.cart.Page.close(Page.java:7)',
      'Caused by: java.sql.SQLException: page 7',
      '\tat com.acme.cart.Page.read(Page.java:3)',
      '\t... 1 more',
    ].join('\n');
    const { errors } = stackView(stack);
    expect(errors.map(({ type, message, relation, isRoot }) => [type, message, relation, isRoot])).toEqual([
      ['com.acme.CartException', 'cart lost', 'reported', false],
      ['java.io.IOException', 'close failed', 'suppressed', false],
      ['java.sql.SQLException', 'page 7', 'cause', true],
    ]);
    expect(errors[0]?.frames.map(({ frame, location }) => [frame.inApp, location?.path])).toEqual([
      [true, 'com/acme/cart/Cart.java'],
      [false, 'java/lang/Thread.java'],
    ]);
    expect(errors[2]?.rest).toEqual(['... 1 more']);
  });

  it('parses two lines of Go as one call', () => {
    const stack =
      'goroutine 1 [running]:\nmain.take(...)\n\t/srv/shop/main.go:16\nmain.main()\n\t/srv/shop/main.go:26 +0x1d';
    expect(stackView(stack).errors[0]?.frames.map(({ location }) => location?.line)).toEqual([16, 26]);
  });

  it('returns only text without frames, and reports a cut', () => {
    expect(stackView('it broke\n\nsomewhere')).toEqual({ errors: [], text: ['it broke', 'somewhere'], isCut: false });
    expect(stackView('')).toEqual({ errors: [], text: [], isCut: false });
    expect(stackView('at x (/a.js:1:2)\n'.repeat(5_000))).toMatchObject({ isCut: true });
    expect(stackView('('.repeat(2_000_000))).toMatchObject({ isCut: true, errors: [] });
  });
});
