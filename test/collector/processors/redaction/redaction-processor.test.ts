import fc from 'fast-check';
import { Meters } from '../../../../collector/telemetry/meters.js';
import type { JsonObject } from '../../../../core/event/json.js';
import { serverPayload } from '../../../helpers/payloads.js';
import { forwarded, REDACTION_DEFAULTS, redacted, redactedRejection } from './redacting.js';

/** Parses JSON, because an object literal would make `__proto__` a prototype. */
function parsed(text: string): JsonObject {
  return JSON.parse(text);
}

describe('text that redaction does not mask', () => {
  it.each([
    ['password=hunter2hunter', 'password=****'],
    ['pw=abc123xyz db_pw: S3cretvalue9', 'pw=**** db_pw: ****'],
    ['{"user":"anna","password":"a\\"b c"}', '{"user":"anna","password":"****"}'],
    ["{'api_key': 'k1, k2'}", "{'api_key': '****'}"],
    ['body {\\"password\\":\\"x y\\",\\"a\\":1}', 'body {\\"password\\":\\"****\\",\\"a\\":1}'],
    ['Server=db;Password=ab;c!d;Database=x', 'Server=db;Password=****;Database=x'],
    ['postgres://shop:p%40ss/w@db:5432/shop', 'postgres://shop:****@db:5432/shop'],
    ['/cb?access_token=abc123def&state=ok#top', '/cb?access_token=****&state=ok#top'],
    ['Authorization: Bearer abc.def-123\nHost: a', 'Authorization: Bearer ****\nHost: a'],
    ['authorization: Basic c2hvcDpzM2NyZXQ= was refused', 'authorization: Basic **** was refused'],
    ['Authorization: Digest username="anna", response="1f"\r\nHost: a', 'Authorization: Digest ****\r\nHost: a'],
    ["-H 'Cookie: sid=1; a=2' -v", "-H 'Cookie: ****' -v"],
    [
      '-----BEGIN EC PRIVATE KEY-----\nAA\n-----END EC PRIVATE KEY-----.',
      '-----BEGIN EC PRIVATE KEY----------END EC PRIVATE KEY-----.'.replace('----------', '-----****-----'),
    ],
    ['cut off: -----BEGIN PRIVATE KEY-----\\nAAAA', 'cut off: -----BEGIN PRIVATE KEY-----****'],
    ['mail anna.k@example.com: no such user', 'mail ****@example.com: no such user'],
    ['/users?email=anna%40example.com&a=1', '/users?email=****%40example.com&a=1'],
    ['paid with 4111 1111 1111 1111 123 on 2026-11-22', 'paid with **** 123 on 2026-11-22'],
    ['<wsse:Password>x1</wsse:Password>', '<wsse:Password>****</wsse:Password>'],
    ['mysql --password hunter2 shop', 'mysql --password **** shop'],
  ])('%j becomes %j', async (message, expected) => {
    expect((await redacted({ message })).message).toBe(expected);
  });

  it.each([
    'password: must not be empty',
    'password = $DB_PASSWORD',
    'token: eof',
    'the secret of 4111 1111 1111 1112',
    'id 4111111111111111a and 94111111111111111110',
    'scp anna@example.com:/srv/app .',
    'lodash@4.17.21, icon@2x.png and @scope/pkg',
  ])('%j stays', async (message) => {
    const payload = serverPayload({ message });
    expect((await forwarded({ events: [{ payload }] })).events[0]?.payload).toBe(payload);
  });

  it('leaves the same event, with its bytes, if nothing is masked', async () => {
    const event = { payload: serverPayload(), encoded: Buffer.from('{}') };
    expect((await forwarded({ events: [event] })).events[0]).toBe(event);
  });

  it('drops the bytes of the sender if something is masked', async () => {
    const event = { payload: serverPayload({ message: 'password=x1y2' }), encoded: Buffer.from('password=x1y2') };
    expect((await forwarded({ events: [event] })).events[0]).toEqual({
      payload: { ...event.payload, message: 'password=****' },
    });
  });
});

