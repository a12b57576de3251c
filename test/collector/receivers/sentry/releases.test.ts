import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { originOf, type RunningService, settingsFor, startService, stopServices } from '../../running-service.js';

afterEach(stopServices);
afterAll(removeTemporaryFolders);

async function start(...sets: string[]): Promise<RunningService> {
  return await startService(
    settingsFor(
      await temporaryFolder(),
      'service.pipelines.events.receivers=[events, sentry]',
      'receivers.sentry.endpoint=127.0.0.1:0',
      ...sets,
    ),
  );
}

/** As sentry-cli sends it. */
async function call(running: RunningService, method: string, path: string, body?: unknown, token = 'abc') {
  const response = await fetch(`${originOf(running, 'sentry')}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

const COMMITS = [
  {
    patch_set: [
      { path: 'f2.txt', type: 'A' },
      { path: 'f1.txt', type: 'M' },
    ],
    ...{ repository: 'origin', author_name: 'Ann', author_email: 'a@b.c', timestamp: '2026-11-27T07:16:22Z' },
    ...{ message: 'change 2\n\nbody\n', id: 'c3728e0aece3661b0299f00cbf490604c9c08494' },
  },
];

/** Recorded from the release commands of each version, without repeated requests. */
const RECORDED = {
  '2.58.6': { one: '/api/0/projects/acme/web/releases', organization: '/api/0/organizations/acme' },
  '3.8.0': { one: '/api/0/organizations/acme/releases', organization: '/api/0/organizations/acme' },
};

describe.each(Object.entries(RECORDED))('the release calls of sentry-cli %s', (_, { one, organization }) => {
  it('create, fill, finalize, deploy and list a release', async () => {
    const running = await start();
    const version = 'shop@2.4.1+7 (é)';
    const path = encodeURIComponent(version);
    const created = await call(running, 'POST', `${one}/`, {
      ...{ version, projects: ['web'], url: 'http://x/y', dateStarted: '2026-11-27T07:16:23.345835780Z' },
    });
    expect(created).toMatchObject({ status: 201, body: { version, dateReleased: null, projects: [{}] } });
    expect(await call(running, 'GET', `${organization}/repos/?cursor=`)).toEqual({ status: 200, body: [] });
    const previous = await call(running, 'GET', `${organization}/releases/${path}/previous-with-commits/`);
    expect(previous).toEqual({ status: 200, body: {} });
    const filled = await call(running, 'PUT', `${organization}/releases/${path}/`, { commits: COMMITS });
    expect(filled).toMatchObject({ status: 200, body: { commitCount: 1 } });
    const dateReleased = '2026-11-27T07:16:26.080519590Z';
    const finalized = await call(running, 'PUT', `${one}/${path}/`, { projects: ['web'], dateReleased });
    expect(finalized.body).toMatchObject({ dateReleased: dateReleased.replace('Z', '+00:00') });
    const deploy = { environment: 'prod', name: 'n1', url: null, dateStarted: null, dateFinished: dateReleased };
    const deploys = `${organization}/releases/${path}/deploys/`;
    expect(await call(running, 'POST', deploys, deploy)).toMatchObject({ status: 201, body: { id: '1', name: 'n1' } });
    expect((await call(running, 'GET', deploys)).body).toMatchObject([{ environment: 'prod', name: 'n1' }]);
    expect((await call(running, 'GET', `${one}/`)).body).toMatchObject([{ version, commitCount: 1, deployCount: 1 }]);
    expect((await call(running, 'GET', `${one}/${path}/commits/`)).body).toMatchObject([{ id: COMMITS[0]?.id }]);
    const archived = { version, projects: [], status: 'archived' };
    expect((await call(running, 'POST', `${organization}/releases/`, archived)).status).toBe(201);
    const deleted = await call(running, 'DELETE', `${one}/${path}/`);
    expect(deleted).toMatchObject({ status: 405, body: { detail: expect.stringContaining('keeps its releases') } });

    const stored = await (await fetch(`${running.apiUrl}/releases/${path}`)).json();
    expect(stored).toMatchObject({ name: version, url: 'http://x/y', commits: 1, deploys: [{ environment: 'prod' }] });
    expect(stored.commit_list).toMatchObject([
      { message: 'change 2', author_email: 'a@b.c', paths: ['f2.txt', 'f1.txt'] },
    ]);
  });
});

describe("the collector's part of Sentry's API", () => {
  it('says who it is, and has no other paths', async () => {
    const running = await start();
    expect((await call(running, 'GET', '/api/0/')).body).toMatchObject({ version: '0' });
    for (const [method, path] of [
      ['GET', '/api/0/organizations/acme/chunk-upload/'],
      ['DELETE', '/api/0/organizations/acme/releases/v1/'],
      ['GET', '/api/0/organizations/acme/releases/v1/'],
      ['GET', '/api/0/projects/acme/web/releases/v1/deploys/'],
    ] as const) {
      expect(await call(running, method, path)).toMatchObject({ status: 404, body: { detail: expect.any(String) } });
    }
  });

  it('refuses invalid bodies with 400 and the field', async () => {
    const running = await start();
    const base = '/api/0/organizations/acme/releases';
    const cases: readonly (readonly [path: string, body: unknown, field: string | undefined])[] = [
      [`${base}/`, {}, '/version'],
      [`${base}/`, { version: 7 }, '/version'],
      [`${base}/`, { version: 'a\u0000b' }, '/version'],
      [`${base}/`, { version: 'v'.repeat(251) }, '/version'],
      [`${base}/`, { version: 'v1', dateReleased: 'soon' }, '/dateReleased'],
      [`${base}/`, { version: 'v1', commits: {} }, '/commits'],
      [`${base}/`, { version: 'v1', commits: [null] }, '/commits/0'],
      [`${base}/`, { version: 'v1', commits: [COMMITS[0], { id: '' }] }, '/commits/1/id'],
      [`${base}/`, [], ''],
      [`${base}/`, 'not JSON', undefined],
      [`${base}/v1/deploys/`, { name: 'n1' }, '/environment'],
      [`${base}/%ff/deploys/`, { environment: 'prod' }, '/version'],
    ];
    for (const [path, body, field] of cases) {
      const { status, body: problem } = await call(running, 'POST', path, body);
      expect([path, body, status, problem.field]).toEqual([path, body, 400, field]);
    }
    expect((await call(running, 'GET', `${base}/`)).body).toEqual([]);
  });

  describe('with tokens', () => {
    const SENDING = 'token-for-sending-events';
    const RELEASES = 'token-for-recording-releases';
    const tokens = [
      `extensions.bearertokenauth/sending.token=${SENDING}`,
      `extensions.bearertokenauth/releases.token=${RELEASES}`,
      'service.extensions=[query, bearertokenauth/sending, bearertokenauth/releases]',
    ];
    const auth = 'receivers.sentry.auth.authenticator=bearertokenauth/sending';
    const releasesAuth = 'receivers.sentry.releases.auth.authenticator=bearertokenauth/releases';
    const create = (running: RunningService, token: string) =>
      call(running, 'POST', '/api/0/organizations/acme/releases/', { version: 'v1' }, token);

    it('takes that of releases.auth, not that for events', async () => {
      const running = await start(...tokens, auth, releasesAuth);
      expect(await create(running, SENDING)).toMatchObject({ status: 401, body: { code: 'TOKEN_WRONG' } });
      expect((await create(running, RELEASES)).status).toBe(201);
      const envelope = `${originOf(running, 'sentry')}/api/1/envelope/?sentry_key=abc`;
      const headers = { authorization: `Bearer ${RELEASES}` };
      expect((await fetch(envelope, { method: 'POST', headers, body: '{}' })).status).toBe(401);
    });

    it('is closed, also on localhost, if only events have one', async () => {
      const running = await start(...tokens, auth);
      for (const token of [SENDING, RELEASES, 'abc']) {
        expect(await create(running, token)).toMatchObject({
          status: 401,
          body: { code: 'RELEASES_CLOSED', detail: expect.stringContaining('receivers.sentry.releases.auth') },
        });
      }
      const listed = await fetch(`${running.apiUrl}/releases`);
      expect(await listed.json()).toMatchObject({ releases: [] });
    });

    it('counts what it refuses', async () => {
      const metrics = ['service.telemetry.metrics.level=normal', 'service.telemetry.metrics.address=127.0.0.1:0'];
      const running = await start(...tokens, releasesAuth, ...metrics);
      await create(running, SENDING);
      const { metrics: url = '' } = running.service.describe();
      const refused = 'faultline_http_unauthorized_requests_total{component="sentry"} 1';
      expect(await (await fetch(url)).text()).toContain(refused);
    });
  });

  it('counts sessions of envelopes in the releases, durably', async () => {
    const running = await start();
    const started = new Date().toISOString();
    const attrs = { release: 'v1', environment: 'staging' };
    const items = [
      { type: 'session' },
      { sid: 's1', did: 'u1', init: true, started, status: 'ok', errors: 1, attrs },
      { type: 'session' },
      { sid: 's1', did: 'u1', init: false, started, status: 'crashed', errors: 2, attrs },
      { type: 'sessions' },
      { aggregates: [{ started, exited: 8, errored: 1 }], attrs: { release: 'v1' } },
    ];
    const envelope = `{}\n${items.map((item) => JSON.stringify(item)).join('\n')}\n`;
    const url = `${originOf(running, 'sentry')}/api/1/envelope/?sentry_key=abc`;
    expect((await fetch(url, { method: 'POST', body: envelope })).status).toBe(200);
    const { releases } = await (await fetch(`${running.apiUrl}/releases`)).json();
    expect(releases).toMatchObject([
      { name: 'v1', events: 0, health: { sessions: 10, errored: 1, crashed: 1, users: 1 } },
    ]);
    expect(releases[0].health).toMatchObject({
      crash_free_sessions: 90,
      environments: [{}, { environment: 'staging' }],
    });
  });
});
