import { removeTemporaryFolders } from '../../../helpers/temporary-folder.js';
import { type Call, type EveryComponent, LISTED, startEveryComponent } from './every-component.js';

const TOKENS = {
  ingest: 'token-for-sending-events',
  reading: 'token-for-reading-them',
  acting: 'token-for-acting-on-issues',
  releases: 'token-for-recording-releases',
};
const KEY = 'abc';

/** What a caller shows. */
const CREDENTIALS: Readonly<Record<string, { readonly token?: string; readonly key?: string }>> = {
  none: {},
  'wrong token': { token: 'token-that-nobody-gave-out' },
  ingest: { token: TOKENS.ingest },
  reading: { token: TOKENS.reading },
  acting: { token: TOKENS.acting },
  releases: { token: TOKENS.releases },
  'DSN key': { key: KEY },
  'ingest, DSN key': { token: TOKENS.ingest, key: KEY },
  'ingest, wrong key': { token: TOKENS.ingest, key: 'def' },
};

/** The statuses of each rule by credential, in their order; `+` is that of an admitted call. */
const RULES: Readonly<Record<string, string>> = {
  //        none wrong ingest reading acting releases key ingest+key ingest+wrong
  open: '   +    +     +      +       +      +        +   +          +  ',
  local: '  +    +     +      +       +      +        +   +          +  ',
  closed: ' 401  401   401    401     401    401      401 401        401',
  ingest: ' 401  401   +      401     401    401      401 +          +  ',
  dsn_key: '401  401   403    401     401    401      401 +          403',
  reading: '401  401   401    +       +      401      401 401        401',
  acting: ' 401  401   401    403     +      401      401 401        401',
  releases: '401 401   401    401     401    +        401 401        401',
  // Without a token for events, as with a project's key on an endpoint of its own.
  key_only: '403 403   403    403     403    403      +   +          403',
};

const SELF = 'itself';

/** Which pages a component serves: by the page's origin the status, `+` if it is that of the caller, and what the header allows. */
const PAGES: Readonly<Record<string, Readonly<Record<string, readonly [status: string, allowed?: string]>>>> = {
  none: { [SELF]: ['403'], [LISTED]: ['403'], 'https://evil.example': ['403'], null: ['403'] },
  listed: { [SELF]: ['403'], [LISTED]: ['+', LISTED], 'https://evil.example': ['403'], null: ['403'] },
  'listed and itself': { [SELF]: ['+'], [LISTED]: ['+', LISTED], 'https://evil.example': ['403'], null: ['403'] },
  any: { [SELF]: ['+', '*'], [LISTED]: ['+', '*'], 'https://evil.example': ['+', '*'], null: ['+', '*'] },
};

interface Expected {
  /** In the log, and in `RULES`. */
  readonly access: string;
  readonly pages: keyof typeof PAGES;
  readonly calls: readonly ExpectedCall[];
}

interface ExpectedCall {
  readonly method: string;
  readonly path: string;
  /** The status of an admitted call. */
  readonly status: number;
  readonly type?: string;
  /** With the key where the protocol has it in the body. */
  readonly body?: (key: string | undefined) => string;
}

const ID = '4c1f4d51-0000-5000-8000-000000000000';
const get = (path: string, status = 200): ExpectedCall => ({ method: 'GET', path, status });
const post = (path: string, status: number, text?: string): ExpectedCall => ({
  method: 'POST',
  path,
  status,
  ...(text !== undefined && { body: () => text, type: 'application/json' }),
});
const open = (path: string): Expected => ({ access: 'open', pages: 'none', calls: [get(path), get(path)] });
const head = (path: string): Expected => ({
  access: 'open',
  pages: 'none',
  calls: [{ method: 'HEAD', path, status: 200 }],
});
const otlp = (path: string): Expected => ({ access: 'ingest', pages: 'listed', calls: [post(path, 200, '{}')] });
const sentry = (call: ExpectedCall): Expected => ({ access: 'dsn_key', pages: 'any', calls: [call] });
/** A profile is running, so an admitted call gets 409. */
const pprof = (path: string, status: number): Expected => ({
  access: 'local',
  pages: 'none',
  calls: [get(path, status)],
});
const grpc = (): Expected => ({ access: 'ingest', pages: 'none', calls: [] });
const SENTRY_PATH = String.raw`\/api\/([A-Za-z0-9_-]{1,64})`;
const OF_RELEASE = '/api/0/organizations/acme/releases';
const EVENT = '{"event_id":"5e8b6b3a0c1d4f6e8a7b6c5d4e3f2a1b","message":"the till is closed"}';

