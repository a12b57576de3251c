import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join, resolve } from 'node:path';
import { blocksOf } from '../../docs/markdown-blocks.js';
import { serverPayload } from '../../helpers/payloads.js';
import { reservePort } from '../../helpers/reserved-port.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { CollectHere, stopCollectors } from '../commands/collect-here.js';
import { post } from '../post.js';
import { openRawConnection } from '../raw-connection.js';

const TOKEN = '0123456789abcdef';
const SHOP = 'https://shop.example';
/** Extensions with routes. Settings: `endpoint`, what `hello` says, and a file for which `patient` waits. */
const MODULE = `
import { access } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import express from 'express';

const open = { kind: 'open' };
const token = { kind: 'token', authenticator: 'bearertokenauth' };
const text = { type: 'string', description: 'A text.' };
const properties = { endpoint: { ...text, default: '127.0.0.1:0' }, says: { ...text, default: 'hello' }, file: text };
const answer = (_request, response) => response.json('the plugin');

async function appearance(file) {
  while (!(await access(file).then(() => true, () => false))) await wait(5);
}
function serving(add, life = () => ({})) {
  return {
    description: 'Serves routes.', stability: 'alpha', schema: { type: 'object', properties },
    create(settings, context) {
      const router = express.Router();
      add(router, (rule) => context.allow(rule), settings);
      return { routes: [{ endpoint: settings.endpoint, router, allowedHosts: ['greeter.example'] }], ...life(settings) };
    },
  };
}

export const extensions = {
  greeter: serving((router, allow, { says }) => {
    router.get('/hello/:name', ...allow(open), ({ params, query, get }, response) => response.json({ says, ...params, ...query }));
    router.post('/body', ...allow(open), express.json(), (request, response) => response.status(201).json(request.body));
    router.get('/secret', ...allow(token), answer);
    router.get('/here', ...allow({ kind: 'local' }), answer);
    router.post('/page', ...allow({ ...token, allowedOrigins: ['${SHOP}'] }), answer);
    router.get('/throws', ...allow(open), () => { throw new Error('secret-words'); });
    router.get('/rejects', ...allow(open), async () => { throw new Error('secret-words'); });
    router.get('/breaks-off', ...allow(open), (_request, response) => { response.write('begin'); throw new Error('secret-words'); });
  }),
  handles_errors: serving((router, allow) => {
    router.get('/teapot', ...allow(open), () => { throw Object.assign(new Error('tea'), { status: 418 }); });
    router.get('/teapot/secret', ...allow(token), answer);
    router.use((error, _request, response, next) => error.status === 418 ? response.status(418).json('tea only') : next(error));
  }),
  patient: serving(
    (router, allow, { file }) => router.get('/patient', ...allow(open), async (_request, response) => {
      response.write('begin');
      await appearance(file + '-answer');
      response.end(' end');
    }),
    ({ file }) => ({ start: () => appearance(file) }),
  ),

  takes_events: serving((router, allow) => router.post('/v1/events', ...allow(open), answer)),
  takes_reading: serving((router, allow) => router.get('/api/v1/issues', ...allow(open), answer)),
  takes_all: serving((router, allow) => router.all('/*path', ...allow(open), answer)),
  takes_itself: serving((router, allow) => { for (let n = 0; n < 2; n++) router.get('/twice', ...allow(open), answer); }),
  takes_events_in_other_case: serving((router, allow) => router.post('/V1/Events/', ...allow(open), answer)),
  takes_reading_by_pattern: serving((router, allow) => router.get('/api/v1/:what', ...allow(open), answer)),
  takes_reading_by_expression: serving((router, allow) => router.get(/^.api.v1.st/, ...allow(open), answer)),
  says_nothing: serving((router) => router.get('/open', answer)),
  says_it_late: serving((router, allow) => router.get('/open', express.json(), ...allow(open), answer)),
  says_it_for_one_method: serving((router, allow) => router.route('/open').get(...allow(open), answer).post(answer)),
  sees_all: serving((router, allow) => { router.use(express.json()); router.get('/open', ...allow(open), answer); }),
  hides_routes: serving((router, allow) => router.use('/below', express.Router().get('/open', ...allow(open), answer))),
  names_no_token: serving((router, allow) => router.get('/secret', ...allow({ kind: 'token' }), answer)),
  names_another_token: serving((router, allow) => router.get('/secret', ...allow({ kind: 'token', authenticator: 'bearertokenauth/no' }), answer)),
  answers_a_parameter: serving((router, allow) => {
    router.param('id', (_request, response) => response.end('secret'));
    router.get('/item/:id', ...allow(token), answer);
  }),
  adds_a_route_late: {
    ...serving(() => undefined),
    create: (_settings, { allow }) => {
      const router = express.Router();
      return { routes: [{ endpoint: '127.0.0.1:0', router }], start: async () => void router.get('/late', ...allow(open), answer) };
    },
  },
  names_one_page: serving((router, allow) => router.get('/open', ...allow({ ...open, allowedOrigins: '${SHOP}' }), answer)),
  names_a_page_here: serving((router, allow) => router.get('/open', ...allow({ kind: 'local', allowedOrigins: [] }), answer)),
  names_no_rule: serving((router, allow) => router.get('/open', ...allow(), answer)),
  has_a_path_of_express_4: { ...serving(() => undefined), create: () => ({ routes: [{ endpoint: '127.0.0.1:0', router: Object.assign(() => {}, { stack: [{ route: { path: '/a?', stack: [] } }] }) }] }) },
  has_one_route: { ...serving(() => undefined), create: () => ({ routes: { endpoint: '127.0.0.1:0', router: express.Router() } }) },
  misspells_rule: serving((router, allow) => router.get('/open', ...allow({ kind: 'public' }), answer)),
  has_no_port: { ...serving(() => undefined), create: () => ({ routes: [{ endpoint: 'localhost', router: express.Router() }] }) },
  has_no_router: { ...serving(() => undefined), create: () => ({ routes: [{ endpoint: '127.0.0.1:0', router: express() }] }) },
};
`;