describe('keys of tags and extra', () => {
  it('mask values under names of secrets, at any depth', async () => {
    const extra = {
      db: { dbPassword: 'x1', list: [{ client_secret: ['b'] }] },
      headers: { authorization: 'Bearer c', 'set-cookie': 'd=e' },
    };
    const { tags, ...payload } = await redacted({ extra, tags: { 'api-key': 'f', region: 'eu' } });
    expect(payload.extra).toEqual({
      db: { dbPassword: '****', list: [{ client_secret: ['****'] }] },
      headers: { authorization: 'Bearer ****', 'set-cookie': '****' },
    });
    expect(tags).toEqual({ 'api-key': '****', region: 'eu' });
  });

  it('also count in pairs of a name and a value', async () => {
    const extra = {
      headers: [
        ['Cookie', 'a=b'],
        ['X-Api-Key', 'abcd1234efgh'],
      ],
      list: [
        { name: 'Authorization', value: 'Bearer x' },
        { key: 'host', value: 'a' },
      ],
      required: ['password', 'token'],
    };
    expect((await redacted({ extra })).extra).toEqual({
      headers: [
        ['Cookie', '****'],
        ['X-Api-Key', '****'],
      ],
      list: [
        { name: 'Authorization', value: 'Bearer ****' },
        { key: 'host', value: 'a' },
      ],
      required: ['password', 'token'],
    });
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      'a cookie in every form',
      {
        cookies: [['sid', 'a1'], { name: 'sid', value: 'b2', path: '/' }, 'sid=c3'],
        jar: '<RequestsCookieJar[<Cookie sid=d4 for a.example/>]>',
        go: 'http.Cookie{Name:"sid", Value:"e5"}',
      },
      {
        cookies: [['sid', '****'], { name: 'sid', value: '****', path: '/' }, '****'],
        jar: '<RequestsCookieJar[<Cookie sid=**** for a.example/>]>',
        go: 'http.Cookie{Name:"****", Value:"****"}',
      },
    ],
    [
      'parameters, also at the beginning of a query',
      {
        query_string: 'sid=f00d4711&page=2',
        query: [['csrf', 'f00d4711']],
        url: 'https://a.example/?sessionid=f00d4711',
      },
      { query_string: 'sid=****&page=2', query: [['csrf', '****']], url: 'https://a.example/?sessionid=****' },
    ],
    [
      'parameters in brackets and lists',
      { query_string: 'user%5Bpassword%5D=river', query: { signature: ['f00d4711'] } },
      { query_string: 'user%5Bpassword%5D=****', query: { signature: ['****'] } },
    ],
    [
      'pairs in lists of pairs',
      {
        data: [
          ['user', 'ann'],
          ['passwd', 'river'],
        ],
        env: [['SECRET_KEY', 'river']],
      },
      {
        data: [
          ['user', 'ann'],
          ['passwd', '****'],
        ],
        env: [['SECRET_KEY', '****']],
      },
    ],
    [
      'headers in printed tuples, and schemes that are words',
      { headers: "[('X-Api-Key', 'river'), (b'cookie', b'a=river')]", Authorization: 'Token river' },
      { headers: "[('X-Api-Key', '****'), (b'cookie', b'****')]", Authorization: 'Token ****' },
    ],
  ])('are known by how requests are written: %s', async (_, extra, expected) => {
    expect((await redacted({ extra })).extra).toEqual(expected);
  });

  it.each<[string, JsonObject]>([
    ['a list of names of headers', { allowed_headers: ['Authorization', 'Content-Type'], vary: ['Cookie', 'Accept'] }],
    ['a list of names of columns', { order_by: ['token', 'created_17'] }],
    ['a method of authentication', { auth: 'oauth-v2-flow', http_auth: 'ldap' }],
    ['a decision', { authorization: 'denied by policy' }],
    [
      'printed objects',
      { auth: '<HTTPBasicAuth object at 0x7f00>', token: "<SecretStr '****'>", cookies: '<CookieJar[]>' },
    ],
    ['what only a request makes a secret', { session_id: 'f00d4711', signature: 'RS256-only', session: 'f00d4711' }],
    ['a consent', { accept_cookies: 'declined', cookies: {} }],
    ['ids of a desktop', { env: { XDG_SESSION_ID: 'c2', DESKTOP_SESSION: 'plasma-x11' } }],
  ])('stay if they are %s', async (_, extra) => {
    expect((await redacted({ extra })).extra).toEqual(extra);
  });

  it('are masked if they contain secrets, and stay distinct', async () => {
    const extra = { 'anna@example.com': 1, 'otto@example.com': 2, '****@example.com': 3 };
    expect((await redacted({ extra })).extra).toEqual({
      '****@example.com~2': 1,
      '****@example.com~3': 2,
      '****@example.com': 3,
    });
  });

  it('are plain data, __proto__ and constructor too', async () => {
    const extra = parsed('{"__proto__":{"password":"x"},"constructor":{"token":"abc"}}');
    const result = await redacted({ extra, tags: JSON.parse('{"__proto__":"password=x1"}') });
    expect(JSON.stringify(result.extra)).toBe('{"__proto__":{"password":"****"},"constructor":{"token":"****"}}');
    expect(JSON.stringify(result.tags)).toBe('{"__proto__":"password=****"}');
    expect(Object.getPrototypeOf(result.extra)).toBe(Object.prototype);
  });

  it('are removed unless allowed_keys lists them, if allow_all_keys is false', async () => {
    const result = await redacted(
      { extra: { a: { b: 1 }, c: 2 }, tags: { a: 'x', d: 'y' } },
      { allow_all_keys: false, allowed_keys: ['a'], summary: 'debug' },
    );
    expect(result.tags).toEqual({ a: 'x' });
    expect(result.extra).toEqual({
      a: { b: 1 },
      faultline: {
        redaction: { masked_count: 0, masked_keys: [], removed_count: 2, removed_keys: ['tags.d', 'extra.c'] },
      },
    });
  });

  it('are ignored or masked by the patterns of the operator', async () => {
    const settings = {
      ignored_keys: ['password'],
      ignored_key_patterns: ['^raw_'],
      blocked_key_patterns: ['(?i)iban$'],
    };
    const extra = { password: 'a', raw_x: 'token=abc12345', IBAN: { number: 'DE00', check: 7 } };
    expect((await redacted({ extra }, settings)).extra).toEqual({
      password: 'a',
      raw_x: 'token=abc12345',
      IBAN: { number: '****', check: '****' },
    });
  });
});

