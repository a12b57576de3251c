import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { openRawConnection, type RawConnection } from '../raw-connection.js';
import { type RunningService, settingsFor, startService } from '../running-service.js';

const TOKEN = '0123456789abcdef-token';
const PAGE = 'https://page.example';
let open: RunningService;
let guarded: RunningService;
const opened: RawConnection[] = [];

beforeAll(async () => {
  open = await startService(settingsFor(await temporaryFolder()));
  guarded = await startService(
    settingsFor(
      await temporaryFolder(),
      `extensions.bearertokenauth.token=${TOKEN}`,
      'service.extensions=[query, bearertokenauth]',
      'receivers.events.auth.authenticator=bearertokenauth',
      'extensions.query.auth.authenticator=bearertokenauth',
      `receivers.events.cors.allowed_origins=["${PAGE}"]`,
    ),
  );
});
afterEach(async () => {
  for (const { socket } of opened.splice(0)) socket.destroy();
  // After every request the collector must still serve others, and must not have logged an internal error.
  expect((await fetch(open.eventsUrl, { method: 'POST', body: '[]' })).status).toBe(200);
  expect([...open.logged, ...guarded.logged].filter(({ level }) => Number(level) >= 50)).toEqual([]);
});
afterAll(async () => {
  await Promise.all([open.service.shutdown(), guarded.service.shutdown()]);
  await removeTemporaryFolders();
});

async function connection({ eventsUrl }: RunningService): Promise<RawConnection> {
  const raw = await openRawConnection(Number(new URL(eventsUrl).port));
  opened.push(raw);
  return raw;
}

/** Returns everything that is sent until the collector closes the connection. */
async function answersTo(service: RunningService, ...pieces: readonly (string | Uint8Array)[]): Promise<string> {
  const raw = await connection(service);
  for (const piece of pieces) raw.write(piece);
  return raw.untilClosed();
}

