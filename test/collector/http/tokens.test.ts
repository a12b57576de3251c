import { hash } from 'node:crypto';
import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { openRawConnection } from '../raw-connection.js';
import { type RunningService, settingsFor, startService } from '../running-service.js';
import { parseScrape, sampleValue } from '../telemetry/scrape.js';

const SENDING = 'token-for-sending-events';
const READING = 'token-for-reading-them';
const ACTING = 'token-for-acting-on-issues';

let running: RunningService | undefined;
afterEach(async () => {
  await running?.service.shutdown();
  running = undefined;
});
afterAll(removeTemporaryFolders);

async function start(...sets: string[]): Promise<RunningService> {
  const settings = settingsFor(
    await temporaryFolder(),
    `extensions.bearertokenauth/sending.token=${SENDING}`,
    `extensions.bearertokenauth/reading.tokens=[${READING}]`,
    `extensions.bearertokenauth/acting.token=${ACTING}`,
    'service.extensions=[query, bearertokenauth/sending, bearertokenauth/reading, bearertokenauth/acting]',
    'receivers.events.auth.authenticator=bearertokenauth/sending',
    ...sets,
  );
  running = await startService(settings);
  return running;
}

function urlsOf({ service }: RunningService): { events: string; query: string } {
  const { receivers, extensions } = service.describe();
  return { events: receivers[0]?.url ?? '', query: `${extensions[0]?.url ?? ''}/api/v1` };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function codeOf(response: Response): Promise<[number, unknown]> {
  const text = await response.text();
  return [response.status, response.ok ? undefined : JSON.parse(text).code];
}

describe('an endpoint with tokens', () => {
  it('accepts a valid token, with the scheme in any case', async () => {
    const { events } = urlsOf(await start());
    for (const scheme of ['Bearer', 'bearer', 'BEARER ']) {
      const headers = { authorization: `${scheme} ${SENDING}`, 'content-type': 'application/json' };
      expect((await fetch(events, { method: 'POST', headers, body: '[]' })).status).toBe(200);
    }
  });

  it.each([
    [undefined, 'TOKEN_MISSING'],
    ['', 'TOKEN_MISSING'],
    [SENDING, 'TOKEN_MISSING'],
    [`Basic ${SENDING}`, 'TOKEN_MISSING'],
    ['Bearer', 'TOKEN_MISSING'],
    [`Bearer${SENDING}`, 'TOKEN_MISSING'],
    [`Bearer ${READING}`, 'TOKEN_WRONG'],
    [`Bearer ${SENDING}x`, 'TOKEN_WRONG'],
    [`Bearer ${SENDING.toUpperCase()}`, 'TOKEN_WRONG'],
    [`Bearer ${hash('sha256', SENDING)}`, 'TOKEN_WRONG'],
  ])('refuses %j with 401 %s and names the scheme', async (authorization, code) => {
    const { events } = urlsOf(await start());
    const headers = authorization === undefined ? {} : { authorization };
    const response = await fetch(events, { method: 'POST', headers, body: '[]' });
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm="faultline"/);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await codeOf(response)).toEqual([401, code]);
  });

  it('refuses before the body is read, and does not count the request as received', async () => {
    const { service, eventsUrl } = await start();
    const connection = await openRawConnection(Number(new URL(eventsUrl).port));
    connection.write('POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5000\r\n\r\n');
    expect(await connection.receive(/\}$/)).toMatch(/^HTTP\/1\.1 401 .*TOKEN_MISSING/s);
    connection.socket.destroy();
    expect(service.describe().receivers).toHaveLength(1);
  });

  it('checks the host first, so that a page learns nothing about tokens', async () => {
    const { eventsUrl } = await start();
    const connection = await openRawConnection(Number(new URL(eventsUrl).port));
    connection.write(
      'POST /v1/events HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\ncontent-length: 0\r\n\r\n',
    );
    expect(await connection.untilClosed()).toContain('HOST_NOT_ALLOWED');
  });

  it('responds to a preflight without a token, and to the request after it only with one', async () => {
    const { events } = urlsOf(await start('receivers.events.cors.allowed_origins=["https://shop.example"]'));
    const origin = 'https://shop.example';
    const asked = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    const preflight = await fetch(events, { method: 'OPTIONS', headers: asked });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
    const refused = await fetch(events, { method: 'POST', headers: { origin }, body: '[]' });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, origin]);
    const headers = { origin, 'content-type': 'application/json', ...bearer(SENDING) };
    expect((await fetch(events, { method: 'POST', headers, body: '[]' })).status).toBe(200);
  });

  it('reads the first of two tokens, as node:http returns them', async () => {
    const { eventsUrl } = await start();
    const port = Number(new URL(eventsUrl).port);
    for (const [tokens, status] of [
      [[SENDING, READING], 200],
      [[READING, SENDING], 401],
    ] as const) {
      const connection = await openRawConnection(port);
      const lines = tokens.map((token) => `authorization: Bearer ${token}\r\n`).join('');
      const type = 'content-type: application/json\r\nconnection: close\r\ncontent-length: 2\r\n';
      connection.write(`POST /v1/events HTTP/1.1\r\nhost: localhost\r\n${lines}${type}\r\n[]`);
      expect(await connection.untilClosed()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    }
  });

  it('counts refused requests by component', async () => {
    const { service } = await start(
      'extensions.query.auth.authenticator=bearertokenauth/reading',
      'service.telemetry.metrics.level=normal',
      'service.telemetry.metrics.address=127.0.0.1:0',
    );
    const { receivers, extensions, metrics = '' } = service.describe();
    const events = receivers[0]?.url ?? '';
    const send = (token: string) => fetch(events, { method: 'POST', headers: bearer(token), body: '[]' });
    for (const token of [READING, 'a-token-of-a-stranger', SENDING]) await (await send(token)).text();
    await (await fetch(`${extensions[0]?.url}/api/v1/issues`)).text();
    const scraped = parseScrape(await (await fetch(metrics)).text());
    const of = (component: string) => sampleValue(scraped, 'faultline_http_unauthorized_requests_total', { component });
    expect([of('events'), of('query')]).toEqual([2, 1]);
  });

  it('writes no token to the log', async () => {
    const { logged, eventsUrl } = await start();
    await fetch(eventsUrl, { method: 'POST', headers: bearer('wrong-token-of-a-stranger'), body: '[]' });
    const text = JSON.stringify(logged);
    for (const token of [SENDING, READING, ACTING, 'wrong-token-of-a-stranger']) expect(text).not.toContain(token);
  });
});