describe('settings of redaction', () => {
  it('mask only the kinds that are listed', async () => {
    const message = 'anna@example.com password=x1y2';
    expect((await redacted({ message }, { builtin_patterns: ['emails'] })).message).toBe(
      '****@example.com password=x1y2',
    );
    expect((await redacted({ message }, { builtin_patterns: [] })).message).toBe(message);
  });

  it('mask matches of blocked_values unless allowed_values match too', async () => {
    const settings = { blocked_values: ['CUST-\\d+'], allowed_values: ['CUST-1\\b', '[a-z]+@example\\.com'] };
    expect((await redacted({ message: 'CUST-1 CUST-22 é anna@example.com otto@example.org' }, settings)).message).toBe(
      'CUST-1 **** é anna@example.com ****@example.org',
    );
  });

  it('mask the rest of a text in which a pattern matches more than 1,000 times', async () => {
    const result = await redacted({ message: `${'a-'.repeat(1_001)}b` }, { blocked_values: ['a'] });
    expect(result.message).toBe(`${'****-'.repeat(1_000)}****`);
  });

  it('mask numbers and booleans only if redact_all_types is set', async () => {
    const extra = { card: 4_111_111_111_111_111, token: 12345, ok: true };
    expect((await redacted({ extra })).extra).toEqual(extra);
    expect((await redacted({ extra }, { redact_all_types: true })).extra).toEqual({
      card: '****',
      token: '****',
      ok: true,
    });
  });

  it.each([
    ['md5', '5ebe2294ecd0e0f08eab7690d2a6ee69'],
    ['sha1', 'e5e9fa1ba31ecd1ae84f75caaa474f3a663f05f4'],
    ['sha3', 'f5a5207a8729b1f709cb710311751eb2fc8acad5a1fb8ac991b736e69b6529a3'],
  ] as const)('replace secrets by their %s', async (hash_function, hash) => {
    expect(
      (
        await redacted(
          { message: 'password="secret"', extra: { blocked: 'secret' } },
          { hash_function, blocked_key_patterns: ['blocked'] },
        )
      ).extra,
    ).toEqual({ blocked: hash });
  });

  it('add a summary to extra.faultline and keep the value of the sender', async () => {
    const changes = { message: 'password=x1y2', extra: { faultline: 'mine', token: 'abc' } };
    expect((await redacted(changes, { summary: 'info' })).extra).toEqual({
      token: '****',
      faultline: { sender: 'mine', redaction: { masked_count: 2 } },
    });
    expect((await redacted({ ...changes, extra: null }, { summary: 'debug' })).extra).toEqual({
      faultline: { redaction: { masked_count: 1, masked_keys: ['message'] } },
    });
  });

  it('count masked values by kind', async () => {
    const meters = new Meters();
    await redacted({ message: 'password=x1y2 anna@example.com otto@example.com' }, {}, meters);
    const counts = meters
      .samples('faultline_processor_redacted_values')
      .map(({ labels, value }) => [labels['kind'], value]);
    expect(Object.fromEntries(counts)).toEqual({ passwords: 1, emails: 2 });
    expect(REDACTION_DEFAULTS.summary).toBe('silent');
  });
});

