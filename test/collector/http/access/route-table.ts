import { type EveryComponent, LISTED } from './every-component.js';

/** A token of each scope. */
export const TOKENS = {
  ingest: 'token-for-sending-events',
  reading: 'token-for-reading-them',
  acting: 'token-for-acting-on-issues',
  releases: 'token-for-recording-releases',
};
/** The key of project 1. */
export const KEY = 'abc';

/** In place of the origin of the collector's own pages. */
export const SELF = 'itself';

/** Which pages a component serves: by the page's origin the status, `+` if it is that of the caller, and what the header allows. */
export const PAGES: Readonly<Record<string, Readonly<Record<string, readonly [status: string, allowed?: string]>>>> = {
  none: { [SELF]: ['403'], [LISTED]: ['403'], 'https://evil.example': ['403'], null: ['403'] },
  listed: { [SELF]: ['403'], [LISTED]: ['+', LISTED], 'https://evil.example': ['403'], null: ['403'] },
  'listed and itself': { [SELF]: ['+'], [LISTED]: ['+', LISTED], 'https://evil.example': ['403'], null: ['403'] },
  any: { [SELF]: ['+', '*'], [LISTED]: ['+', '*'], 'https://evil.example': ['+', '*'], null: ['+', '*'] },
};

/** Who may call a route, and how. */
interface Expected {
  /** In the log, and in `RULES`. */
  readonly access: string;
  readonly pages: keyof typeof PAGES;
  readonly calls: readonly ExpectedCall[];
}

/** A call of a route. */
export interface ExpectedCall {
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
const otlpOther = (path: string): Expected => ({ access: 'ingest', pages: 'listed', calls: [get(path, 405)] });
const sentry = (call: ExpectedCall): Expected => ({ access: 'dsn_key', pages: 'any', calls: [call] });
const grpc = (): Expected => ({ access: 'ingest', pages: 'none', calls: [] });
const SENTRY_PATH = '/api/{project}';
/** Of an organization. */
export const OF_RELEASE = '/api/0/organizations/acme/releases';
const EVENT = '{"event_id":"5e8b6b3a0c1d4f6e8a7b6c5d4e3f2a1b","message":"the till is closed"}';
const STORE_IMAGE = `/api/1/store/?sentry_data=${encodeURIComponent(EVENT)}`;

/** Every route that a collector may declare. A new one needs a row that says who may call it. */
export const TABLE: Readonly<Record<string, Expected>> = {
  'events POST /v1/events': { access: 'ingest', pages: 'listed', calls: [post('/v1/events', 200, '[]')] },
  ...Object.fromEntries(
    ['/v1/logs', '/v1/traces', '/v1/metrics', '/v1development/profiles']
      .flatMap((path) => [path, `${path}/`])
      .flatMap((path) => [
        [`otlp POST ${path}`, otlp(path)],
        [`otlp * ${path}`, otlpOther(path)],
      ]),
  ),
  'otlp /opentelemetry.proto.collector.logs.v1.LogsService/Export': grpc(),
  'otlp /opentelemetry.proto.collector.trace.v1.TraceService/Export': grpc(),
  'otlp /opentelemetry.proto.collector.metrics.v1.MetricsService/Export': grpc(),
  'otlp /opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export': grpc(),
  [`sentry POST ${SENTRY_PATH}/envelope/`]: sentry(post('/api/1/envelope/', 200, '{}\n')),
  [`sentry POST ${SENTRY_PATH}/store/`]: sentry(post('/api/1/store/', 200, EVENT)),
  'sentry POST /api/store/': sentry(post('/api/store/', 200, EVENT)),
  [`sentry HEAD ${SENTRY_PATH}/store/`]: { ...sentry(get('')), calls: [] },
  [`sentry GET ${SENTRY_PATH}/store/`]: sentry(get(STORE_IMAGE)),
  [`sentry POST ${SENTRY_PATH}/security/`]: sentry(post('/api/1/security/', 400, '{}')),
  [`sentry POST ${SENTRY_PATH}/csp-report/`]: sentry(post('/api/1/csp-report/', 400, '{}')),
  [`sentry POST ${SENTRY_PATH}/minidump/`]: sentry(post('/api/1/minidump/', 415)),
  [`sentry POST ${SENTRY_PATH}/unreal/`]: sentry(post('/api/1/unreal/', 415)),
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
  [String.raw`query * ^\/api\/v1(?:\/.*)?$`]: {
    access: 'reading',
    pages: 'listed and itself',
    calls: [get('/api/v1/nothing', 404)],
  },
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
export interface RuledCall {
  readonly call: ExpectedCall;
  readonly rule: string;
  readonly pages: string;
}

/** The routes that a collector declared, of one component or of all, as calls. */
export function declaredCalls({ routes }: EveryComponent, only?: string): RuledCall[] {
  return routes.flatMap(({ component, route }) => {
    const expected = only === undefined || only === component ? TABLE[`${component} ${route}`] : undefined;
    const { calls = [], access: rule = '', pages = '' } = expected ?? {};
    return calls.map((call) => ({ call, rule, pages }));
  });
}

/** Every route of a collector as calls, also the operations of the reading API. */
export async function everyCall(running: EveryComponent): Promise<RuledCall[]> {
  return [...declaredCalls(running), ...(await operationsOf(running))];
}