/** Every route that a collector may declare. A new one needs a row that says who may call it. */
const TABLE: Readonly<Record<string, Expected>> = {
  'events POST /v1/events': { access: 'ingest', pages: 'listed', calls: [post('/v1/events', 200, '[]')] },
  'otlp * /v1/logs': otlp('/v1/logs'),
  'otlp * /v1/traces': otlp('/v1/traces'),
  'otlp * /v1/metrics': otlp('/v1/metrics'),
  'otlp * /v1development/profiles': otlp('/v1development/profiles'),
  'otlp /opentelemetry.proto.collector.logs.v1.LogsService/Export': grpc(),
  'otlp /opentelemetry.proto.collector.trace.v1.TraceService/Export': grpc(),
  'otlp /opentelemetry.proto.collector.metrics.v1.MetricsService/Export': grpc(),
  'otlp /opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export': grpc(),
  [`sentry POST ^${SENTRY_PATH}\\/envelope\\/?$`]: sentry(post('/api/1/envelope/', 200, '{}\n')),
  [`sentry POST ^${SENTRY_PATH}\\/store\\/?$`]: sentry(post('/api/1/store/', 200, EVENT)),
  [`sentry GET ^${SENTRY_PATH}\\/store\\/?$`]: sentry(get(`/api/1/store/?sentry_data=${encodeURIComponent(EVENT)}`)),
  [`sentry POST ^${SENTRY_PATH}\\/security\\/?$`]: sentry(post('/api/1/security/', 400, '{}')),
  [`sentry POST ^${SENTRY_PATH}\\/csp-report\\/?$`]: sentry(post('/api/1/csp-report/', 400, '{}')),
  [`sentry POST ^${SENTRY_PATH}\\/minidump\\/?$`]: sentry(post('/api/1/minidump/', 415)),
  [`sentry POST ^${SENTRY_PATH}\\/unreal\\/?$`]: sentry(post('/api/1/unreal/', 415)),
  'sentry POST /tunnel': sentry({
    ...post('/tunnel', 200),
    body: (key) => (key === undefined ? '{}\n' : `{"dsn":"http://${key}@localhost/1"}\n`),
  }),
  [String.raw`sentry * ^\/api\/0(?:\/.*)?$`]: {
    access: 'releases',
    pages: 'none',
    calls: [
      get('/api/0/'),
      get('/api/0/organizations/acme/repos/'),
      get(`${OF_RELEASE}/`),
      get('/api/0/projects/acme/web/releases/'),
      post(`${OF_RELEASE}/`, 400, '{}'),
      get(`${OF_RELEASE}/v1/`, 404),
      { ...post(`${OF_RELEASE}/v1/`, 415), method: 'PUT' },
      { ...get(`${OF_RELEASE}/v1/`, 404), method: 'DELETE' },
      get(`${OF_RELEASE}/v1/previous-with-commits/`),
      get(`${OF_RELEASE}/v1/commits/`, 404),
      get(`${OF_RELEASE}/v1/deploys/`, 404),
      post(`${OF_RELEASE}/v1/deploys/`, 400, '{}'),
      get('/api/0/nothing', 404),
    ],
  },
  'query /api/v1/*': { access: 'reading', pages: 'listed and itself', calls: [get('/api/v1/nothing', 404)] },
  'mcp POST /mcp': {
    access: 'reading',
    pages: 'listed and itself',
    calls: [post('/mcp', 200, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}')],
  },
  'health_check GET /': open('/'),
  'health_check HEAD /': head('/'),
  'health_check GET /live': open('/live'),
  'health_check HEAD /live': head('/live'),
  'health_check GET /status': open('/status'),
  'health_check HEAD /status': head('/status'),
  'service.telemetry.metrics GET /metrics': open('/metrics'),
  'service.telemetry.metrics HEAD /metrics': head('/metrics'),
  'pprof GET /debug/pprof': pprof('/debug/pprof', 200),
  'pprof GET /debug/pprof/': pprof('/debug/pprof/', 200),
  'pprof GET /debug/pprof/profile': pprof('/debug/pprof/profile', 409),
  'pprof GET /debug/pprof/heap': pprof('/debug/pprof/heap', 409),
};

/** Every operation of the reading API by what it needs, with the status of an admitted call. A new one needs a row. */
const OPERATIONS: Readonly<Record<'reading' | 'acting', Readonly<Record<string, number>>>> = {
  reading: {
    ...{ listIssues: 200, countIssues: 200, listValues: 200, listIssuesSince: 200, getIssue: 404, listEvents: 404 },
    ...{ summarizeEvents: 404, searchEvents: 200, getEvent: 404, listRejected: 200, explain: 404, getAccess: 200 },
    ...{ listReleases: 200, getRelease: 404, listSuggestions: 200, getStats: 200, streamChanges: 200 },
    ...{ getRegroup: 200, getOpenApi: 200 },
  },
  acting: {
    ...{ act: 415, acceptSuggestion: 415, dismissSuggestion: 415, undoSuggestion: 415, cancelRegroup: 200 },
    ...{ previewRegroup: 415, applyRegroup: 415, rollBackRegroup: 415 },
    ...{ createRelease: 415, changeRelease: 415, addDeploy: 415 },
  },
};
const NEEDED = `field=service&from=2026-11-21T10:00:00Z&before=2026-11-20T10:00:00Z&a=${ID}&b=${ID}`;

/** The operations that the collector documents, as calls. */
async function operationsOf(running: EveryComponent): Promise<RuledCall[]> {
  const headers = { authorization: `Bearer ${TOKENS.reading}` };
  const { body } = await running.call({ method: 'GET', path: '/api/v1/openapi.json', headers });
  const { paths } = JSON.parse(body) as { paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId, parameters }]) => {
      const rule = operationId in OPERATIONS.reading ? 'reading' : 'acting';
      const status = OPERATIONS[rule][operationId];
      if (status === undefined) throw new Error(`${operationId} has no row in OPERATIONS`);
      const names = parameters.filter((one) => one.in === 'query' && one.required).map(({ name }) => name);
      const query = NEEDED.split('&').filter((pair) => names.includes(pair.split('=', 1)[0] ?? ''));
      const filled = path.replace(/\{(?:issue|event)_id\}/, ID).replace(/\{\w+\}/, 'v1');
      const call = { method: method.toUpperCase(), path: `/api/v1${filled}?${query.join('&')}`, status };
      return { call, rule, pages: 'listed and itself' };
    }),
  );
}
interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
}