describe('rejected payloads', () => {
  it('lose their secrets and stay JSON', async () => {
    const { text, bytes, received } = await redactedRejection(
      Buffer.from('{"message":5,"p\\u0061ssword":"x","tags":["anna\\u0040example.com"]}'),
    );
    expect(JSON.parse(text)).toEqual({ message: 5, password: '****', tags: ['****@example.com'] });
    expect(bytes).toBe(received?.length);
  });

  it('lose the secrets of a duplicate key, although they are not JSON then', async () => {
    const { text } = await redactedRejection(Buffer.from('{"password":"first","password":5,"n":1.10}'));
    expect(text).toBe('{"password":"****","password":****,"n":1.10}');
  });

  it.each([
    ['lines of JSON', '{}\n{"headers":[["x-key-token","river"]]}\nx', '{}\n{"headers":[["x-key-token","****"]]}\nx'],
    ['JSON that breaks off', '{"env":[["SECRET_KEY","river"]],"a":"b', '{"env":[["SECRET_KEY","****"]],"a":"b'],
    [
      'JSON after a byte order mark and blanks',
      '\ufeff {"list":[{"name":"Cookie","value":["river"]}]}\n',
      '\ufeff {"list":[{"name":"Cookie","value":["****"]}]}\n',
    ],
    ['protobuf', 'n\x0a\x06cookie\x12\x09\x0a\x07a=river.', 'n\x0a\x06cookie\x12\x09\x0a\x07****.'],
  ])('lose the secrets of %s', async (_, text, expected) => {
    expect((await redactedRejection(Buffer.from(text))).text).toBe(expected);
  });

  it('lose secrets in text that is not JSON, in bytes that are not text, and in the reason', async () => {
    expect((await redactedRejection(Buffer.from('{"password":"cut of'))).text).toBe('{"password":"****');
    const binary = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(' password=x1y2 '), Buffer.from([0x80])]);
    const { received, reason } = await redactedRejection(binary, { reason: 'not JSON: password=x1y2' });
    expect(Buffer.from(received ?? []).toString('latin1')).toBe('ÿþ password=**** \u0080');
    expect(reason).toBe('not JSON: password=****');
  });

  it('are unchanged if nothing is masked', async () => {
    const received = Buffer.from('{"message": 5}');
    expect((await redactedRejection(received)).received).toBe(received);
  });

  it('are scanned without recursion if they are very deep', async () => {
    const { text } = await redactedRejection(Buffer.from(`${'['.repeat(100_000)}"password=x1y2"`));
    expect(text).toBe(`${'['.repeat(100_000)}"password=****"`);
  });
});

describe('hostile events', () => {
  it('lose the secret after any other text', async () => {
    const secret = fc.stringMatching(/^[a-z]{3}[0-9]{9}$/);
    const front = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[a-z@:="'\\ ;,%&?/.-]{0,40}$/));
    await fc.assert(
      fc.asyncProperty(front, secret, async (text, value) => {
        const { message, stack } = await redacted({
          message: `${text}\npassword="${value}"`,
          stack: `${text}\nhttps://u:${value}@host/`,
        });
        expect(message).not.toContain(value);
        expect(stack).not.toContain(value);
      }),
    );
  });

  it.each(['password=', 'a@', 'token:"', '4 ', '-----BEGIN ', 'cookie: ', 'sk-', 'authorization: digest '])(
    'with a long string of %j stay or become shorter',
    async (piece) => {
      const message = piece.repeat(Math.ceil(1_048_576 / piece.length));
      expect((await redacted({ message })).message.length).toBeLessThanOrEqual(message.length);
    },
  );

  it('with 10 MB of text lose the secret at its end', async () => {
    const message = `${'the quick brown fox '.repeat(500_000)}password=x1y2`;
    expect((await redacted({ message })).message.endsWith('password=****')).toBe(true);
  });

  it('with ten thousand tags and a thousand levels keep them', async () => {
    const tags = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`k${at}@example.com`, `v${at}`]));
    let extra: JsonObject = { password: 'deep' };
    for (let level = 0; level < 999; level += 1) extra = { level: extra };
    const result = await redacted({ tags, extra });
    expect(new Set(Object.values(result.tags)).size).toBe(10_000);
    expect(JSON.stringify(result)).not.toContain('k77@');
    expect(JSON.stringify(result.extra)).toContain('"password":"****"');
  });

  it('lose secrets that control characters hide', async () => {
    expect((await redacted({ message: '\u0000password=\u001bx1y2\u0007 Bearer abc12345' })).message).not.toContain(
      'abc12345',
    );
  });
});
