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