/** A call of the table with the rule and the pages of its route. */
interface RuledCall {
  readonly call: ExpectedCall;
  readonly rule: string;
  readonly pages: string;
}

/** The routes that a collector declared, of one component or of all, as calls. */
function declaredCalls({ routes }: EveryComponent, only?: string): RuledCall[] {
  return routes.flatMap(({ component, route }) => {
    const expected = only === undefined || only === component ? TABLE[`${component} ${route}`] : undefined;
    const { calls = [], access: rule = '', pages = '' } = expected ?? {};
    return calls.map((call) => ({ call, rule, pages }));
  });
}

async function everyCall(running: EveryComponent): Promise<RuledCall[]> {
  return [...declaredCalls(running), ...(await operationsOf(running))];
}

function requestOf(
  { method, path, type, body }: ExpectedCall,
  credential: string,
  origin: string | undefined,
  port: number,
): Call {
  const { token, key } = CREDENTIALS[credential] ?? {};
  const text = body?.(key);
  return {
    method,
    path,
    headers: {
      host: `127.0.0.1:${port}`,
      accept: 'application/json, text/event-stream',
      ...(type !== undefined && { 'content-type': type }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(key !== undefined && { 'x-sentry-auth': `Sentry sentry_version=7, sentry_key=${key}` }),
      ...(origin !== undefined && { origin: origin === SELF ? `http://127.0.0.1:${port}` : origin }),
    },
    ...(text !== undefined && { body: text }),
  };
}

/** Makes every call with every credential from every origin, and returns the answers that differ from the table. */
async function differences(
  running: EveryComponent,
  calls: readonly RuledCall[],
  port = running.port,
): Promise<string[]> {
  const found: string[] = [];
  for (const { call, rule, pages } of calls) {
    const statuses = (RULES[rule] ?? '').trim().split(/\s+/);
    for (const [column, credential] of Object.keys(CREDENTIALS).entries()) {
      for (const origin of [undefined, ...Object.keys(PAGES[pages] ?? {})]) {
        const [page, allowed] = origin === undefined ? ['+'] : (PAGES[pages]?.[origin] ?? ['']);
        const status = page === '+' ? statuses[column] : page;
        const expected = [status === '+' ? call.status : Number(status), allowed];
        const answer = await running.call({ ...requestOf(call, credential, origin, port), port });
        const actual = [answer.status, answer.headers['access-control-allow-origin']];
        const isChallenged = answer.status !== 401 || answer.headers['www-authenticate'] !== undefined;
        if (actual.join() !== expected.join() || !isChallenged) {
          found.push(`${call.method} ${call.path}, ${credential}, ${origin}: ${actual} instead of ${expected}`);
        }
      }
    }
  }
  return found;
}

const AUTH = (name: string) => `auth.authenticator=bearertokenauth/${name}`;
const AUTHENTICATORS = Object.entries(TOKENS).map(
  ([name, token]) => `extensions.bearertokenauth/${name}.token=${token}`,
);
const EXTENSIONS = `service.extensions=[query, mcp, health_check, pprof, ${Object.keys(TOKENS)
  .map((name) => `bearertokenauth/${name}`)
  .join(', ')}]`;
const QUERY = [
  `extensions.query.${AUTH('reading')}`,
  'extensions.query.actions_auth.authenticator=bearertokenauth/acting',
];
const INGEST = [
  'receivers.events',
  'receivers.otlp.protocols.http',
  'receivers.otlp.protocols.grpc',
  'receivers.sentry',
].map((section) => `${section}.${AUTH('ingest')}`);
const KEYS = `receivers.sentry.projects={"1": {public_key: ${KEY}}}`;

afterAll(removeTemporaryFolders);

describe('every route of every component, with every credential, from every origin', () => {
  let running: EveryComponent;
  const profile = new AbortController();

  beforeAll(async () => {
    running = await startEveryComponent(
      ...AUTHENTICATORS,
      EXTENSIONS,
      ...INGEST,
      ...QUERY,
      KEYS,
      `receivers.sentry.releases.${AUTH('releases')}`,
    );
    fetch(`http://127.0.0.1:${running.port}/debug/pprof/profile?seconds=60`, { signal: profile.signal }).catch(
      () => undefined,
    );
  });
  afterAll(async () => {
    profile.abort();
    await running.close();
  });

  it('is one that the table knows, under the rule that it declares', () => {
    const declared = running.routes.map(({ component, route, access }) => [`${component} ${route}`, access] as const);
    const expected = Object.entries(TABLE).map(([route, { access }]) => [route, access] as const);
    expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(expected));
  });

  it('answers as its rule says', async () => {
    const calls = await everyCall(running);
    expect(calls.length).toBeGreaterThan(70);
    expect(await differences(running, calls)).toEqual([]);
  });

  it('of gRPC takes the token for events only', async () => {
    const methods = running.routes.filter(({ route }) => route.startsWith('/opentelemetry.'));
    expect(methods.length).toBe(4);
    for (const { route } of methods) {
      for (const [credential, { token }] of Object.entries(CREDENTIALS)) {
        const status = await running.callGrpc(route, token === undefined ? {} : { authorization: `Bearer ${token}` });
        expect([route, credential, status]).toEqual([route, credential, token === TOKENS.ingest ? '0' : '16']);
      }
    }
  });

  it('has no other method that a caller without credentials gets beyond the refusal of', async () => {
    const found: string[] = [];
    for (const { call, rule } of await everyCall(running)) {
      if (rule === 'open' || rule === 'local') continue;
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']) {
        const { status, headers } = await running.call(requestOf({ ...call, method }, 'none', undefined, running.port));
        if (![401, 404, 405].includes(status) || headers['access-control-allow-origin'] !== undefined) {
          found.push(`${method} ${call.path}: ${status}`);
        }
      }
    }
    expect(found).toEqual([]);
  });

  it('lets a browser ask first only for the pages that it serves', async () => {
    const found: string[] = [];
    for (const { call, pages } of await everyCall(running)) {
      for (const [origin, [page, allowed]] of Object.entries(PAGES[pages] ?? {})) {
        const { path, headers } = requestOf({ ...call, method: 'OPTIONS' }, 'none', origin, running.port);
        const asking = { ...headers, 'access-control-request-method': call.method };
        const answer = await running.call({ method: 'OPTIONS', path, headers: asking });
        const isAllowed = answer.status === 204;
        const given = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
        const isRight = isAllowed ? answer.headers['access-control-allow-origin'] === allowed : given.length === 0;
        if (isAllowed !== (page === '+') || !isRight)
          found.push(`${call.method} ${path} from ${origin}: ${answer.status}`);
      }
    }
    expect(found).toEqual([]);
  });
});