describe('the protocols', () => {
  it('refuse in their own formats', async () => {
    const auth = 'auth.authenticator=bearertokenauth/sending';
    const { service } = await start(
      'service.pipelines.events.receivers=[otlp, sentry]',
      'receivers.otlp.protocols.http.endpoint=localhost:0',
      'receivers.otlp.protocols.grpc.endpoint=localhost:0',
      'receivers.sentry.endpoint=localhost:0',
      `receivers.otlp.protocols.http.${auth}`,
      `receivers.sentry.${auth}`,
    );
    const [otlp = '', , dsn = ''] = service.describe().receivers.map(({ url }) => url);
    const type = { 'content-type': 'application/json' };
    const logs = await fetch(`${otlp}/v1/logs`, { method: 'POST', headers: type, body: '{}' });
    expect([logs.status, await logs.json()]).toEqual([401, { code: 16, message: expect.stringContaining('token') }]);
    const store = new URL(dsn);
    const envelope = await fetch(`${store.origin}/api/1/envelope/?sentry_key=${store.username}`, {
      method: 'POST',
      body: '{}\n',
    });
    expect(envelope.headers.get('x-sentry-error')).toContain('token');
    expect(await codeOf(envelope)).toEqual([401, 'TOKEN_MISSING']);
  });
});

