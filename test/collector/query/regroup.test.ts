import { pino } from 'pino';
import { createQueryExtension } from '../../../collector/extensions/query-extension.js';
import { RegroupJobs } from '../../../collector/query/regroup-jobs.js';
import { Ledger } from '../../../collector/telemetry/ledger.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { createGrouper } from '../../../core/fingerprint/grouper.js';
import { DEFAULT_GROUPING } from '../../../core/fingerprint/grouping-settings.js';
import type { Regroup, RegroupOptions } from '../../../core/storage/regroup/regrouping.js';
import type { IssuePage, RegroupJob } from '../../../generated/reader-answers.js';
import { OPEN_QUERY } from '../../helpers/endpoint-settings.js';
import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { post } from '../post.js';
import { type RunningService, settingsFor, startService, stopServices } from '../running-service.js';
import { createServers, type ServedComponents, serveComponents } from '../serve-components.js';

const extensions: ServedComponents[] = [];

afterEach(async () => {
  await stopServices();
  for (const extension of extensions.splice(0)) await extension.stop();
});
afterAll(removeTemporaryFolders);

type Problem = { code: string; errors?: { field: string; detail: string }[] };
type Answer = { status: number; allow: string | null; body: RegroupJob & Problem };

async function ask(apiUrl: string, method: string, path = '', body?: unknown, headers: object = {}): Promise<Answer> {
  const response = await fetch(`${apiUrl}/regroup${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const allow = response.headers.get('allow');
  return { status: response.status, allow, body: (await response.json()) as Answer['body'] };
}

/** Starts a job and waits for its end. */
async function finished(apiUrl: string, kind: string, body: object = {}): Promise<RegroupJob> {
  const begun = await ask(apiUrl, 'POST', `/${kind}`, body);
  expect(begun).toMatchObject({ status: 202, body: { state: 'running', kind } });
  return await ended(apiUrl, begun.body.id);
}

async function ended(apiUrl: string, id: string | null): Promise<RegroupJob> {
  return await waitFor('the job to end', async () => {
    const { body } = await ask(apiUrl, 'GET');
    expect(body.id).toBe(id);
    return body.state !== 'running' && body;
  });
}

/** A failure that the built-in rules group for any region. */
function failure(changes: Partial<RawPayload> = {}): RawPayload {
  return serverPayload({ timestamp: null, ...changes });
}

async function start(...sets: string[]): Promise<RunningService> {
  return await startService(settingsFor(await temporaryFolder(), ...sets));
}

async function send({ eventsUrl }: RunningService, ...payloads: RawPayload[]) {
  const { status, body } = await post(eventsUrl, JSON.stringify(payloads));
  expect([status, body.accepted]).toEqual([200, payloads.length]);
  return body.events ?? [];
}

async function issues(apiUrl: string) {
  const { issues: found } = (await (await fetch(`${apiUrl}/issues?limit=500`)).json()) as IssuePage;
  return found
    .map(({ issue_id, fingerprint, count, status, assignee }) => ({ issue_id, fingerprint, count, status, assignee }))
    .sort((a, b) => (a.issue_id < b.issue_id ? -1 : 1));
}

const BY_REGION = { rules: [{ name: 'by region', split_by: ['tags.region'] }] };

/** Two issues: one of three events from two regions, one of a single event. */
async function filled(...sets: string[]): Promise<RunningService> {
  const service = await start(...sets);
  await send(
    service,
    failure({ tags: { region: 'eu' } }),
    failure({ tags: { region: 'eu' } }),
    failure({ tags: { region: 'us' } }),
    failure({ error_name: 'OtherError', stack: null, message: 'something else', tags: { region: 'eu' } }),
  );
  return service;
}

describe('POST /regroup', () => {
  it('previews what would change and changes nothing', async () => {
    const service = await filled();
    const { apiUrl } = service;
    const idle = (await ask(apiUrl, 'GET')).body;
    expect(idle).toMatchObject({ state: 'idle', id: null, kind: null, result: null, error: null });
    const before = await issues(apiUrl);
    const job = await finished(apiUrl, 'preview', BY_REGION);
    expect(job).toMatchObject({
      state: 'done',
      error: null,
      progress: { done_events: 4, total_events: 4 },
      grouping: { version: 4, rules: 1, patterns_off: 0, is_configured: false },
      result: { events: 4, issues_before: 2, issues_after: 3, merged_total: 0, split_total: 1, appeared_total: 1 },
    });
    expect(Date.parse(job.ended_at ?? '')).toBeGreaterThanOrEqual(Date.parse(job.started_at ?? ''));
    expect(await issues(apiUrl)).toEqual(before);
    expect(service.logged.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['regrouping', 'regrouping ended']));
  });

  it('uses the rules of the configuration by default', async () => {
    const { apiUrl } = await filled(`grouping.rules=${JSON.stringify(BY_REGION.rules)}`);
    const own = await finished(apiUrl, 'preview', { rules: null, version: null });
    expect(own).toMatchObject({
      grouping: { version: 4, rules: 1, is_configured: true },
      result: { issues_before: 3, issues_after: 3, unchanged_total: 3 },
    });
    const added = await finished(apiUrl, 'preview', {
      rules: [{ query: 'error_name:OtherError', split_by: ['tags.region'] }],
      keep_rules: true,
    });
    expect(added).toMatchObject({ grouping: { rules: 2 }, result: { unchanged_total: 2, issues_after: 3 } });
    const none = await finished(apiUrl, 'preview', { rules: [], version: 4, patterns_off: ['url'] });
    expect(none).toMatchObject({
      grouping: { version: 4, rules: 0, patterns_off: 1, is_configured: false },
      result: { issues_before: 3, issues_after: 2, merged_total: 1 },
    });
  });

  it('runs while events are posted: all are stored and regrouped, and a rollback restores ids and states', async () => {
    const service = await filled();
    const { apiUrl } = service;
    const [first] = await issues(apiUrl);
    await fetch(`${apiUrl}/issues/${first?.issue_id}/actions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'assign', assignee: 'anna' }),
    });
    const before = await issues(apiUrl);
    let isApplied = false;
    const posting = async () => {
      let posted = 0;
      for (; !isApplied || posted < 5; posted += 1) await send(service, failure({ error_name: 'LaterError' }));
      return posted;
    };
    const [posted, applied] = await Promise.all([
      posting(),
      finished(apiUrl, 'apply', { ...BY_REGION, version: 4 }).finally(() => {
        isApplied = true;
      }),
    ]);
    expect(applied).toMatchObject({
      state: 'done',
      grouping: { version: 4, rules: 1 },
      result: { issues_before: expect.any(Number) },
    });
    const after = await issues(apiUrl);
    expect(after.reduce((sum, { count }) => sum + count, 0)).toBe(4 + posted);
    expect(after.filter(({ fingerprint }) => before.some((one) => one.fingerprint === fingerprint))).toEqual([]);
    expect(after.filter(({ assignee }) => assignee === 'anna').length).toBeGreaterThan(0);
    expect(await finished(apiUrl, 'roll_back')).toMatchObject({ state: 'done', grouping: null });
    const restored = await issues(apiUrl);
    expect(restored.filter(({ issue_id: id }) => before.some((one) => one.issue_id === id))).toEqual(before);
    expect(restored.reduce((sum, { count }) => sum + count, 0)).toBe(4 + posted);
    expect(await ask(apiUrl, 'POST', '/roll_back', {})).toMatchObject({
      status: 409,
      body: { code: 'REGROUP_NOTHING_TO_ROLL_BACK' },
    });
  });

  it('reports every problem of the rules at once', async () => {
    const { apiUrl } = await start();
    const { status, body } = await ask(apiUrl, 'POST', '/preview', {
      version: 7,
      pattern_off: [],
      patterns_off: ['no such row'],
      keep_rules: 'yes',
      rules: [{ query: '(', split_by: ['tags.region'] }, { name: 'nothing' }, { fingerprint: ['{{ nonsense }}'] }],
    });
    expect([status, body.code]).toEqual([422, 'GROUPING_INVALID']);
    const fields = [
      '/pattern_off',
      '/version',
      '/keep_rules',
      '/patterns_off/0',
      '/rules/0/query',
      '/rules/1',
      '/rules/2/fingerprint/0',
    ];
    expect(body.errors?.map(({ field }) => field)).toEqual(fields);
    const shapes = await ask(apiUrl, 'POST', '/apply', { rules: [{ 'a/b': 1, split_by: 'x' }, 7], patterns_off: {} });
    expect([shapes.status, new Set(shapes.body.errors?.map(({ field }) => field))]).toEqual([
      422,
      new Set(['/rules/0/a~1b', '/rules/0/split_by', '/rules/1', '/patterns_off']),
    ]);
    const env = await ask(apiUrl, 'POST', '/preview', { rules: [{ query: `$\{env:HOME}:`, split_by: ['route'] }] });
    expect(JSON.stringify(env.body)).not.toContain(process.env['HOME'] ?? 'never');
    expect((await ask(apiUrl, 'GET')).body.state).toBe('idle');
  });

  it.each<[string, object | string, string]>([
    ['a list of 400,000 rules', { rules: Array(400_000).fill(7) }, '/rules'],
    ['a rule with 90,000 members', { rules: [Object.fromEntries(numbered(90_000))] }, '/rules/0'],
    ['90,000 members', Object.fromEntries(numbered(90_000)), '/k0'],
    ['a name of a million characters', { patterns_off: ['x'.repeat(1_000_000)] }, '/patterns_off/0'],
    ['500,000 lists in lists', `{"rules":${'['.repeat(500_000)}${']'.repeat(500_000)}}`, '/rules/0'],
  ])('refuses %s with a short message', async (_, body, field) => {
    const { apiUrl } = await startHeld();
    const response = await ask(apiUrl, 'POST', '/preview', body);
    expect([response.status, response.body.errors?.[0]?.field]).toEqual([422, field]);
    expect(JSON.stringify(response.body).length).toBeLessThan(20_000);
  });

  it('refuses bodies that are not small JSON documents, pages of others, and other methods', async () => {
    const { apiUrl } = await start();
    const evil = { origin: 'http://evil.example' };
    const cases: [Promise<Answer>, number, string][] = [
      [ask(apiUrl, 'POST', '/preview', '{"rules":'), 400, 'MALFORMED_JSON'],
      [ask(apiUrl, 'POST', '/preview', ''), 400, 'BODY_EMPTY'],
      [ask(apiUrl, 'POST', '/preview', { rules: ['x'.repeat(1_100_000)] }), 413, 'BODY_TOO_LARGE'],
      [ask(apiUrl, 'POST', '/preview', {}, { 'content-type': 'text/plain' }), 415, 'CONTENT_TYPE_UNSUPPORTED'],
      [ask(apiUrl, 'POST', '/apply', {}, evil), 403, 'ORIGIN_NOT_ALLOWED'],
      [ask(apiUrl, 'POST', '/roll_back', {}, evil), 403, 'ORIGIN_NOT_ALLOWED'],
      [ask(apiUrl, 'DELETE', '', undefined, evil), 403, 'ORIGIN_NOT_ALLOWED'],
      [ask(apiUrl, 'POST', '/preview', '[]'), 422, 'GROUPING_INVALID'],
      [ask(apiUrl, 'POST', '/preview', 'null'), 422, 'GROUPING_INVALID'],
      [ask(apiUrl, 'POST', '/preview', '{"__proto__":{"version":1}}'), 422, 'GROUPING_INVALID'],
      [ask(apiUrl, 'POST', '/roll_back', { version: 1 }), 422, 'GROUPING_INVALID'],
      [ask(apiUrl, 'POST', '/preview?version=1', {}), 400, 'PARAMETER_UNKNOWN'],
      [ask(apiUrl, 'POST', '/roll_back', {}), 409, 'REGROUP_NOTHING_TO_ROLL_BACK'],
    ];
    for (const [response, status, code] of cases) {
      const { status: found, body } = await response;
      expect([found, body.code]).toEqual([status, code]);
    }
    expect(await ask(apiUrl, 'GET', '/apply')).toMatchObject({ status: 405, allow: 'POST' });
    expect(await ask(apiUrl, 'PUT', '', {})).toMatchObject({ status: 405, allow: 'GET, HEAD, DELETE' });
    expect(await ask(apiUrl, 'DELETE')).toMatchObject({ status: 200, body: { state: 'idle' } });
  });
});