describe('a receiver sentry with keys, on an address that other machines reach', () => {
  it('starts, takes events by its keys, and refuses release calls whatever they show, with the setting that opens them', async () => {
    const sentry = ['receivers.sentry.endpoint=0.0.0.0:0', KEYS, 'receivers.sentry.allow_without_token=true'];
    const running = await startEveryComponent(...AUTHENTICATORS, EXTENSIONS, ...QUERY, ...sentry);
    try {
      const { url = '' } = running.service.describe().receivers.find(({ id }) => id === 'sentry') ?? {};
      const port = Number(new URL(url).port);
      const declared = running.routes.find(({ route }) => route.includes('api\\/0'));
      expect(declared).toMatchObject({ component: 'sentry', access: 'closed' });
      const calls = declaredCalls(running, 'sentry').map((one) => ({
        ...one,
        rule: one.rule === 'releases' ? 'closed' : 'key_only',
      }));
      expect(await differences(running, calls, port)).toEqual([]);
      const setting = expect.stringContaining('receivers.sentry.releases.auth.authenticator');
      const { body } = await running.call({ port, method: 'GET', path: '/api/0/', headers: {} });
      expect(JSON.parse(body)).toMatchObject({ code: 'RELEASES_CLOSED', detail: setting });
      expect(running.logged).toContainEqual(expect.objectContaining({ component: 'sentry', msg: setting }));
    } finally {
      await running.close();
    }
  });
});

describe('a collector on localhost without tokens', () => {
  let running: EveryComponent;
  beforeAll(async () => {
    running = await startEveryComponent(KEYS, 'receivers.sentry.allowed_hosts=[faultline.internal]');
  });
  afterAll(() => running.close());
  const listed = async (headers: Record<string, string>) => {
    const { status } = await running.call({ method: 'GET', path: `${OF_RELEASE}/`, headers });
    return status;
  };

  it('records releases for programs of this machine', async () => {
    for (const host of ['localhost', 'localhost:4318', '127.0.0.1', '[::1]:4318']) {
      expect([host, await listed({ host, authorization: 'Bearer any' })]).toEqual([host, 200]);
    }
  });

  it('refuses release calls under another name and those that a proxy passes on', async () => {
    expect(await listed({ host: 'faultline.internal' })).toBe(401);
    for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']) {
      expect([name, await listed({ host: 'localhost', [name]: '10.0.0.7' })]).toEqual([name, 401]);
    }
    const profile = { method: 'GET', path: '/debug/pprof', headers: { host: 'localhost', via: '1.1 proxy' } };
    expect((await running.call(profile)).status).toBe(403);
  });
});
