import { removeTemporaryFolders } from '../../../helpers/temporary-folder.js';
import { type Call, type EveryComponent, startEveryComponent } from './every-component.js';
import {
  declaredCalls,
  type ExpectedCall,
  everyCall,
  KEY,
  OF_RELEASE,
  PAGES,
  type RuledCall,
  SELF,
  TABLE,
  TOKENS,
} from './route-table.js';

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
const EXTENSIONS = `service.extensions=[query, mcp, health_check, ${Object.keys(TOKENS)
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

  beforeAll(async () => {
    running = await startEveryComponent(
      ...AUTHENTICATORS,
      EXTENSIONS,
      ...INGEST,
      ...QUERY,
      KEYS,
      `receivers.sentry.releases.${AUTH('releases')}`,
    );
  });
  afterAll(() => running.close());

  it('is one that the table knows, under the rule that it declares', () => {
    const declared = running.routes.map(({ component, route, access }) => [`${component} ${route}`, access] as const);
    const expected = Object.entries(TABLE).map(([route, { access }]) => [route, access] as const);
    expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(expected));
  });

  it('answers as its rule says', async () => {
    const calls = await everyCall(running);
    expect(calls.length).toBeGreaterThan(65);
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
  });
});