function numbered(count: number): [string, number][] {
  return Array.from({ length: count }, (_, index) => [`k${index}`, 1]);
}

/** The reading API over a store whose work ends only if the test or a cancellation ends it. */
async function startHeld() {
  let end: (error?: Error) => void = () => undefined;
  const held = ({ signal, onProgress }: RegroupOptions = {}): Promise<never> => {
    onProgress?.({ doneEvents: 3, totalEvents: 9 });
    return new Promise((_, reject) => {
      end = reject;
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  };
  const regroup: Regroup = {
    preview: (_, options) => held(options),
    apply: (_, options) => held(options),
    rollBack: held,
    assertRollBack: () => undefined,
  };
  const logger = pino({ level: 'silent' });
  const decisions = { plan: async () => held, planAll: async () => undefined };
  const store = { regroup, decisions, grouper: createGrouper(DEFAULT_GROUPING) };
  const regroupings = new RegroupJobs({ store: () => store, logger });
  const notAsked = () => {
    throw new Error('not asked here');
  };
  const servers = createServers({ logger });
  const extension = createQueryExtension('query', OPEN_QUERY, {
    authenticatorOf: () => undefined,
    servers,
    ledger: new Ledger(),
    reader: notAsked,
    actions: notAsked,
    releases: notAsked,
    changes: notAsked,
    regroupings,
    serviceStats: notAsked,
  });
  const served = await serveComponents(servers, { query: extension });
  extensions.push(served);
  return { served, apiUrl: `${extension.url}/api/v1`, regroupings, end: (error: Error) => end(error) };
}

describe('a running regrouping', () => {
  it('is the only one, reports its progress, and is cancelled by DELETE', async () => {
    const { apiUrl } = await startHeld();
    const { body } = await ask(apiUrl, 'POST', '/apply', {});
    expect((await ask(apiUrl, 'GET')).body).toMatchObject({
      state: 'running',
      id: body.id,
      progress: { done_events: 3, total_events: 9 },
    });
    for (const kind of ['preview', 'apply', 'roll_back']) {
      expect(await ask(apiUrl, 'POST', `/${kind}`, {})).toMatchObject({
        status: 409,
        body: { code: 'REGROUP_RUNNING' },
      });
    }
    const accept = await post(`${apiUrl}/suggestions/0123456789abcdef/accept`, '{}');
    expect(accept).toMatchObject({ status: 409, body: { code: 'REGROUP_RUNNING' } });
    expect((await ask(apiUrl, 'DELETE')).body.id).toBe(body.id);
    expect(await ended(apiUrl, body.id)).toMatchObject({ state: 'cancelled', result: null, error: null });
    expect(await ask(apiUrl, 'POST', '/preview', {})).toMatchObject({ status: 202 });
  });

  it('has the reason if it failed, without the message of an internal error', async () => {
    const { apiUrl, end } = await startHeld();
    const { body } = await ask(apiUrl, 'POST', '/roll_back', {});
    end(new Error('secret'));
    const job = await ended(apiUrl, body.id);
    expect(job).toMatchObject({ state: 'failed', error: { code: 'INTERNAL' } });
    expect(JSON.stringify(job)).not.toContain('secret');
  });

  it('is cancelled when the collector stops', async () => {
    const { apiUrl, served, regroupings } = await startHeld();
    await ask(apiUrl, 'POST', '/preview', {});
    await served.stop();
    expect(regroupings.last.state).toBe('cancelled');
  });
});
