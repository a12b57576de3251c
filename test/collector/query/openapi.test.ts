import { Ajv2020 } from 'ajv/dist/2020.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/event/json.js';
import { GROUPING_VERSIONS } from '../../../core/fingerprint/grouping-settings.js';
import { kindOfFailure, serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { post } from '../post.js';
import { type RunningService, settingsFor, startService } from '../running-service.js';

let running: RunningService;
let document: JsonObject;
let ids: { issue_id: string; event_id: string; other_id: string };

beforeAll(async () => {
  running = await startService(settingsFor(await temporaryFolder()));
  const { body } = await post(
    running.eventsUrl,
    JSON.stringify([
      serverPayload(),
      serverPayload({
        extra: null,
        tags: {},
        stack: null,
        status_code: null,
        method: null,
        level: null,
        timestamp: null,
      }),
      serverPayload({ message: 'x'.repeat(2_000_000) }),
      serverPayload({ service: 'worker' }),
      ...Array.from({ length: 5 }, (_, kind) => kindOfFailure(kind)),
      { message: 1 },
    ]),
  );
  const [first] = body.events ?? [];
  ids = {
    issue_id: first?.issue_id ?? '',
    event_id: first?.event_id ?? '',
    other_id: body.events?.at(-1)?.event_id ?? '',
  };
  document = (await (await fetch(`${running.apiUrl}/openapi.json`)).json()) as JsonObject;
});
afterAll(async () => {
  await running.service.shutdown();
  await removeTemporaryFolders();
});

/** The schema of a response without additional members: the API must not send what the document does not name. */
function validatorOf(path: string, status: number, method = 'get') {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true, formats: { uuid: /^[0-9a-f-]{36}$/ } });
  ajv.addVocabulary(['components']);
  const media = status === 200 ? 'application/json' : 'application/problem+json';
  const response = at(document, 'paths', path, method, 'responses', String(status), 'content', media, 'schema');
  const schemas = closed(at(document, 'components', 'schemas'));
  return ajv.compile({ ...(isJsonObject(response) ? response : {}), components: { schemas } });
}

function at(value: JsonValue | undefined, ...keys: string[]): JsonValue | undefined {
  return keys.reduce<JsonValue | undefined>((part, key) => (isJsonObject(part) ? part[key] : undefined), value);
}

/** Closes a schema together with those it extends. */
function closed(value: JsonValue | undefined): JsonValue {
  if (Array.isArray(value)) return value.map(closed);
  if (!isJsonObject(value)) return value ?? null;
  const parts = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, closed(part)]));
  return isJsonObject(value['properties']) && value['type'] === 'object'
    ? { ...extended(parts), additionalProperties: false }
    : parts;
}

