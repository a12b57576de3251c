import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject, JsonValue } from '../../../../core/event/json.js';
import { deadLettersOf } from '../../../helpers/dead-letters.js';
import { temporaryFolder } from '../../../helpers/temporary-folder.js';
import { anyValue, attributesJson } from '../../receivers/otlp/bodies.js';
import { encodeByOracle } from '../../receivers/otlp/decode/oracle.js';
import { originOf, type RunningService, settingsFor, startService } from '../../running-service.js';

/** An event with every interface of https://develop.sentry.dev/sdk/data-model/event-payloads/, and those of SDKs before 2013. */
const FRAME = {
  function: 'f',
  module: 'shop.cart',
  filename: 'cart.py',
  abs_path: '/srv/cart.py',
  lineno: 3,
  context_line: 'x',
  pre_context: ['y'],
  post_context: ['z'],
  vars: { a: 'b', nested: { c: 'd' } },
};
const STACKTRACE = { frames: [FRAME], registers: { rip: '0x1' } };
const EXCEPTION = {
  type: 'ValueError',
  value: 'bad',
  module: 'builtins',
  mechanism: { type: 'generic', description: 'x', help_link: 'https://a.example', data: { a: 'b' }, meta: { a: 'b' } },
  stacktrace: STACKTRACE,
};
const REQUEST = {
  method: 'POST',
  url: 'https://shop.example/cart',
  query_string: 'a=b',
  fragment: 'c',
  data: { a: 'b' },
  headers: { Accept: '*/*' },
  cookies: { a: 'b' },
  env: { SERVER_PORT: '80' },
};
const SENTRY_EVENT = {
  platform: 'python',
  logger: 'shop',
  transaction: 'cart',
  server_name: 'web-1',
  dist: '1',
  culprit: 'cart',
  fingerprint: ['a', 'b'],
  exception: { values: [EXCEPTION] },
  threads: { values: [{ id: 1, name: 'main', stacktrace: STACKTRACE }] },
  stacktrace: STACKTRACE,
  logentry: { message: 'order %s', formatted: 'order 1', params: ['1'] },
  request: REQUEST,
  contexts: {
    response: { status_code: 502, headers: { Accept: '*/*' }, cookies: { a: 'b' }, data: { a: 'b' } },
    trace: { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16), op: 'http', data: { a: 'b' } },
    app: { app_version: '1' },
    device: { model: 'x' },
    os: { name: 'Linux' },
    browser: { name: 'Firefox' },
    otel: { attributes: { a: 'b' }, resource: { a: 'b' } },
    state: { state: { type: 'redux', value: { a: 'b' } } },
    own: { a: ['b'] },
  },
  breadcrumbs: { values: [{ type: 'http', category: 'httplib', message: 'GET', data: { url: 'https://a.example' } }] },
  user: { id: '7', username: 'ann', ip_address: '10.0.0.1', name: 'Ann', geo: { city: 'Ulm' }, data: { a: 'b' } },
  tags: { a: 'b' },
  extra: { a: 'b', deep: { list: [{ c: 'd' }] } },
  modules: { flask: '2.0' },
  debug_meta: { images: [{ type: 'macho', code_file: '/lib/x', image_addr: '0x1' }] },
  spans: [{ span_id: 'c'.repeat(16), op: 'http', description: 'GET /', data: { a: 'b' }, tags: { a: 'b' } }],
  sdk: { name: 'sentry.python', version: '1', integrations: ['flask'], packages: [{ name: 'pypi:x', version: '1' }] },
  errors: [{ type: 'invalid_data', name: 'x', value: 'y' }],
  template: { filename: 'a.html', context_line: 'x' },
  'sentry.interfaces.Http': REQUEST,
  'sentry.interfaces.Exception': { type: 'ValueError', value: 'bad', module: 'x' },
  'sentry.interfaces.Stacktrace': STACKTRACE,
  'sentry.interfaces.Message': { message: 'x %s', params: ['y'] },
  'sentry.interfaces.User': { id: '7', data: { a: 'b' } },
  'sentry.interfaces.Query': { query: 'SELECT 1', engine: 'psycopg' },
};
const FAILURE = {
  message: 'failed',
  stack: 'Error: failed\n    at f (/srv/a.js:1:2)',
  request_id: 'r',
  session_id: 's',
  tags: { a: 'b' },
  extra: { a: 'b', deep: { list: [{ c: 'd' }] }, request: REQUEST },
};