const statuses = (responses: string) =>
  [...responses.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
const codes = (responses: string) => [...responses.matchAll(/"code":"([A-Z_]+)"/g)].map(([, code]) => code);
const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`;
const post = (...headers: string[]) => head('POST /v1/events HTTP/1.1', ...headers);
const CLOSE = 'connection: close';
const HOST = 'host: localhost';
const JSON_BODY = 'content-type: application/json';
/** The request that would be smuggled. */
const SECOND = head('GET /second HTTP/1.1', HOST, CLOSE);

describe('a request that two servers could parse in two ways', () => {
  it.each([
    ['two lengths', `${post(HOST, 'content-length: 2', 'content-length: 60')}[]${SECOND}`],
    ['two lengths in one header', `${post(HOST, 'content-length: 2, 60')}[]${SECOND}`],
    ['a length beside chunks', `${post(HOST, 'content-length: 2', 'transfer-encoding: chunked')}0\r\n\r\n${SECOND}`],
    ['chunks beside a length', `${post(HOST, 'transfer-encoding: chunked', 'content-length: 2')}0\r\n\r\n${SECOND}`],
    ['an encoding of no kind', `${post(HOST, 'transfer-encoding: xchunked')}[]${SECOND}`],
    ['chunks that are not the last encoding', `${post(HOST, 'transfer-encoding: chunked, identity')}[]${SECOND}`],
    ['a length that is negative', post(HOST, 'content-length: -1') + SECOND],
    ['a length that is signed', `${post(HOST, 'content-length: +2')}[]${SECOND}`],
    ['a length in hexadecimal', `${post(HOST, 'content-length: 0x2')}[]${SECOND}`],
    ['a length of forty digits', post(HOST, `content-length: ${'9'.repeat(40)}`) + SECOND],
    ['a blank before the colon', `${post(HOST, 'content-length : 2')}[]${SECOND}`],
    ['a folded header', `${post(HOST, 'x-one: a', ' transfer-encoding: chunked')}0\r\n\r\n${SECOND}`],
    ['a lone line feed in a header', `${post(HOST, 'x-one: a\ntransfer-encoding: chunked')}0\r\n\r\n${SECOND}`],
    ['a lone carriage return in a header', `${post(HOST, 'x-one: a\rtransfer-encoding: chunked')}0\r\n\r\n${SECOND}`],
    ['a NUL in a header', post(HOST, 'x-one: a\0b') + SECOND],
    ['a chunk size with a sign', `${post(HOST, 'transfer-encoding: chunked')}+2\r\n[]\r\n0\r\n\r\n${SECOND}`],
    ['a chunk size in 0x', `${post(HOST, 'transfer-encoding: chunked')}0x2\r\n[]\r\n0\r\n\r\n${SECOND}`],
    ['a chunk size beyond 64 bits', `${post(HOST, 'transfer-encoding: chunked')}${'f'.repeat(17)}\r\n[]\r\n${SECOND}`],
    ['a chunk without its line break', `${post(HOST, 'transfer-encoding: chunked')}2\r\n[]0\r\n\r\n${SECOND}`],
    [
      'a chunk extension with a line feed',
      `${post(HOST, 'transfer-encoding: chunked')}2;a\nb\r\n[]\r\n0\r\n\r\n${SECOND}`,
    ],
    ['an invalid HTTP version', head('POST /v1/events HTTP/1.9', HOST) + SECOND],
    ['a request that names two hosts', `${post(HOST, 'host: evil.example', 'content-length: 2')}[]${SECOND}`],
  ])('for %s gets 400, and nothing after it is read', async (_what, text) => {
    expect(statuses(await answersTo(open, text))).toEqual([400]);
  });

  it('for chunks in HTTP/1.0 gets 400', async () => {
    const chunked = head('POST /v1/events HTTP/1.0', HOST, 'transfer-encoding: chunked');
    const responses = await answersTo(open, `${chunked}2\r\n[]\r\n0\r\n\r\n`);
    expect([statuses(responses), codes(responses)]).toEqual([[400], ['REQUEST_MALFORMED']]);
  });
});

describe('a request that is too large', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `x${index}: a`);
  const CHUNKED = 'transfer-encoding: chunked';

  it.each([
    ['a header of 1 MB', post(HOST, `x-one: ${'a'.repeat(1_000_000)}`), 431],
    ['10,000 headers', post(HOST, ...many(10_000)), 431],
    ['101 headers', post(HOST, CLOSE, ...many(99)), 431],
    ['more headers than are kept, its host the last', post(...many(150), 'host: evil.example'), 400],
    ['a target of 1 MB', head(`GET /${'a'.repeat(1_000_000)} HTTP/1.1`, HOST), 431],
    ['a chunk extension of 2 MB', `${post(HOST, CHUNKED)}2;${'a'.repeat(2_000_000)}\r\n[]\r\n0\r\n\r\n`, 413],
    ['trailers of 1 MB', `${post(HOST, CHUNKED)}2\r\n[]\r\n0\r\nx-t: ${'a'.repeat(1_000_000)}\r\n\r\n`, 431],
  ])('for %s is refused and its connection closed', async (_what, text, status) => {
    expect(statuses(await answersTo(open, text))).toEqual([status]);
  });

  it('for none of the limits is served: 100 headers, an extension on each chunk, a hundred thousand empty lines before it', async () => {
    const hundred = post(HOST, JSON_BODY, CLOSE, 'content-length: 2', ...many(96));
    expect(statuses(await answersTo(open, `${hundred}[]`))).toEqual([200]);
    const chunks = `1;${'a'.repeat(100)}\r\n \r\n`.repeat(500);
    const extended = `${post(HOST, JSON_BODY, CLOSE, CHUNKED)}2\r\n[]\r\n${chunks}0\r\n\r\n`;
    expect(statuses(await answersTo(open, extended))).toEqual([200]);
    const late = '\r\n'.repeat(100_000) + post(HOST, JSON_BODY, CLOSE, 'content-length: 2');
    expect(statuses(await answersTo(open, `${late}[]`))).toEqual([200]);
  });
});

describe('the target of a request', () => {
  it.each([
    ['in absolute form with a foreign Host beside it', 'http://localhost/nothing', HOST, 404, 'PATH_NOT_FOUND'],
    ['in absolute form, foreign', 'http://evil.example/v1/events', HOST, 403, 'HOST_NOT_ALLOWED'],
    ['in absolute form with a user', 'http://evil.example@localhost/v1/events', HOST, 400, 'REQUEST_TARGET_INVALID'],
    ['in absolute form with our name as user', 'http://localhost@evil.example/', HOST, 400, 'REQUEST_TARGET_INVALID'],
    ['in an invalid absolute form', 'http://[::1/v1/events', HOST, 400, 'REQUEST_TARGET_INVALID'],
    ['that has no host and two in its headers', 'http://[/', `${HOST}\r\nhost: other`, 400, 'REQUEST_MALFORMED'],
    ['with a fragment', '/v1/events#x', HOST, 404, 'PATH_NOT_FOUND'],
    ['with backslashes before a fragment', '/v1\\events#', HOST, 404, 'PATH_NOT_FOUND'],
    ['that cannot be decoded, of a foreign Host', '/api/v1/issues/%zz', 'host: evil.example', 403, 'HOST_NOT_ALLOWED'],
    ['of another scheme', 'ftp://localhost/v1/events', HOST, 400, 'REQUEST_TARGET_INVALID'],
    ['with two slashes', '//evil.example/v1/events', HOST, 404, 'PATH_NOT_FOUND'],
    ['that leads up', '/v1/../v1/events', HOST, 404, 'PATH_NOT_FOUND'],
    ['of the server as a whole', '*', HOST, 400, 'REQUEST_TARGET_INVALID'],
    ['with an empty Host', '/v1/events', 'host:', 403, 'HOST_NOT_ALLOWED'],
    ['with a user in Host', '/v1/events', 'host: localhost@evil.example', 403, 'HOST_NOT_ALLOWED'],
    ['with our name behind a user in Host', '/v1/events', 'host: evil.example@localhost', 403, 'HOST_NOT_ALLOWED'],
    ['with a Host that turns the text', '/v1/events', 'host: \u202elocalhost', 403, 'HOST_NOT_ALLOWED'],
    ['with several in one Host', '/v1/events', 'host: localhost, evil.example', 403, 'HOST_NOT_ALLOWED'],
    ['by a name that stands for this machine', '/v1/events', 'host: 127.0.0.1.nip.io', 403, 'HOST_NOT_ALLOWED'],
    ['by a number that stands for it', '/v1/events', 'host: 2130706433', 403, 'HOST_NOT_ALLOWED'],
    ['by the address of all', '/v1/events', 'host: 0.0.0.0:4318', 403, 'HOST_NOT_ALLOWED'],
    ['by a name with a dot behind', '/v1/events', 'host: localhost.', 403, 'HOST_NOT_ALLOWED'],
  ])('%s', async (_what, target, host, status, code) => {
    const text = head(`OPTIONS ${target} HTTP/1.1`, host, CLOSE);
    const responses = await answersTo(open, text);
    expect([statuses(responses), codes(responses)]).toEqual([[status], [code]]);
    expect(responses).not.toContain('\u202e');
  });

  it('needs a host in HTTP/1.1, and not in HTTP/1.0', async () => {
    const headers = [JSON_BODY, CLOSE, 'content-length: 2'];
    expect(statuses(await answersTo(open, `${post(...headers)}[]`))).toEqual([400]);
    const old = head('POST /v1/events HTTP/1.0', ...headers);
    expect(statuses(await answersTo(open, `${old}[]`))).toEqual([200]);
  });
});

describe('an unsupported method or protocol', () => {
  it.each([
    ['CONNECT', head('CONNECT evil.example:443 HTTP/1.1', HOST), 405],
    ['TRACE', head('TRACE /v1/events HTTP/1.1', HOST, CLOSE), 405],
    ['an unknown method', head('HACK /v1/events HTTP/1.1', HOST), 400],
    ['WebSocket', head('GET /v1/events HTTP/1.1', HOST, 'connection: upgrade, close', 'upgrade: websocket'), 405],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['TLS', Buffer.from([0x16, 3, 1, 0, 200, 1, 0, 0, 196]), 400],
    ['an unknown expectation', post(HOST, CLOSE, 'expect: 200-maybe', 'content-length: 2'), 417],
  ])('%s is refused', async (_what, bytes, status) => {
    expect(statuses(await answersTo(open, bytes))).toEqual([status]);
  });

  it('is ignored if a request only offers to upgrade to HTTP/2', async () => {
    const upgrade = ['connection: upgrade, http2-settings, close', 'upgrade: h2c', 'http2-settings: AAMAAABkAAQAAP__'];
    const responses = await answersTo(open, `${post(HOST, JSON_BODY, ...upgrade, 'content-length: 2')}[]`);
    expect(statuses(responses)).toEqual([200]);
  });
});

describe('pipelined requests', () => {
  it('get their responses in order, valid beside invalid ones', async () => {
    const one = `${post(HOST, JSON_BODY, 'content-length: 2')}[]`;
    const last = head('GET /nothing HTTP/1.1', HOST, CLOSE);
    const responses = await answersTo(open, one + head('GET /v1/events HTTP/1.1', HOST) + one + last);
    expect(statuses(responses)).toEqual([200, 405, 200, 404]);
  });

  it('get their responses if the client closes its half after them', async () => {
    const raw = await connection(open);
    raw.write(`${post(HOST, JSON_BODY, 'content-length: 2')}[]`);
    raw.socket.end();
    expect(statuses(await raw.untilClosed())).toEqual([200]);
  });

  it('are not waited for if the client closes its half in the middle of one', async () => {
    const raw = await connection(open);
    raw.write(`${post(HOST, JSON_BODY, 'content-length: 20')}[`);
    raw.socket.end();
    expect(statuses(await raw.untilClosed())).toEqual([400]);
  });
});

describe('a request without a token', () => {
  const LARGE = 'content-length: 50000000';

  it('is refused before its body is read', async () => {
    const raw = await connection(guarded);
    raw.write(post(HOST, JSON_BODY, LARGE));
    const response = await raw.receive(/TOKEN_MISSING/);
    expect(statuses(response)).toEqual([401]);
    expect(response).toMatch(/connection: close/i);
    await raw.untilClosed();
  });

  it('gets no 100 Continue, and one with a token does', async () => {
    const expecting = [HOST, JSON_BODY, 'expect: 100-continue', CLOSE];
    expect(statuses(await answersTo(guarded, post(...expecting, LARGE)))).toEqual([401]);
    const raw = await connection(guarded);
    raw.write(post(...expecting, `authorization: Bearer ${TOKEN}`, 'content-length: 2'));
    await raw.receive(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    raw.write('[]');
    expect(statuses(await raw.untilClosed())).toEqual([100, 200]);
  });

  it.each([
    [
      'but with one in the query string',
      `/v1/events?token=${TOKEN}&access_token=${TOKEN}&authorization=Bearer%20${TOKEN}`,
      [],
      'TOKEN_MISSING',
    ],
    ['but with one in a cookie', '/v1/events', [`cookie: authorization=Bearer ${TOKEN}`], 'TOKEN_MISSING'],
    [
      'but with a false one before the right one',
      '/v1/events',
      ['authorization: Bearer no', `authorization: Bearer ${TOKEN}`],
      'TOKEN_WRONG',
    ],
    ['but with one of 10 kB', '/v1/events', [`authorization: Bearer ${'x'.repeat(10_000)}`], 'TOKEN_WRONG'],
    ['but with one of another scheme', '/v1/events', [`authorization: Basic ${TOKEN}`], 'TOKEN_MISSING'],
  ])('%s is refused', async (_what, target, headers, code) => {
    const text = head(`POST ${target} HTTP/1.1`, HOST, JSON_BODY, CLOSE, 'content-length: 2', ...headers);
    const responses = await answersTo(guarded, `${text}[]`);
    expect([statuses(responses), codes(responses)]).toEqual([[401], [code]]);
    expect(responses).not.toContain(TOKEN);
    expect(JSON.stringify(guarded.logged)).not.toContain(TOKEN);
  });

  it.each([
    ['of a page that is listed', PAGE, [], 204],
    ['of one that is listed, with a token', PAGE, [`authorization: Bearer ${TOKEN}`], 204],
    ['of one that is not', 'https://evil.example', [], 403],
    ['of one that is not, with a token', 'https://evil.example', [`authorization: Bearer ${TOKEN}`], 403],
    ['of no page at all', 'null', [], 403],
    ['of a name that begins as one that is listed', `${PAGE}.evil.example`, [], 403],
  ])('that is the preflight %s', async (_what, origin, headers, status) => {
    const asking = [`origin: ${origin}`, 'access-control-request-method: POST'];
    const text = head('OPTIONS /v1/events HTTP/1.1', HOST, CLOSE, ...asking, ...headers);
    const responses = await answersTo(guarded, text);
    expect(statuses(responses)).toEqual([status]);
    expect(/access-control-allow-origin/.test(responses)).toBe(status === 204);
  });
});
