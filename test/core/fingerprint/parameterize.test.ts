import fc from 'fast-check';
import { parameterize } from '../../../core/fingerprint/parameterize.js';

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
  ])('gives %j and %j one text', (one, other) => {
    expect(parameterize(one)).toBe(parameterize(other));
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
  ])('keeps %j apart from %j', (one, other) => {
    expect(parameterize(one)).not.toBe(parameterize(other));
  });

  it('gives one text to one sentence whatever its numbers are', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (one, other) => {
        const say = (count: number) => `dropped ${count} of 10 parcels in lane ${count % 97}, next try (${count}) soon`;
        expect(parameterize(say(one))).toBe(parameterize(say(other)));
      }),
    );
  });

  it('answers for every text, with nothing that was not there or is no placeholder', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const plain = parameterize(text).replace(/<(?:n|time|size|host|path|url|email|text|value|user)>/g, '');
        for (const character of plain) expect(`${text} `).toContain(character);
      }),
    );
  });
});
