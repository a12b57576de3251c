import { phpParser } from '../../../../../core/fingerprint/stack/parsers/php.js';
import { appFunctions, describeText, fingerprintOf, framesOf, outlineOf } from '../../stack-parsers/read-text.js';

const straight = (
  line: number,
): string => `PHP Fatal error:  Uncaught PDOException: SQLSTATE[HY000] [2002] Connection refused in /srv/shop/Db.php:${line}
Stack trace:
#0 /srv/shop/Db.php(${line}): PDO->__construct('mysql:host=db', 'shop', Object(SensitiveParameterValue))
#1 /srv/shop/index.php(${line + 4}): Shop\\Db->open('in x.php:3')
#2 {main}`;

const next = (line: number, type = 'Shop\\StorageError'): string => `${straight(line)}

Next ${type}: no storage in /srv/shop/Db.php:${line + 2}
Stack trace:
#0 /srv/shop/index.php(4): Shop\\Db->open()
#1 {main}
  thrown in /srv/shop/Db.php on line ${line + 2}`;

describe('frames of PHP', () => {
  it('have the location from which the next one was called, and built-in functions are not in-app', () => {
    expect(framesOf(straight(8))).toMatchObject([
      { module: 'PDO', function: '__construct', file: '/srv/shop/Db.php', line: 8, inApp: false },
      { module: 'Shop\\Db', function: 'open', file: '/srv/shop/Db.php', line: 8, inApp: true },
      { module: null, function: null, file: '/srv/shop/index.php', line: 12, inApp: true },
    ]);
  });

  it('are parsed as Whoops lists them, below the exception', () => {
    const stack = `Stacktrace:
#12 ErrorException in /srv/shop/app/Cart.php:8
#11 compact in /srv/shop/app/Cart.php:8
#10 Shop\\Cart:total in /srv/shop/vendor/acme/kit/src/Router.php:54
#9 Acme\\Kit\\Router:run in /srv/shop/index.php:3`;
    expect(framesOf(stack)).toMatchObject([
      { function: 'compact', file: '/srv/shop/app/Cart.php', line: 8, inApp: false },
      { module: 'Shop\\Cart', function: 'total', line: 8, inApp: true },
      { module: 'Acme\\Kit\\Router', function: 'run', inApp: false },
      { function: null, file: '/srv/shop/index.php', inApp: true },
    ]);
  });

  it('are parsed as Moodle lists them, below the exception', () => {
    const stack = `Stack trace:
line 494 of /srv/kit/lib/database.php: read_exception thrown
line 190 of /srv/kit/mod/game/play.php: call to database->query_end()
line 40 of /srv/kit/mod/game/view.php: call to game_play()`;
    expect(framesOf(stack)).toMatchObject([
      { module: 'database', function: 'query_end', file: '/srv/kit/lib/database.php', line: 494 },
      { module: null, function: 'game_play', file: '/srv/kit/mod/game/play.php', line: 190 },
      { function: null, file: '/srv/kit/mod/game/view.php', line: 40 },
    ]);
  });

  it('of an archive decide before what loads it', () => {
    const stack = `Error: no console in phar:///srv/shop.phar/bin/run:39
Stack trace:
#0 phar:///srv/shop.phar/src/Start.php(52): Shop\\run()
#1 /srv/shop.phar(14): require('phar:///srv/sho...')
#2 {main}`;
    expect(appFunctions(stack)).toEqual([]);
  });

  it('are parsed with closures, packages and calls of PHP itself', () => {
    const stack = `TypeError: bad line in /srv/shop/Cart.php:12
Stack trace:
#0 [internal function]: {closure:Shop\\Cart::total():12}(Object(Shop\\Line))
#1 /srv/shop/vendor/acme/kit/src/Lists.php(12): array_map(Object(Closure), Array)
#2 /srv/shop/Cart.php(20): Acme\\Kit\\Lists::map(Array)
#3 /srv/shop/Cart.php(22): Shop\\Cart->Shop\\{closure}()
#4 /srv/shop/Cart.php(24): class@anonymous->go()
#5 {main}`;
    expect(framesOf(stack)).toMatchObject([
      { module: 'Shop\\Cart', function: '{closure}', line: 12, inApp: true },
      { function: 'array_map', file: null, inApp: false },
      { module: 'Acme\\Kit\\Lists', function: 'map', inApp: false },
      { module: 'Shop\\Cart', function: '{closure}', line: 20 },
      { module: 'class@anonymous', function: 'go' },
      { function: null, line: 24 },
    ]);
  });

  it('are parsed from a log that escapes them', () => {
    const stack = `[2026-11-21 10:00:00] production.ERROR: no cart 7 {"exception":"[object] (App\\\\Exceptions\\\\CartMissing(code: 0): no cart 7 at /srv/shop/app/Cart.php:31)
[stacktrace]
#0 /srv/shop/app/Http/CartController.php(12): App\\\\Cart->load(7)
#1 {main}

[previous exception] [object] (PDOException(code: 2002): Connection refused at /srv/shop/app/Db.php:9)
[stacktrace]
#0 /srv/shop/app/Cart.php(12): App\\\\Db->open()
#1 {main}
"}`;
    expect(outlineOf(stack)).toEqual(['php', 'PDOException', 'Connection refused']);
    expect(framesOf(stack)[0]).toMatchObject({
      module: 'App\\Db',
      function: 'open',
      file: '/srv/shop/app/Db.php',
      line: 9,
    });
  });

  it('are parsed without the location of the failure', () => {
    expect(appFunctions('#0 /srv/shop/index.php(4): Shop\\Db->open()\n#1 {main}')).toEqual(['open', null]);
  });
});