type Path = readonly (string | number)[];

/** The paths of all values within a value. */
function pathsIn(value: JsonValue, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const below = Object.entries(value).flatMap(([key, member]) =>
    pathsIn(member, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return [path, ...below];
}

function valueAt(value: JsonValue, path: Path): JsonValue {
  return path.reduce<JsonValue>((found, key) => (found as JsonObject)[key] ?? null, value);
}

function withValue(value: JsonValue, path: Path, replacement: JsonValue): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return replacement;
  const copy = Array.isArray(value) ? [...value] : { ...(value as JsonObject) };
  (copy as JsonObject)[key] = withValue((copy as JsonObject)[key] ?? null, rest, replacement);
  return copy;
}

/** Ways of HTTP clients and frameworks to write a credential, as members of an object. */
const MEMBERS: readonly ((secret: string) => JsonObject)[] = [
  (secret) => ({ headers: { Authorization: `Bearer ${secret}`, Accept: '*/*' } }),
  (secret) => ({
    headers: [
      ['x-api-key', secret],
      ['accept', '*/*'],
    ],
  }),
  (secret) => ({ headers: [{ key: 'Set-Cookie', value: `sid=${secret}; Path=/` }] }),
  (secret) => ({ headers: [{ Key: 'Authorization', Value: [secret] }] }),
  (secret) => ({ headers: { 'set-cookie': ['a=b', `sid=${secret}`] } }),
  (secret) => ({ headers: `Host: a\r\nAuthorization: Basic ${secret}\r\nCookie: a=b` }),
  (secret) => ({ response_headers: ['Host', 'a', 'Cookie', `sid=${secret}`] }),
  (secret) => ({ cookies: { sid: secret } }),
  (secret) => ({ cookies: [{ name: 'sid', value: secret, path: '/' }] }),
  (secret) => ({ cookies: `sid=${secret}; lang=de` }),
  (secret) => ({ environ: { HTTP_COOKIE: `sid=${secret}`, SERVER_PORT: '80' } }),
  (secret) => ({ env: [`API_TOKEN=${secret}`, 'LANG=C'] }),
  (secret) => ({ query_string: `page=1&access_token=${secret}` }),
  (secret) => ({
    query_string: [
      ['page', '1'],
      ['sessionid', secret],
    ],
  }),
  (secret) => ({ url: `https://ann:${secret}@shop.example/?a=b` }),
  (secret) => ({ 'http.request.header.authorization': [secret] }),
  (secret) => ({ request: { data: { password: secret } } }),
  (secret) => ({ response: { body: `{"user":"ann","refresh_token":"${secret}"}` } }),
];

/** Ways to write it in a text. */
const TEXTS: readonly ((secret: string) => string)[] = [
  (secret) => `Authorization: Bearer ${secret}\r\nHost: a`,
  (secret) => `{'headers': {'Cookie': 'sid=${secret}', 'Accept': '*/*'}}`,
  (secret) => `map[Authorization:[Bearer ${secret}] Accept:[*/*]]`,
  (secret) => `GET https://shop.example/?a=b&api_key=${secret}`,
  (secret) => `{"body":"{\\"password\\":\\"${secret}\\"}"}`,
];

interface Placed {
  readonly where: string;
  readonly value: JsonValue;
}

const SECRET = /Zq7k\d{6}Wv/g;
let secrets = 0;
const places = new Map<string, string>();

function nextSecret(where: string): string {
  secrets += 1;
  const secret = `Zq7k${String(secrets).padStart(6, '0')}Wv`;
  places.set(secret, where);
  return secret;
}

/** Each place gets every `step`th way to write a credential, its neighbours the others. */
function waysAt<Way>(ways: readonly Way[], place: number, step: number): [way: Way, index: number][] {
  return ways.map((way, index): [Way, number] => [way, index]).filter(([, index]) => (index + place) % step === 0);
}

/** A copy of a template for each object in it, with each way to write a credential there. */
function withMembers(template: JsonObject, name: string): Placed[] {
  const objects = pathsIn(template).filter((path) => {
    const value = valueAt(template, path);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  });
  return objects.flatMap((path, place) =>
    waysAt(MEMBERS, place, objects.length > 10 ? 3 : 1).map(([make, index]) => {
      const where = `${name} ${path.join('.')} member ${index}`;
      const members = { ...(valueAt(template, path) as JsonObject), ...make(nextSecret(where)) };
      return { where, value: withValue(template, path, members) };
    }),
  );
}

/** The same for each text in it. */
function withTexts(template: JsonObject, name: string): Placed[] {
  const texts = pathsIn(template).filter((path) => typeof valueAt(template, path) === 'string');
  return texts.flatMap((path, place) =>
    waysAt(TEXTS, place, 2).map(([make, index]) => {
      const where = `${name} ${path.join('.')} text ${index}`;
      return { where, value: withValue(template, path, make(nextSecret(where))) };
    }),
  );
}

/** Parts of OTLP that hold attributes or a body. */
const OTLP_PARTS = ['resource', 'scope', 'record', 'body', 'span', 'event', 'link'] as const;

function otlpRequest(part: (typeof OTLP_PARTS)[number], values: JsonObject): ['logs' | 'traces', JsonObject] {
  const of = (one: string, others: JsonObject = {}) => attributesJson(one === part ? { ...others, ...values } : others);
  const resource = { attributes: of('resource', { 'service.name': 'shop' }) };
  const scope = { name: 'x', attributes: of('scope') };
  if (part === 'span' || part === 'event' || part === 'link') {
    const ids = { traceId: 'a'.repeat(32), spanId: String(secrets).padStart(16, '0') };
    const exception = { 'exception.type': 'Error', 'exception.message': `failed ${secrets}` };
    const events = [{ name: 'exception', timeUnixNano: '1790000000000000000', attributes: of('event', exception) }];
    const links = [{ ...ids, attributes: of('link') }];
    const times = { startTimeUnixNano: '1790000000000000000', endTimeUnixNano: '1790000000000000001' };
    const span = {
      ...ids,
      ...times,
      name: 'GET /',
      kind: 2,
      status: { code: 2 },
      attributes: of('span'),
      events,
      links,
    };
    return ['traces', { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: [span] }] }] }];
  }
  const body = anyValue(part === 'body' ? { msg: `failed ${secrets}`, ...values } : `failed ${secrets}`);
  const record = { timeUnixNano: '1790000000000000000', severityNumber: 17, body, attributes: of('record') };
  return ['logs', { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords: [record] }] }] }];
}