describe('the reading endpoint', () => {
  const act = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"action":"resolve"}' };
  const auth = (name: string) => `extensions.query.auth.authenticator=bearertokenauth/${name}`;
  const actionsAuth = 'extensions.query.actions_auth.authenticator=bearertokenauth/acting';

  async function withIssue(...sets: string[]): Promise<{ query: string; actions: string }> {
    const { events, query } = urlsOf(await start(...sets));
    const headers = { 'content-type': 'application/json', ...bearer(SENDING) };
    const sent = await fetch(events, { method: 'POST', headers, body: JSON.stringify(serverPayload()) });
    const { events: stored } = (await sent.json()) as { events: { issue_id: string }[] };
    return { query, actions: `${query}/issues/${stored[0]?.issue_id}/actions` };
  }
  const canAct = async (query: string, headers: Record<string, string> = {}): Promise<unknown> =>
    (await fetch(`${query}/access`, { headers })).json();
  const actWith = async (actions: string, headers: Record<string, string> = {}) =>
    codeOf(await fetch(actions, { ...act, headers: { ...act.headers, ...headers } }));

  it('allows one token to read and act by default', async () => {
    const { query, actions } = await withIssue(auth('reading'));
    expect(await codeOf(await fetch(`${query}/issues`))).toEqual([401, 'TOKEN_MISSING']);
    expect(await codeOf(await fetch(`${query}/stream`))).toEqual([401, 'TOKEN_MISSING']);
    expect(await codeOf(await fetch(`${query}/nothing`))).toEqual([401, 'TOKEN_MISSING']);
    expect(await canAct(query, bearer(READING))).toEqual({ actions: true });
    expect(await actWith(actions)).toEqual([401, 'TOKEN_MISSING']);
    expect(await actWith(actions, bearer(READING))).toEqual([200, undefined]);
  });

  it('allows only the tokens of actions_auth to act, and also to read', async () => {
    const { query, actions } = await withIssue(auth('reading'), actionsAuth);
    for (const token of [READING, ACTING]) {
      expect((await fetch(`${query}/issues`, { headers: bearer(token) })).status).toBe(200);
      expect(await canAct(query, bearer(token))).toEqual({ actions: token === ACTING });
    }
    expect(await actWith(actions, bearer(READING))).toEqual([403, 'TOKEN_MAY_NOT_ACT']);
    expect(await actWith(actions, bearer(SENDING))).toEqual([401, 'TOKEN_WRONG']);
    expect(await actWith(actions, bearer(ACTING))).toEqual([200, undefined]);
    for (const [method, path] of [
      ['POST', 'preview'],
      ['POST', 'apply'],
      ['POST', 'roll_back'],
      ['DELETE', ''],
    ] as const) {
      const response = await fetch(`${query}/regroup/${path}`.replace(/\/$/, ''), {
        ...(method === 'POST' ? act : {}),
        method,
        headers: { ...act.headers, ...bearer(READING) },
      });
      expect(await codeOf(response)).toEqual([403, 'TOKEN_MAY_NOT_ACT']);
    }
  });

  it('allows everyone to read if only actions have tokens', async () => {
    const { query, actions } = await withIssue(actionsAuth);
    expect(await canAct(query)).toEqual({ actions: false });
    expect(await actWith(actions)).toEqual([401, 'TOKEN_MISSING']);
    expect(await actWith(actions, bearer(ACTING))).toEqual([200, undefined]);
  });

  it('serves pages of the allowed origins, and no others', async () => {
    const { query } = await withIssue('extensions.query.cors.allowed_origins=["https://ops.example"]');
    const ask = (origin: string) => fetch(`${query}/issues`, { headers: { origin } });
    expect((await ask('https://ops.example')).headers.get('access-control-allow-origin')).toBe('https://ops.example');
    expect(await codeOf(await ask('https://evil.example'))).toEqual([403, 'ORIGIN_NOT_ALLOWED']);
    const preflight = await fetch(`${query}/issues`, {
      method: 'OPTIONS',
      headers: { origin: 'https://ops.example', 'access-control-request-method': 'GET' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'GET, HEAD, POST, PUT, DELETE, OPTIONS',
    ]);
  });
});