/** The closed members of a schema together with those of the one it extends. */
function extended({ allOf, ...own }: JsonObject): JsonObject {
  if (allOf === undefined) return own;
  const [name] = JSON.stringify(allOf).match(/\w+(?="\}\]$)/) ?? [];
  const base = closed(at(document, 'components', 'schemas', name ?? ''));
  const required = [at(base, 'required') ?? [], own['required'] ?? []].flat();
  return { ...own, required, properties: Object.assign({}, at(base, 'properties'), own['properties']) };
}

describe('the OpenAPI document', () => {
  it('names every path of the reading API', () => {
    expect(document['openapi']).toBe('3.1.0');
    expect(new Set(Object.keys(at(document, 'paths') ?? {}))).toEqual(
      new Set([
        '/issues',
        '/issues/counts',
        '/issues/values',
        '/issues/since',
        '/releases',
        '/releases/{release}',
        '/releases/{release}/deploys',
        '/issues/{issue_id}',
        '/issues/{issue_id}/events',
        '/issues/{issue_id}/summary',
        '/issues/{issue_id}/actions',
        '/events',
        '/events/{event_id}',
        '/rejected',
        '/explain',
        '/stream',
        '/suggestions',
        '/suggestions/{suggestion_id}/accept',
        '/suggestions/{suggestion_id}/dismiss',
        '/suggestions/{suggestion_id}/undo',
        '/regroup',
        '/regroup/preview',
        '/regroup/apply',
        '/regroup/roll_back',
        '/stats',
        '/access',
        '/openapi.json',
      ]),
    );
  });

  it.each([
    ['/issues', 200, ''],
    ['/issues', 200, '?limit=2&sort=count'],
    ['/issues', 200, '?sort=level'],
    ['/issues', 400, '?limit=0'],
    ['/issues/counts', 200, ''],
    ['/issues/counts', 200, '?query=level:error'],
    ['/issues/counts', 400, '?query=%28'],
    ['/issues/{issue_id}/summary', 200, ''],
    ['/issues/{issue_id}/summary', 200, '?query=level:error&from=2026-01-01T00:00:00Z&buckets=3'],
    ['/issues/{issue_id}/summary', 400, '?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z'],
    ['/issues', 400, '?query=%28'],
    ['/issues', 400, '?cursor=nonsense'],
    ['/issues/{issue_id}', 200, ''],
    ['/issues/{issue_id}/events', 200, '?limit=1'],
    ['/events', 200, '?limit=1'],
    ['/events', 400, '?query=%28'],
    ['/stream', 400, '?last_event_id=nonsense'],
    ['/events/{event_id}', 200, ''],
    ['/explain', 200, '?a={issue_id}&b={event_id}'],
    ['/explain', 200, '?a={issue_id}&b={other_id}'],
    ['/explain', 400, '?a=1'],
    ['/explain', 404, '?a=019a3c5e-7d2f-7a10-8000-00004b1d2c3e&b={event_id}'],
    ['/releases', 200, '?limit=1'],
    ['/releases/{release}', 404, ''],
    ['/stats', 200, ''],
    ['/access', 200, ''],
  ])('describes the response of %s: %i %s', async (path, status, query) => {
    const target = `${path}${query}`
      .replace('{issue_id}', ids.issue_id)
      .replace('{event_id}', ids.event_id)
      .replace('{other_id}', ids.other_id);
    const response = await fetch(`${running.apiUrl}${target}`);
    expect(response.status).toBe(status);
    const validate = validatorOf(path, status);
    validate(await response.json());
    expect(validate.errors ?? []).toEqual([]);
  });

  it.each([
    [200, { action: 'comment', text: 'seen', actor: 'anna' }],
    [200, { action: 'undo' }],
    [422, { action: 'ignore', snooze: 'soon' }],
  ])('describes the response of an action: %i', async (status, request) => {
    const response = await fetch(`${running.apiUrl}/issues/${ids.issue_id}/actions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
    expect(response.status).toBe(status);
    const validate = validatorOf('/issues/{issue_id}/actions', status, 'post');
    validate(await response.json());
    expect(validate.errors ?? []).toEqual([]);
  });

  it.each([
    ['/releases', '/releases', 200, { version: 'v1', released_at: null, commits: [{ id: 'c1' }] }],
    ['/releases', '/releases', 400, { version: '' }],
    ['/releases/{release}/deploys', '/releases/v1/deploys', 200, { environment: 'production' }],
    ['/releases/{release}/deploys', '/releases/v1/deploys', 400, {}],
  ])('describes the response of POST %s: %3$i', async (path, target, status, request) => {
    const response = await fetch(`${running.apiUrl}${target}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
    expect(response.status).toBe(status);
    const validate = validatorOf(path, status, 'post');
    validate(await response.json());
    expect(validate.errors ?? []).toEqual([]);
  });

  it('describes a release with commits, deploys and sessions', async () => {
    const call = (path: string, init?: RequestInit) => fetch(`${running.apiUrl}${path}`, init);
    const body = JSON.stringify({ released_at: '2026-11-21T10:00:00Z', commits: [{ id: 'c1', paths: ['a'] }] });
    const put = { method: 'PUT', headers: { 'content-type': 'application/json' }, body };
    expect((await call('/releases/a%2Fb', put)).status).toBe(200);
    const release = await (await call('/releases/a%2Fb')).json();
    expect(release).toMatchObject({ name: 'a/b', commits: 1, commit_list: [{ id: 'c1', paths: ['a'] }] });
    const validate = validatorOf('/releases/{release}', 200);
    const counts = { sessions: 1, errored: 0, crashed: 0, abnormal: 0, users: 0, crashed_users: 0 };
    const shares = { crash_free_sessions: 100, crash_free_users: null };
    const hours = [{ from: release.released_at, sessions: 1, crashed: 0 }];
    const health = { ...counts, ...shares, environments: [{ environment: 'production', ...counts }], hours };
    validate({ ...release, health });
    expect(validate.errors ?? []).toEqual([]);
  });

  it.each([
    ['preview', { version: 4, rules: [{ split_by: ['app'] }] }],
    ['apply', {}],
    ['roll_back', {}],
  ])('describes a job of the kind %s', async (kind, choice) => {
    const validate = validatorOf('/regroup', 200);
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(choice) };
    validate(await (await fetch(`${running.apiUrl}/regroup/${kind}`, request)).json());
    expect(validate.errors ?? []).toEqual([]);
    const job = await waitFor('the job to end', async () => {
      const last = (await (await fetch(`${running.apiUrl}/regroup`)).json()) as { state: string };
      return last.state !== 'running' && last;
    });
    expect(job.state).toBe('done');
    validate(job);
    expect(validate.errors ?? []).toEqual([]);
  });

  it('names the versions of the built-in rules', () => {
    const version = at(document, 'components', 'schemas', 'GroupingChoice', 'properties', 'version', 'enum');
    expect(version).toEqual([...GROUPING_VERSIONS, null]);
  });

  it('documents for every path the token and the response without permission', () => {
    expect(document['security']).toEqual([{}, { bearer: [] }]);
    expect(at(document, 'components', 'securitySchemes', 'bearer')).toMatchObject({ type: 'http', scheme: 'bearer' });
    const responses = at(document, 'components', 'responses');
    const paths = at(document, 'paths');
    if (!isJsonObject(paths) || !isJsonObject(responses)) throw new Error('no paths');
    for (const methods of Object.values(paths)) {
      for (const [method, operation] of Object.entries(isJsonObject(methods) ? methods : {})) {
        const forbidden = method === 'get' ? 'Forbidden' : 'ForbiddenToAct';
        for (const [status, name] of [
          ['401', 'Unauthorized'],
          ['403', forbidden],
          ['429', 'RateLimited'],
        ] as const) {
          expect(at(operation, 'responses', status)).toEqual({ $ref: `#/components/responses/${name}` });
          expect(at(responses, name, 'content', 'application/problem+json', 'schema')).toBeDefined();
        }
      }
    }
  });

  it('describes every event, also with cut or missing members', async () => {
    const validate = validatorOf('/events/{event_id}', 200);
    const { issues } = (await (await fetch(`${running.apiUrl}/issues`)).json()) as { issues: { issue_id: string }[] };
    for (const { issue_id } of issues) {
      const page = (await (await fetch(`${running.apiUrl}/issues/${issue_id}/events`)).json()) as {
        events: { event_id: string }[];
      };
      for (const { event_id } of page.events) {
        validate(await (await fetch(`${running.apiUrl}/events/${event_id}`)).json());
        expect(validate.errors ?? []).toEqual([]);
      }
    }
  });
});