function otlpRequests(): [where: string, signal: 'logs' | 'traces', request: JsonObject][] {
  const ways = [...MEMBERS, ...TEXTS.map((make) => (secret: string) => ({ note: make(secret) }))];
  return OTLP_PARTS.flatMap((part) =>
    ways.map((make, index): [string, 'logs' | 'traces', JsonObject] => {
      const where = `OTLP ${part} ${index}`;
      return [where, ...otlpRequest(part, make(nextSecret(where)))];
    }),
  );
}

async function post(url: string, body: string | Buffer, contentType: string): Promise<number> {
  const headers = { 'content-type': contentType, 'x-sentry-auth': 'Sentry sentry_key=a, sentry_version=7' };
  const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(Buffer.from(body)) });
  await response.arrayBuffer();
  return response.status;
}

const ENVELOPE = 'application/x-sentry-envelope';

async function sendSentry(origin: string, value: JsonValue): Promise<number> {
  return post(`${origin}/api/1/envelope/`, `{}\n{"type":"event"}\n${JSON.stringify(value)}\n`, ENVELOPE);
}

/** Which of the secrets are in any file of a folder, or in the bytes that dead letters hold. */
async function leaksIn(directory: string): Promise<string[]> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'));
  for (const letter of await deadLettersOf(directory)) {
    const { kind, value } = letter?.content ?? {};
    if (kind === 'base64') texts.push(Buffer.from(String(value), 'base64').toString('latin1'));
  }
  const found = new Set(texts.flatMap((text) => text.match(SECRET) ?? []));
  return [...found].map((secret) => places.get(secret) ?? secret).sort();
}

async function startReceivers(processors: string): Promise<[RunningService, string]> {
  const directory = await temporaryFolder();
  const running = await startService(
    settingsFor(
      directory,
      'processors.redaction={}',
      'service.pipelines.events.receivers=[events,sentry,otlp]',
      'receivers.sentry.endpoint=127.0.0.1:0',
      'receivers.otlp.protocols.http.endpoint=127.0.0.1:0',
      'receivers.otlp.protocols.grpc.endpoint=127.0.0.1:0',
      `service.pipelines.events.processors=${processors}`,
    ),
  );
  return [running, directory];
}