let folder = '';

beforeAll(async () => {
  folder = await temporaryFolder();
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'routes.mjs'), MODULE);
});
afterEach(stopCollectors);
afterAll(removeTemporaryFolders);

/** Writes a configuration with extensions of the plugin. Those without an endpoint share that of `events`. */
async function configure(extensions: Record<string, string>, events = '127.0.0.1:0'): Promise<void> {
  const parts = Object.entries(extensions).map(([id, settings]) => `${id}: ${settings}`);
  const config = `
plugins: [./routes.mjs]
receivers: { events: { endpoint: ${events} } }
exporters: { store: { directory: ${folder}/data } }
extensions: { query: { endpoint: 127.0.0.2:0 }, bearertokenauth: { token: ${TOKEN} }, ${parts.join(', ')} }
service:
  extensions: [query, bearertokenauth, ${Object.keys(extensions).join(', ')}]
  telemetry: { metrics: { level: none } }
  pipelines:
    events: { receivers: [events], exporters: [store] }
`;
  await writeFile(join(folder, 'faultline.yaml'), config);
}

async function collect(...of: Parameters<typeof configure>) {
  await configure(...of);
  const running = new CollectHere({ config: [join(folder, 'faultline.yaml')] });
  return { running, url: await running.ingestUrl() };
}

/** Calls a route, and returns its status and the response. */
async function call(url: string, { headers = {}, method = 'GET', body }: CallOptions = {}) {
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text,
  };
}

interface CallOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** The status for a `Host`, which `fetch` does not send. */
async function statusFor(url: string, host: string): Promise<number | undefined> {
  const request = httpRequest(url, { headers: { host }, agent: false }).end();
  const [response] = await once(request, 'response');
  response.resume();
  return response.statusCode;
}

const AUTHORIZED = { authorization: `Bearer ${TOKEN}` };

