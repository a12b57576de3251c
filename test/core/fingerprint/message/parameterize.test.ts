import fc from 'fast-check';
import { foldedMessage } from '../../../../core/fingerprint/message/folded-message.js';
import { createParameterizer, parameterize } from '../../../../core/fingerprint/message/parameterize.js';

const hashed = (message: string) => foldedMessage(parameterize(message));

describe('parameterize', () => {
  it.each([
    ['connect ECONNREFUSED 10.0.0.7:5432', 'connect ECONNREFUSED db-2.internal.lan:5433'],
    ['gave up after 900ms', 'gave up after 1m30s'],
    ['body of 12 kB refused', 'body of 1.5 MiB refused'],
    ['object 9f4ef63 is gone', 'object 1749923 is gone'],
    ['owner=null is unknown', 'owner=Person{7} is unknown'],
    ['dropped jobs 3, 4, 5', 'dropped jobs 17'],
    ['read /var/lib/shop/a.db', 'read /home/anna/shop/b.db'],
    ['no such customer "Anna"', 'no such customer "Bo Ek"'],
    ['invalid user anna from 10.0.0.1', 'invalid user bo_7 from 10.0.0.2'],
    ['{"user":"anna","age":7}', '{"user":"bo","age":-12.5}'],
    ['expired 2026-11-21T10:00:00Z', 'expired 2025-01-02T03:04:05.678+01:00'],
    ['order {0190a7f3-5b1e-7c1a-9c39-2f6f4a0f0c11} lost', 'order 17 lost'],
    ['total 1.234,56 EUR refused', 'total $7 refused'],
    ['found 1 error', 'found 1 234 errors'],
    ['gave up after 1 try', 'gave up after 3 tries'],
    ['dropped 1 box', 'dropped 2 boxes'],
    ['connection from 10.0.0.1 () lost', 'connection from 10.0.0.2 (a.example.com) lost'],
    ['lease lost (17)', 'lease lost'],
    ['relay for unknown[10.0.0.7] denied', 'relay for mail.example.org[2001:db8::7] denied'],
    ['dropped [anna, bo]', 'dropped [carl, dan, eve]'],
    ["INSERT INTO t VALUES (1,'x')", "INSERT INTO t VALUES (2,'y'),(3,'z')"],
    ['WHERE id IN (1, 2, 3)', 'WHERE id IN (7)'],
    ['{"a":1,"b":{"c":null}}', '{"a":"x","b":{"c":"y z w v"}}'],
    ['connect to postgres:5432 failed', 'connect to [2001:db8::1]:5433 failed'],
    ['refused curl/8.1.2', 'refused Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/120.0'],
    ['on Monday', 'on Sat Nov 21 2026 10:00:00 GMT+0100 (Central European Standard Time)'],
    ['Cart@deadbeef is gone', 'Cart@1a2b3c is gone'],
    ['sshd[1234]: closed', 'sshd[5]: closed'],
    ['took 3ms/op', 'took 1.5 s/op'],
    ['thread pool-1-thread-3 died', 'thread Thread-7 died'],
    ['open C:\\Users\\a\\x.txt', 'open conf/site.yaml'],
  ])('makes %j and %j equal', (one, other) => {
    expect(hashed(one)).toBe(hashed(other));
  });

  it.each([
    ['Request failed with status code 404', 'Request failed with status code 500'],
    ['exited with code 1', 'exited with code 137'],
    ['SQLSTATE[42P01]: failed', 'SQLSTATE[23505]: failed'],
    ['connect ECONNREFUSED 10.0.0.7:5432', 'connect ETIMEDOUT 10.0.0.7:5432'],
    ['killed by signal 9', 'killed by signal 15'],
    ['ORA-00942: failed', 'ORA-00001: failed'],
    ['reason=timeout', 'reason=refused'],
    ['restart=true', 'restart=false'],
    ['column "price" does not exist', 'column "stock" does not exist'],
    ["Cannot read properties of undefined (reading 'id')", "Cannot read properties of undefined (reading 'name')"],
    ['{"error":"invalid_grant"}', '{"error":"invalid_client"}'],
    ['com.acme.v1.NotFound raised', 'com.acme.v1.Conflict raised'],
    ['utf8 decoder failed', 'utf16 decoder failed'],
    ['got 404 from upstream', 'got 503 from upstream'],
    ['502 Bad Gateway', '504 Gateway Timeout'],
    ['TLS 1.2 is not offered', 'TLS 1.3 is not offered'],
    ['error 0x80070005', 'error 0x80070002'],
    ['ERROR 1062 (23000): x', 'ERROR 1062 (42000): x'],
    ['cipher AES-128-CBC refused', 'cipher AES-256-GCM refused'],
    ['killed by SIGKILL', 'killed by SIGTERM'],
    ['the first attempt failed', 'the second attempt failed'],
    ['GET /a failed', 'POST /a failed'],
    ['user (id 17) gone', 'user gone'],
    ['got []', 'got [1]'],
    ['[main] died', '[worker] died'],
    ['user: denied', 'user: unknown'],
    ['{"error":null}', '{"error":"x y"}'],
    ['cannot load left-pad@1.3.0', 'cannot load right-pad@1.3.0'],
  ])('keeps %j apart from %j', (one, other) => {
    expect(hashed(one)).not.toBe(hashed(other));
  });

  it.each([
    ['url', 'GET https://h-1.example.com:81/a/42?x=9 gave 7', 'GET https://h-1.example.com:81/a/42?x=9 gave <n>'],
    ['number', 'found 17 and -1,142.5 at 10.0.0.7', 'found 17 and -1,142.5 at <host>'],
    ['date_time', 'since 2026-11-21T10:00:00Z, 5 left', 'since 2026-11-21T10:00:00Z, <n> left'],
    ['duration', 'gave up after 1m30.5s, 5 left', 'gave up after 1m30.5s, <n> left'],
    ['size', 'body of 12.5 MB, 5 left', 'body of 12.5 MB, <n> left'],
    ['ip_address', 'connect to 10.0.0.7:5432, 5 left', 'connect to 10.0.0.7:5432, <n> left'],
    ['host', 'connect to db-2.example.com:5432, 5 left', 'connect to db-2.example.com:5432, <n> left'],
    ['path', 'open /var/lib/7/a.db, 5 left', 'open /var/lib/7/a.db, <n> left'],
    ['email', 'for anna7@example.com, 5 left', 'for anna7@example.com, <n> left'],
    [
      'uuid',
      'order 0190a7f3-5b1e-7c1a-9c39-2f6f4a0f0c11, 5 left',
      'order 0190a7f3-5b1e-7c1a-9c39-2f6f4a0f0c11, <n> left',
    ],
    ['identifier', 'block blk_7 and 9f4e of 5 left', 'block blk_7 and 9f4e of <n> left'],
    ['quoted', 'customer "Anna 7" has 5 left', 'customer "Anna 7" has <n> left'],
    ['value', 'id=a17 has 5 left', 'id=a17 has <n> left'],
    ['json_value', 'got {"a":17} of 5', 'got {"a":17} of <n>'],
    ['version', 'plugin v1.2.3-rc.1 of 5', 'plugin v1.2.3-rc.1 of <n>'],
    ['user_agent', 'refused curl/8.1.2 for 5', 'refused curl/8.1.2 for <n>'],
    ['list', 'dropped [a1, bo] of 5', 'dropped [a1, bo] of <n>'],
    ['money', 'charge of $12.50 of 5', 'charge of $12.50 of <n>'],
    ['percentage', 'disk is 93.5 % full, 5 left', 'disk is 93.5 % full, <n> left'],
    ['http_status', 'HTTP 404 for 5', 'HTTP <n> for <n>'],
    ['class_name', 'a.v2.CartError in 5', '<n> in <n>'],
  ])('does not replace a value if %s is disabled', (name, before, after) => {
    expect(createParameterizer(new Set([name]))(before)).toBe(after);
  });

  it('keeps the endings of counted words, which only the hashed text drops', () => {
    expect(parameterize('5000 tags, and 3 does not fit')).toBe('<n> tags, and <n> does not fit');
    expect(hashed('3 boxes, 2 tries of 5 processes')).toBe('<n> box, <n> try of <n> process');
  });

  it('ignores unknown names of rows', () => {
    const off = createParameterizer(new Set(['url', 'nonsense']));
    expect(off('GET https://example.com/42 gave 7')).toBe('GET https://example.com/42 gave <n>');
  });

  it('makes sentences equal that differ in numbers only', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (one, other) => {
        const sentence = (count: number) =>
          `dropped ${count} of 10 parcels in lane ${count % 97}, next try (${count}) soon`;
        expect(hashed(sentence(one))).toBe(hashed(sentence(other)));
      }),
    );
  });

  it('returns only characters of the text and placeholders, for every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const plain = parameterize(text).replace(/<(?:n|time|size|host|path|url|email|text|value|user|agent)>/g, '');
        for (const character of plain) expect(`${text} %y[]`).toContain(character);
      }),
    );
  });
});