/** Sends all and returns what leaked; checks that everything was stored, or kept as a dead letter if `isBroken`. */
async function leaks(
  processors: string,
  send: (running: RunningService) => Promise<number>[],
): Promise<[leaked: string[], statuses: number[], sent: number]> {
  const [running, directory] = await startReceivers(processors);
  const statuses = await Promise.all(send(running));
  await running.service.shutdown();
  return [await leaksIn(directory), [...new Set(statuses)], statuses.length];
}

describe.each([
  ['with redaction', '[redaction]', true],
  ['without redaction', '[]', false],
])('a credential, in a collector %s', (_, processors, hasTexts) => {
  it('is in no file, wherever in a Sentry event it stands', async () => {
    const sent = [
      ...withMembers(SENTRY_EVENT, 'Sentry'),
      ...(hasTexts ? withTexts(SENTRY_EVENT, 'Sentry').filter(isMasked) : []),
    ];
    const [leaked, statuses, count] = await leaks(processors, (running) =>
      sent.map(({ value }) => sendSentry(originOf(running, 'sentry'), value)),
    );
    expect([leaked, statuses]).toEqual([[], [200]]);
    expect(count).toBeGreaterThan(300);
  });

  it('is in no file, wherever in a failure of /v1/events it stands', async () => {
    const base = { app: 'a', service: 's', env: 'e', error_name: 'E', route: '/', ...FAILURE };
    const sent = [
      ...withMembers(base, 'events').filter(
        ({ where }) => !where.startsWith('events  ') && !where.startsWith('events tags '),
      ),
      ...(hasTexts ? withTexts(base, 'events').filter(isMasked) : []),
    ];
    const [leaked, statuses] = await leaks(processors, (running) =>
      sent.map(({ value }) => post(running.eventsUrl, JSON.stringify(value), 'application/json')),
    );
    expect([leaked, statuses]).toEqual([[], [200]]);
  });

  it('is in no file, wherever in OTLP it stands, as JSON and as protobuf', async () => {
    const requests = hasTexts ? otlpRequests() : otlpRequests().filter(([where]) => isOfMember(where));
    const [leaked, statuses] = await leaks(processors, (running) => {
      const origin = originOf(running, 'otlp');
      return requests.flatMap(([, signal, request]) => [
        post(`${origin}/v1/${signal}`, JSON.stringify(request), 'application/json'),
        post(`${origin}/v1/${signal}`, encodeByOracle(signal, request), 'application/x-protobuf'),
      ]);
    });
    expect([leaked, statuses]).toEqual([[], [200]]);
  });

  it('is in no dead letter of a payload that breaks off', async () => {
    const [leaked, statuses] = await leaks(processors, (running) => {
      const origin = originOf(running, 'sentry');
      const broken = withMembers({ extra: {} }, 'broken').map(({ value }) => JSON.stringify(value).slice(0, -1));
      const otlp = otlpRequests().filter(([where]) => isOfMember(where) && !isWrapped(where));
      return [
        ...broken.map((text) => post(`${origin}/api/1/envelope/`, `{}\n{"type":"event"}\n${text}\n`, ENVELOPE)),
        ...broken.map((text) => post(running.eventsUrl, text, 'application/json')),
        ...otlp.flatMap(([, signal, request]) => [
          post(`${originOf(running, 'otlp')}/v1/${signal}`, JSON.stringify(request).slice(0, -1), 'application/json'),
          post(
            `${originOf(running, 'otlp')}/v1/${signal}`,
            encodeByOracle(signal, request).subarray(0, -1),
            'application/x-protobuf',
          ),
        ]),
      ];
    });
    expect([leaked, statuses.includes(500)]).toEqual([[], false]);
  });
});

/** Events are found by these, so redaction does not look at them. */
function isMasked({ where }: Placed): boolean {
  return !/ (?:request\.method|sentry\.interfaces\.Http\.method|app|service|env|level|release|method) text/.test(where);
}

function isOfMember(where: string): boolean {
  return Number(where.split(' ').at(-1)) < MEMBERS.length;
}

/** Pairs and named values, which a list of OTLP values separates. */
function isWrapped(where: string): boolean {
  return [1, 2, 3, 6, 8, 13].includes(Number(where.split(' ').at(-1)));
}