describe('a route of a plugin', () => {
  it('gets requests and responses of Express, parameters and bodies', async () => {
    const { url } = await collect({ greeter: '{}' });
    expect(await call(`${url}/hello/anna%20b?from=here`)).toMatchObject({
      status: 200,
      body: { says: 'hello', name: 'anna b', from: 'here' },
    });
    const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":[1]}' };
    expect(await call(`${url}/body`, sent)).toMatchObject({ status: 201, body: { a: [1] } });
  });

  it('stands beside the paths of a receiver on its endpoint, which still receives', async () => {
    const { url } = await collect({ greeter: '{}' });
    expect((await call(`${url}/hello/anna`)).status).toBe(200);
    expect((await post(`${url}/v1/events`, JSON.stringify(serverPayload()))).status).toBe(200);
  });

  it('stands beside the reading API on its endpoint', async () => {
    const { running } = await collect({ greeter: '{ endpoint: 127.0.0.2:0 }' });
    const url = await running.printed(/browse --url (http:\/\/[\w.:]+)/);
    expect((await call(`${url}/hello/anna`)).status).toBe(200);
    expect((await call(`${url}/api/v1/stats`)).status).toBe(200);
  });

  it('that needs a token refuses a caller without it', async () => {
    const { url } = await collect({ greeter: '{}' });
    expect(await call(`${url}/secret`)).toMatchObject({ status: 401, body: { code: 'TOKEN_MISSING' } });
    const wrong = { headers: { authorization: 'Bearer no' } };
    expect(await call(`${url}/secret`, wrong)).toMatchObject({ status: 401, body: { code: 'TOKEN_WRONG' } });
    expect(await call(`${url}/secret`, { headers: AUTHORIZED })).toMatchObject({ status: 200, body: 'the plugin' });
  });

  it('that is local refuses what a proxy passes on', async () => {
    const { url } = await collect({ greeter: '{}' });
    expect(await call(`${url}/here`)).toMatchObject({ status: 200 });
    const passedOn = { headers: { 'x-forwarded-for': '192.0.2.1' } };
    expect(await call(`${url}/here`, passedOn)).toMatchObject({ status: 403, body: { code: 'LOCAL_ONLY' } });
  });

  it('that is local refuses everyone at an address that other machines reach', async () => {
    const port = await reservePort();
    await collect({ greeter: `{ endpoint: "0.0.0.0:${port}" }` });
    expect(await call(`http://127.0.0.1:${port}/here`)).toMatchObject({ status: 403, body: { code: 'LOCAL_ONLY' } });
    expect((await call(`http://127.0.0.1:${port}/hello/anna`)).status).toBe(200);
  });

  it('refuses hosts that it does not allow, also where it shares the endpoint', async () => {
    const { url } = await collect({ greeter: '{}' });
    expect(await statusFor(`${url}/hello/anna`, 'greeter.example')).toBe(200);
    expect(await statusFor(`${url}/hello/anna`, 'other.example')).toBe(403);
    expect(await statusFor(`${url}/v1/events`, 'greeter.example')).not.toBe(200);
  });

  it('refuses web pages of origins that it does not allow', async () => {
    const { url } = await collect({ greeter: '{}' });
    const fromShop = { headers: { origin: SHOP, ...AUTHORIZED }, method: 'POST' };
    const allowed = await call(`${url}/page`, fromShop);
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, SHOP]);
    const elsewhere = { ...fromShop, headers: { ...fromShop.headers, origin: 'https://other.example' } };
    const refused = { status: 403, body: { code: 'ORIGIN_NOT_ALLOWED' } };
    expect(await call(`${url}/page`, elsewhere)).toMatchObject(refused);
    expect(await call(`${url}/hello/anna`, { headers: { origin: SHOP } })).toMatchObject(refused);
  });

  it('answers a browser that asks whether a page may call, without the token', async () => {
    const { url } = await collect({ greeter: '{}' });
    const ask = (path: string, origin: string) =>
      call(`${url}${path}`, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });
    const { status, headers } = await ask('/page', SHOP);
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(SHOP);
    expect(headers.get('access-control-allow-methods')).toContain('POST');
    expect(headers.get('access-control-allow-headers')).toContain('authorization');
    expect(await ask('/page', 'https://other.example')).toMatchObject({ status: 403 });
    expect((await ask('/secret', SHOP)).headers.get('access-control-allow-origin')).toBeNull();
  });

  it.each(['/throws', '/rejects'])('whose handler fails answers 500 without its words: %s', async (path) => {
    const { running, url } = await collect({ greeter: '{}' });
    const response = await call(`${url}${path}`);
    expect(response).toMatchObject({ status: 500, body: { code: 'INTERNAL', status: 500 } });
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(JSON.stringify(response.body)).not.toContain('secret-words');
    expect(running.stderr.text).toContain('a request failed');
    expect(running.stderr.text).not.toContain('secret-words');
    expect((await call(`${url}/hello/anna`)).status).toBe(200);
  });

  it('whose handler fails in the middle of a response breaks it off', async () => {
    const { url } = await collect({ greeter: '{}' });
    await expect(call(`${url}/breaks-off`)).rejects.toThrow();
    expect((await call(`${url}/hello/anna`)).status).toBe(200);
  });

  it('may have an error handler, which sees its own errors and passes on the others', async () => {
    const { url } = await collect({ handles_errors: '{}' });
    expect(await call(`${url}/teapot`)).toMatchObject({ status: 418, body: 'tea only' });
    expect(await call(`${url}/teapot/secret`)).toMatchObject({ status: 401, body: { code: 'TOKEN_MISSING' } });
    expect(await call(`${url}/v1/events`, { method: 'POST', body: 'no' })).toMatchObject({ status: 400 });
  });

  it('whose middleware refuses a request answers with its status and words', async () => {
    const { url } = await collect({ greeter: '{}' });
    const headers = { 'content-type': 'application/json' };
    const broken = await call(`${url}/body`, { method: 'POST', headers, body: '{"a":' });
    expect(broken).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_REFUSED', detail: expect.stringContaining('JSON') },
    });
    const large = await call(`${url}/body`, { method: 'POST', headers, body: JSON.stringify('x'.repeat(200_000)) });
    expect(large).toMatchObject({ status: 413, body: { code: 'REQUEST_REFUSED', title: 'Payload Too Large' } });
  });

  it('asks a client for the body that waits for it', async () => {
    const { url } = await collect({ greeter: '{}' });
    const connection = await openRawConnection(Number(new URL(url).port));
    const headers = 'host: localhost\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close';
    connection.write(`POST /body HTTP/1.1\r\n${headers}\r\nexpect: 100-continue\r\n\r\n`);
    await connection.receive(/^HTTP\/1\.1 100 Continue/);
    connection.write('{}');
    expect(await connection.untilClosed()).toMatch(/HTTP\/1\.1 201 /);
  });

  it('is named to a caller of a path nearby, and lists its methods', async () => {
    const { url } = await collect({ greeter: '{}' });
    expect(await call(`${url}/secrets`)).toMatchObject({
      status: 404,
      body: { code: 'PATH_NOT_FOUND', nearest: '/secret', detail: expect.stringContaining('nearest path is /secret') },
    });
    expect(await call(`${url}/hallo/anna`)).toMatchObject({ status: 404, body: { nearest: '/hello/{name}' } });
    const { status, headers } = await call(`${url}/secret`, { method: 'DELETE' });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

it('docs/plugins.md adds a route that works as it says', async () => {
  const page = await blocksOf('docs/plugins.md');
  const first = page.findIndex(({ text }) => text.includes('compression'));
  const [, module, config, , answer] = page.slice(first).map(({ text }) => text);
  const own = await temporaryFolder();
  await mkdir(join(own, 'node_modules/compression'), { recursive: true });
  await symlink(resolve('node_modules/express'), join(own, 'node_modules/express'));
  const passesOn = 'module.exports = () => (_request, _response, next) => next();';
  await writeFile(join(own, 'node_modules/compression/index.js'), passesOn);
  await writeFile(join(own, 'hello.mjs'), module ?? '');
  await writeFile(join(own, 'faultline.yaml'), config ?? '');
  const port = await reservePort();
  const running = new CollectHere({
    config: [join(own, 'faultline.yaml')],
    set: [
      ...['receivers.events', 'extensions.query'].map((id) => `${id}.endpoint=127.0.0.1:0`),
      ...[`extensions.hello.endpoint=127.0.0.1:${port}`, 'service.telemetry.metrics.level=none'],
      `exporters.store.directory=${own}/data`,
    ],
  });
  const url = await running.printed(/hello +(http:\S+)/);
  expect((await call(`${url}?name=Anna`)).body).toEqual(JSON.parse(answer ?? ''));
});

describe('the routes of a plugin', () => {
  it('answer 503 until the plugin has started, and 200 afterwards', async () => {
    const endpoint = `127.0.0.1:${await reservePort()}`;
    const file = join(folder, 'started');
    await configure(
      { greeter: `{ endpoint: "${endpoint}" }`, patient: `{ endpoint: "${endpoint}", file: ${file} }` },
      endpoint,
    );
    const running = new CollectHere({ config: [join(folder, 'faultline.yaml')] });
    const url = `http://${endpoint}`;
    await waitFor('the first extension', async () => (await call(`${url}/hello/anna`)).status === 200);
    const early = await call(`${url}/patient`);
    expect(early).toMatchObject({ status: 503, body: { code: 'COLLECTOR_STARTING' } });
    expect(early.headers.get('retry-after')).toMatch(/^\d+$/);
    await writeFile(file, '');
    await writeFile(`${file}-answer`, '');
    await running.ingestUrl();
    expect(await call(`${url}/patient`)).toMatchObject({ status: 200, body: 'begin end' });
  });

  it('finish their responses before the collector stops', async () => {
    const file = join(folder, 'stopped');
    await writeFile(file, '');
    const { running, url } = await collect({ patient: `{ file: ${file} }` });
    const response = await fetch(`${url}/patient`);
    const stopped = running.stop();
    await waitFor('the stop', () => running.stderr.text.includes('"msg":"stopped"'));
    await writeFile(`${file}-answer`, '');
    expect(await response.text()).toBe('begin end');
    expect(await stopped).toBe(0);
  });

  it('answer through a reload on the same socket, with the new settings afterwards', async () => {
    const { running, url } = await collect({ greeter: '{}' });
    const reloads = () => running.stderr.text.split('configuration reloaded').length;
    for (const says of ['hi', 'good day']) {
      const before = reloads();
      await configure({ greeter: `{ says: ${says} }` });
      running.signals.emit('SIGHUP');
      await waitFor('the reload', async () => {
        expect((await call(`${url}/hello/anna`)).status).toBe(200);
        return reloads() > before;
      });
      expect((await call(`${url}/hello/anna`)).body).toMatchObject({ says });
    }
  });

  it('stay as they are if a reload is refused, because two components would serve one path', async () => {
    const { running, url } = await collect({ greeter: '{}' });
    await configure({ greeter: '{ says: hi }', takes_events: '{}' });
    running.signals.emit('SIGHUP');
    await waitFor('the refusal', () => running.stderr.text.includes('both serve POST /v1/events'));
    expect((await call(`${url}/hello/anna`)).body).toMatchObject({ says: 'hello' });
    expect((await post(`${url}/v1/events`, JSON.stringify(serverPayload()))).status).toBe(200);
  });
});

describe('the collector does not start', () => {
  it.each([
    ['takes_events', '{}', 'both serve POST /v1/events on 127.0.0.1:0'],
    ['takes_all', '{}', 'both serve POST /v1/events on 127.0.0.1:0'],
    ['takes_reading', '{ endpoint: 127.0.0.2:0 }', 'both serve'],
    ['takes_itself', '{}', 'both serve GET /twice'],
    ['says_nothing', '{}', 'says_nothing does not say with allow who may call its route GET /open'],
    ['says_it_late', '{}', 'does not say with allow who may call its route GET /open'],
    ['says_it_for_one_method', '{}', 'does not say with allow who may call its route POST /open'],
    ['sees_all', '{}', 'sees_all does not say with allow who may call its middleware jsonParser'],
    ['hides_routes', '{}', 'does not say with allow who may call its middleware router'],
    ['names_no_token', '{}', 'names no authenticator'],
    ['names_another_token', '{}', 'no authenticator bearertokenauth/no'],
    ['takes_events_in_other_case', '{}', 'both serve POST /v1/events on 127.0.0.1:0'],
    ['takes_reading_by_pattern', '{ endpoint: 127.0.0.2:0 }', 'both serve'],
    ['takes_reading_by_expression', '{ endpoint: 127.0.0.2:0 }', 'both serve'],
    ['answers_a_parameter', '{}', 'does not say with allow who may call its callback for the parameter id'],
    ['adds_a_route_late', '{}', 'adds_a_route_late did not start'],
    ['names_one_page', '{}', 'allowedOrigins must be a list of texts'],
    ['names_a_page_here', '{}', 'allowedOrigins is not for the kind local'],
    ['names_no_rule', '{}', 'the kind of a rule is open, local or token'],
    ['has_a_path_of_express_4', '{}', 'a path that Express 5 cannot read'],
    ['has_one_route', '{}', 'are not a list'],
    ['misspells_rule', '{}', 'the kind of a rule is open, local or token'],
    ['has_no_port', '{}', 'no endpoint host:port'],
    ['has_no_router', '{}', 'are not an express.Router()'],
  ])('with an extension that %s', async (id, settings, problem) => {
    await configure({ [id]: settings });
    const { finished, stderr } = new CollectHere({ config: [join(folder, 'faultline.yaml')] });
    expect(await finished).toBe(1);
    expect(stderr.text).toContain(problem);
    expect(stderr.text).not.toContain('    at ');
  });

  it('with a second component of a plugin that serves the same path', async () => {
    await configure({ greeter: '{}', 'greeter/again': '{}' });
    const { finished, stderr } = new CollectHere({ config: [join(folder, 'faultline.yaml')] });
    expect(await finished).toBe(1);
    expect(stderr.text).toContain('greeter/again and greeter both serve GET /hello/{name}');
  });
});
