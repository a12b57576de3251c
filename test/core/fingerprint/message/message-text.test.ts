import { serverPayload } from '../../../helpers/payloads.js';
import { computeFingerprint } from '../compute-fingerprint.js';

function grouped(message: string, errorName = ''): ReturnType<typeof computeFingerprint> {
  return computeFingerprint(serverPayload({ error_name: errorName, message, stack: null, extra: null }));
}

const DOCUMENT = '<!DOCTYPE html>\n<html>\n<head><title>502 Bad Gateway</title></head>\n<body>nginx</body>\n</html>';

describe('the title of a message', () => {
  it.each([
    ['{\n  "error": {\n    "message": "card declined"\n  }\n}', 'card declined'],
    ['{"code":"E17","detail":"no such voucher"}', 'no such voucher'],
    ['[{"title":"no such voucher"}]', 'no such voucher'],
    ['{"code": 17}', 'code 17'],
    ['-----------\nbuild failed', 'build failed'],
    ['=====\n***\nbuild failed', 'build failed'],
    ['+------+\n| stock is empty |', '| stock is empty |'],
    ['"""\nbuild failed\n"""', 'build failed'],
    ['```text\nbuild failed\n```', 'build failed'],
    [DOCUMENT, '502 Bad Gateway'],
    ['<?xml version="1.0"?>\n<error>\n<message>no such key</message>\n</error>', 'no such key'],
    [
      'job 71 failed\nTraceback (most recent call last):\n  File "/app/a.py", line 1, in f\n    g()\nKeyError: \'price\'',
      'KeyError: <text>',
    ],
    ['Unhandled exception:\nbuild failed', 'build failed'],
    ["thread 'main' panicked at src/build.rs:7:3:\nbuild failed", 'build failed'],
    ['Error:', 'Error:'],
    ['404', '<n>'],
    ['🔥', '🔥'],
    ['build failed\nat once', 'build failed'],
  ])('of %j is %j', (message, title) => {
    expect(grouped(message).title).toBe(title);
  });

  it.each(['-----', '{', '"""', '***', '<!DOCTYPE html>'])('of %j, which says nothing, is the type', (message) => {
    expect(grouped(message, 'BuildError').title).not.toMatch(/Unnamed|BuildError: [-{*"]/);
  });
});

describe('messages of one failure', () => {
  it.each([
    ['SELECT * FROM orders WHERE id IN (1, 2, 3) LIMIT 10', 'select *\n  from orders\n where id in (?, ?)\n limit 5'],
    ['SELECT "id" FROM "shop"."orders" WHERE id = $1', 'SELECT `id` FROM `shop`.`orders` WHERE id = 17'],
    ["INSERT INTO carts (id, name) VALUES (1, 'a'), (2, 'it''s')", 'insert into carts (id,name) values (?,?)'],
    ["UPDATE carts SET name = 'a' WHERE id = 7", 'UPDATE carts SET name=:name WHERE id=:id'],
    ['DELETE FROM carts WHERE id = @id', 'delete from carts where id = %s'],
    ['cannot run SELECT a FROM b WHERE c = 1: timeout', 'cannot run SELECT a FROM b WHERE c = ?: timeout'],
    ['rejected {"a":1,"b":{"c":2,"d":3}}', 'rejected {"b": {"d": 5, "c": null}, "a": "x"}'],
    ['{"a": 1, "b": 2}', '{\n  "b": 7,\n  "a": 9\n}'],
    ['play() was not allowed. https://example.com/why', 'play() was not allowed.'],
    [
      'Error Domain=NSURLErrorDomain Code=-1009 "offline" UserInfo={Key=7, NSUnderlyingError=0x28 {Error Domain=a Code=1 "x"}}',
      'Error Domain=NSURLErrorDomain Code=-1009 "offline"',
    ],
    ['======== build failed', '==================== build failed'],
  ])('%j and %j are one issue', (one, other) => {
    expect(grouped(one).value).toBe(grouped(other).value);
  });

  it.each([
    ['SELECT * FROM orders WHERE id = 1', 'SELECT * FROM invoices WHERE id = 1'],
    ['SELECT * FROM shop.orders', 'SELECT * FROM bank.orders'],
    ['SELECT a FROM b ORDER BY a', 'SELECT a FROM b ORDER BY c'],
    ['SELECT a FROM b: ERROR 1062 (23000)', 'SELECT a FROM b: ERROR 1213 (40001)'],
    [
      "INSERT INTO a (b) VALUES (1): Duplicate entry 'x' for key 'a.one'",
      "INSERT INTO a (b) VALUES (1): Duplicate entry 'x' for key 'a.two'",
    ],
    ['rejected {"a":1}', 'rejected {"b":1}'],
    ['{"error":"invalid_grant"}', '{"error":"invalid_client"}'],
    ['{\n  "message": "card declined"\n}', '{\n  "message": "no such voucher"\n}'],
    [DOCUMENT, DOCUMENT.replace('502 Bad Gateway', '503 Service Unavailable')],
    ['GET /api/users/1/orders/9 failed', 'GET /api/users/1/invoices/9 failed'],
    ['request to https://payments.internal/x failed', 'request to https://stock.internal/x failed'],
    ['function Shop.Cart.total/1 is undefined', 'function Shop.Cart.count/1 is undefined'],
    [
      'build failed\n\nCaused by:\n    0: cannot read the plan\n    1: the disk is gone',
      'build failed\n\nCaused by:\n    0: cannot read the plan\n    1: the plan is empty',
    ],
    ["thread 'main' panicked at 'no cart', src/a.rs:7:3", "thread 'main' panicked at 'no stock', src/a.rs:7:3"],
  ])('%j and %j are two', (one, other) => {
    expect(grouped(one).value).not.toBe(grouped(other).value);
  });

  // A pattern that tries every split takes minutes.
  it('are read to the end, as long as a message may be', () => {
    for (const piece of ['select ', '{"a":', 'SELECT a,', '/a/', 'https://a/', '- ', '\n{', 'x(0,', '#<A b: ']) {
      expect(grouped(piece.repeat(20_000)).value).toMatch(/^[0-9a-f]{32}$/);
    }
  });
});