/** The same failure in forms of different writers: thrown in `Cart->total`, which `index.php` called. */
const FORMS: readonly [string, string][] = [
  [
    'with a newline written as two characters',
    String.raw`PHP Fatal error:  Uncaught LogicException: no line in /srv/shop/src/Cart.php:12\nStack trace:\n#0 /srv/shop/public/index.php(5): Shop\Cart->total(Array)\n#1 {main}\n  thrown in /srv/shop/src/Cart.php on line 12`,
  ],
  [
    'on one line',
    'Fatal error: Uncaught LogicException: no line in /srv/shop/src/Cart.php:12 Stack trace: #0 /srv/shop/public/index.php(5): Shop\\Cart->total(Array) #1 {main} thrown in /srv/shop/src/Cart.php on line 12',
  ],
  [
    'as a table',
    `PHP Fatal error:  Uncaught LogicException: no line in /srv/shop/src/Cart.php on line 12
PHP Stack trace:
PHP   1. {main}() /srv/shop/public/index.php:0
PHP   2. Shop\\Cart->total($lines = [0 => 'a']) /srv/shop/public/index.php:5`,
  ],
  [
    'as a table with times',
    `LogicException: no line in /srv/shop/src/Cart.php on line 12

Call Stack:
    0.0004     393216   1. {main}() /srv/shop/public/index.php:0
    0.0101     412345   2. Shop\\Cart->total() /srv/shop/public/index.php:5`,
  ],
  [
    'on a console',
    `In Cart.php line 12:
  no line

Exception trace:
  at /srv/shop/src/Cart.php:12
 Shop\\Cart->total() at /srv/shop/public/index.php:5`,
  ],
  [
    'with the line before the file',
    `LogicException: no line in Shop\\Cart->total() (line 12 of /srv/shop/src/Cart.php).
#0 /srv/shop/public/index.php(5): Shop\\Cart->total()
#1 {main}`,
  ],
  [
    'after an error that a handler made an exception',
    `LogicException: no line in /srv/shop/src/Cart.php:12
Stack trace:
#0 /srv/shop/vendor/acme/kit/src/HandleExceptions.php(255): Acme\\Kit\\HandleExceptions->handleError(2, 'no line')
#1 /srv/shop/src/Cart.php(12): Acme\\Kit\\HandleExceptions->Acme\\Kit\\{closure}(2)
#2 /srv/shop/public/index.php(5): Shop\\Cart->total()
#3 {main}`,
  ],
  [
    'of version 5',
    `exception 'LogicException' with message 'no line' in /srv/shop/src/Cart.php:12
Stack trace:
#0 /srv/shop/public/index.php(5): Shop\\Cart->total()
#1 {main}`,
  ],
];

describe('the forms of PHP', () => {
  it.each(FORMS)('are one failure: %s', (_, stack) => {
    expect(framesOf(stack).filter(({ inApp }) => inApp)).toMatchObject([
      { module: 'Shop\\Cart', function: 'total', file: '/srv/shop/src/Cart.php', line: 12 },
      { function: null, file: '/srv/shop/public/index.php', line: 5 },
    ]);
  });

  it('name a template by the message, not by the hash of its compiled file', () => {
    const compiled = (
      hash: string,
    ) => `ErrorException: Undefined variable (View: /srv/shop/views/cart.blade.php) in /srv/shop/storage/framework/views/${hash}.php:3
Stack trace:
#0 /srv/shop/storage/framework/views/${hash}.php(3): Acme\\HandleExceptions->handleError(2)
#1 /srv/shop/vendor/acme/kit/src/Files.php(109): require('/srv/shop/stora...')
#2 {main}`;
    expect(appFunctions(compiled('3f'.repeat(20)))).toEqual([null]);
    expect(framesOf(compiled('3f'.repeat(20)))[1]).toMatchObject({ file: '/srv/shop/views/cart.blade.php' });
    expect(fingerprintOf(compiled('3f'.repeat(20)))).toBe(fingerprintOf(compiled('4a'.repeat(20))));
  });

  it('leave out what belongs to WordPress', () => {
    const stack = `#0 /srv/www/wp-includes/class-wp-hook.php(324): Shop\\Plugin->boot('')
#1 /srv/www/wp-settings.php(555): do_action('init')
#2 /srv/www/index.php(17): require('/srv/www/wp-bl...')`;
    expect(appFunctions(stack)).toEqual(['boot', null]);
  });
});

describe('chains of PHP', () => {
  it('begin with the root cause', () => {
    expect(outlineOf(next(8))).toEqual(['php', 'PDOException', 'SQLSTATE[HY000] [2002] Connection refused']);
    expect(outlineOf(straight(8))).toEqual(['php', null, null]);
  });

  it('are one failure however the cause is wrapped', () => {
    expect(fingerprintOf(next(8), 'Shop\\StorageError', 'a')).toBe(
      fingerprintOf(next(80, 'Shop\\Other'), 'Shop\\Other', 'b'),
    );
    expect(fingerprintOf(next(8))).not.toBe(fingerprintOf(next(8).replaceAll('->open', '->close')));
  });
});

describeText('PHP', phpParser, next(8), (line) => next(line));
