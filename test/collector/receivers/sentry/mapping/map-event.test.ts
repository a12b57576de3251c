import fc from 'fast-check';
import { mapSentryEvent } from '../../../../../collector/receivers/sentry/mapping/map-event.js';
import { at } from '../../../../../collector/receivers/sentry/mapping/map-values.js';
import type { JsonObject, JsonValue } from '../../../../../core/event/json.js';
import { RAW_PAYLOAD_KEYS } from '../../../../../core/event/raw-payload.js';
import { computeFingerprint } from '../../../../core/fingerprint/compute-fingerprint.js';
import { accepted, contextOf, mapped, sentryPart } from './mapped.js';

describe('app, service and environment of a Sentry event', () => {
  const event = {
    release: 'shop@1.0',
    tags: { app: 'tagged', service: 'tagged-service' },
    contexts: { app: { app_name: 'named' }, otel: { resource: { 'service.name': 'resource' } } },
  };

  it('are those of the project, after a service tag', () => {
    const { app, service } = mapped(event, { project: { id: '1', app: 'set', service: 'set-service', env: 'dev' } });
    expect([app, service]).toEqual(['set', 'tagged-service']);
    expect(mapped({}, { project: { id: '1', app: 'set', service: 'set-service', env: 'dev' } })).toMatchObject({
      app: 'set',
      service: 'set-service',
      env: 'dev',
    });
  });

  it.each<[string, JsonObject, string, string]>([
    ['the tags', event, 'tagged', 'tagged-service'],
    ['the contexts', { ...event, tags: {} }, 'named', 'resource'],
    ['the package of the release', { release: '@acme/shop@1.0' }, '@acme/shop', '@acme/shop'],
    ['the project, for a release without a package', { release: '1.0' }, 'project-42', 'project-42'],
    ['the project, for invalid names', { release: {}, tags: { app: ' ' }, contexts: [] }, 'project-42', 'project-42'],
  ])('are else those of %s', (_, sent, app, service) => {
    expect(mapped(sent)).toMatchObject({ app, service });
  });

  it('include the environment of the event, else that of the project', () => {
    expect(mapped({ environment: 'staging' }).env).toBe('staging');
    expect(mapped({ environment: '' }).env).toBe('production');
    expect(mapped({ environment: ['staging', 'eu'] }).env).toBe('production');
  });
});

describe('tags of a Sentry event', () => {
  const tags = { tenant: 'acme', attempt: '2', ok: 'true' };

  it.each<[string, JsonValue]>([
    ['an object', { tenant: 'acme', attempt: 2, ok: true, gone: null }],
    [
      'pairs',
      [
        ['tenant', 'acme'],
        ['attempt', 2],
        ['ok', true],
        ['gone', null],
      ],
    ],
  ])('are texts from %s, without nulls', (_, sent) => {
    const payload = mapped({ tags: sent });
    expect(payload.tags).toEqual(tags);
    expect(sentryPart(payload, 'tags')).toBeUndefined();
  });

  it('keep values that cannot be a tag in extra', () => {
    const payload = mapped({ tags: [['a', { b: 1 }], 'odd', ['c', 'd']] });
    expect(payload.tags).toEqual({ c: 'd' });
    expect(sentryPart(payload, 'tags')).toEqual([['a', { b: 1 }], 'odd']);
  });

  it('include the origin of the event, after its own tags', () => {
    const payload = mapped({
      tags: { logger: 'mine' },
      logger: 'root',
      dist: '7',
      platform: 'node',
      server_name: 'h',
      sdk: { name: 's' },
    });
    expect(payload.tags).toEqual({ logger: 'mine', dist: '7', platform: 'node', server_name: 'h', sdk: 's' });
  });
});

describe('the main exception of a Sentry event', () => {
  const one = { type: 'TypeError', value: 'no price' };

  it.each<[string, JsonValue]>([
    ['values', { values: [{ type: 'Old', value: 'x' }, one] }],
    ['a bare list', [one]],
    ['a bare object', one],
    ['a list with odd members', [null, one, 'odd']],
  ])('is the last one of %s', (_, exception) => {
    expect(mapped({ exception })).toMatchObject({ error_name: 'TypeError', message: 'no price' });
  });

  it('keeps the type of a synthetic exception, and has no name without a type', () => {
    const mechanism = { synthetic: true };
    expect(mapped({ exception: [{ type: 'Error', value: 'Object captured', mechanism }] }).error_name).toBe('Error');
    const message = mapped({ message: 'said', exception: [{ value: 'carried', mechanism }] });
    expect(message).toMatchObject({ error_name: '', message: 'said' });
  });

  it('keeps a chain in the order of its parents and ignores other branches', () => {
    const of = (
      type: string,
      exception_id: number,
      parent_id: number | undefined,
      more: JsonObject = {},
    ): JsonObject => ({
      type,
      value: type,
      mechanism: { exception_id, ...(parent_id === undefined ? {} : { parent_id }), ...more },
      stacktrace: { frames: [{ function: `in${type}`, filename: 'a.js', lineno: 1 }] },
    });
    const exception = [
      of('Other', 3, 2),
      of('Root', 4, 1),
      of('Member', 2, 0),
      of('Member', 1, 0),
      of('Group', 0, undefined, { is_exception_group: true }),
    ];
    // Both members have the same type and stack, so the later one represents the group; `Other` belongs to the first one.
    const payload = mapped({ exception });
    expect(payload.error_name).toBe('Group');
    expect(payload.stack?.split('\n')[0]).toBe(' at inGroup (a.js:1)');
    expect(sentryPart(payload, 'mapping')).toMatchObject({ exceptions: [4, 3, 1] });
  });

  const raising = (
    type: string,
    line: string | undefined,
    after: readonly string[] = [],
    source?: string,
  ): JsonObject => ({
    type,
    value: type,
    mechanism: source === undefined ? {} : { source },
    stacktrace: {
      frames: [
        { function: `in${type}`, filename: 'a.py', context_line: line ?? null, post_context: [...after], in_app: true },
      ],
    },
  });

  it.each<[string, JsonObject[], number[]]>([
    ['no link', [raising('Inner', 'raise Inner()'), raising('Outer', "    raise Outer('a from b')")], [1]],
    ['a lookup that failed', [raising('Inner', 'raise Inner()'), raising('Outer', 'cart["sku"]', ['x from y'])], [1]],
    ['from', [raising('Inner', 'raise Inner()'), raising('Outer', 'except Inner as e: raise Outer(1) from e')], [1, 0]],
    ['from in a later line', [raising('Inner', ''), raising('Outer', 'raise Outer(', ['  "(",', ') from e'])], [1, 0]],
    ['from in the next statement', [raising('Inner', ''), raising('Outer', 'raise Outer(1)', ['yield from x'])], [1]],
    ['no source', [raising('Inner', undefined), raising('Outer', undefined)], [1, 0]],
    ['the source __context__', [raising('Inner', '', [], '__context__'), raising('Outer', 'raise O from e')], [1]],
    ['the source __cause__', [raising('Inner', '', [], '__cause__'), raising('Outer', 'raise Outer()')], [1, 0]],
    ['an endless statement', [raising('Inner', ''), raising('Outer', `raise Outer(${'('.repeat(100_000)}`)], [1]],
  ])('that was raised while another was handled is caused by it only with a link: %s', (_, exception, causes) => {
    const payload = mapped({ platform: 'python', exception });
    expect(sentryPart(payload, 'mapping')).toMatchObject({ exceptions: causes });
    expect(payload.stack).toContain(causes.length === 1 ? '\nWhile handling: Inner' : '\nCaused by: Inner');
    expect(payload.error_name).toBe('Outer');
    expect(computeFingerprint(payload).title).toBe(causes.length === 1 ? 'Outer: Outer' : 'Inner: Inner');
  });

  it('is never titled by a cancellation that became a timeout', () => {
    const exception = [raising('CancelledError', ''), raising('TimeoutError', 'raise TimeoutError from e')];
    expect(computeFingerprint(mapped({ platform: 'python', exception })).title).toBe('TimeoutError: TimeoutError');
  });

  it('has the message of what wraps it, if a chain of Go has one stack for all', () => {
    const titleOf = (value: string) =>
      computeFingerprint(
        mapped({
          platform: 'go',
          exception: [
            { type: '*errors.errorString', value: 'row not found' },
            { ...raising('*fmt.wrapError', undefined), value },
          ],
        }),
      ).title;
    expect(titleOf('load cart: row not found')).toBe('*errors.errorString: load cart: row not found');
    expect(titleOf('load cart')).toBe('*errors.errorString: row not found');
  });

  const javaException = (type: string, id: number | null, mechanism: JsonObject = {}): JsonObject => ({
    type,
    value: `${type} in the cart`,
    module: 'java.lang',
    mechanism: { ...mechanism, ...(id === null ? {} : { exception_id: id }) },
    stacktrace: { frames: [{ module: 'com.shop.Cart', function: `in${type}`, filename: 'Cart.java', in_app: true }] },
  });
  const MAIN = javaException('MainFailure', 0, { type: 'UncaughtExceptionHandler' });
  const CAUSE = javaException('CauseFailure', 1, { type: 'chained', parent_id: 0 });
  const CLOSE = javaException('CloseFailure', 2, { type: 'suppressed', parent_id: 0 });

  it.each<[string, JsonObject[], string]>([
    ['before it', [CLOSE, MAIN], 'MainFailure'],
    ['after it', [MAIN, CLOSE], 'MainFailure'],
    ['before its cause', [CLOSE, CAUSE, MAIN], 'CauseFailure'],
    ['after its cause', [CAUSE, CLOSE, MAIN], 'CauseFailure'],
    [
      'with a source',
      [javaException('CloseFailure', 1, { source: 'suppressed[0]', parent_id: 0 }), MAIN],
      'MainFailure',
    ],
    ['with a cause of its own', [javaException('DiskFailure', 3, { parent_id: 2 }), CLOSE, MAIN], 'MainFailure'],
    [
      'without ids',
      [javaException('CloseFailure', null, { type: 'suppressed' }), javaException('MainFailure', null)],
      'MainFailure',
    ],
    [
      'by coroutines',
      [javaException('DiagnosticCoroutineContextException', 1, { parent_id: 0, type: 'chained' }), MAIN],
      'MainFailure',
    ],
    [
      'by a boundary of React',
      [javaException('React ErrorBoundary MainFailure', 1, { parent_id: 0, type: 'chained' }), MAIN],
      'MainFailure',
    ],
  ])('is not one that was suppressed, sent %s', (_, values, root) => {
    const payload = mapped({ platform: 'java', exception: { values } });
    expect(payload.error_name).toBe('MainFailure');
    expect(payload.stack?.split('\n')[0]).toBe(' at com.shop.Cart.inMainFailure (Cart.java)');
    expect(payload.stack).toMatch(
      /\n\tSuppressed: (?:Close|Disk|Diagnostic|React )[\w ]+: .*\n\t at com\.shop\.Cart\.in[\w ]+ \(Cart\.java\)/,
    );
    const { value, title, culprit } = computeFingerprint(payload);
    expect(title).toBe(`${root}: ${root} in the cart`);
    expect(culprit).toBe(`Cart.in${root} (Cart.java)`);
    const alone = { platform: 'java', exception: { values: root === 'MainFailure' ? [MAIN] : [CAUSE, MAIN] } };
    expect(value).toBe(computeFingerprint(mapped(alone)).value);
  });

  it('is one that was suppressed if nothing else was sent', () => {
    expect(mapped({ platform: 'java', exception: { values: [CLOSE] } }).error_name).toBe('CloseFailure');
  });

  it.each([
    ['before it', [CLOSE, MAIN], [1, 0], 'MainFailure'],
    ['after it', [MAIN, CLOSE], [1, 0], 'CloseFailure'],
  ])('is repaired in the mapping of a stored event that was suppressed %s', (_, values, exceptions, errorName) => {
    const payload = mapped({ platform: 'java', exception: { values } });
    const sentry = payload.extra?.['sentry'] as JsonObject;
    const stored = { ...payload, error_name: errorName, extra: { sentry: { ...sentry, mapping: { exceptions } } } };
    const { value, title, culprit } = computeFingerprint(payload);
    expect(computeFingerprint(stored)).toMatchObject({ value, title, culprit });
  });

  it('is found in many nested groups without visiting all of them', () => {
    const values = Array.from({ length: 5_000 }, (_, index) => ({
      type: 'G',
      mechanism: { exception_id: 5_000 - index, parent_id: 5_001 - index, is_exception_group: true },
    }));
    expect(mapped({ exception: { values } }).error_name).toBe('G');
  });
});

describe('the message of a Sentry event', () => {
  it.each<[string, JsonObject, string]>([
    ['the formatted text', { logentry: { message: 'a %s', params: ['b'], formatted: 'a b!' } }, 'a b!'],
    ['%s', { logentry: { message: 'a %s of %5.2f, 100%%', params: ['b', 2] } }, 'a b of 2, 100%'],
    ['%(name)s', { logentry: { message: 'a %(who)s', params: { who: 'b' } } }, 'a b'],
    ['{}', { logentry: { message: 'a {} {}', params: ['b'] } }, 'a b {}'],
    ['{0}', { logentry: { message: '{1} {0}', params: ['b', null] } }, 'null b'],
    ['{name}', { logentry: { message: 'a {Who}', params: { Who: 'b' } } }, 'a b'],
    ['a template without parameters', { logentry: { message: '100%s' } }, '100%s'],
    ["Java's object", { message: { message: 'a {}', params: ['b'], formatted: 'a b' } }, 'a b'],
    ['a plain text', { message: 'plain' }, 'plain'],
    ['a text instead of an object', { logentry: 'plain' }, 'plain'],
    ['its JSON, if it is a list', { message: ['odd', 1] }, '["odd",1]'],
  ])('is %s', (_, event, message) => {
    expect(mapped(event).message).toBe(message);
  });

  it('is bounded if a parameter occurs many times', () => {
    const { message } = mapSentryEvent(
      { logentry: { message: '{0}'.repeat(2_000), params: ['x'.repeat(1_000)] } },
      contextOf(),
    );
    expect(String(message).length).toBeLessThan(80_000);
  });

  it('is the value of an exception, and the template is then not used for the name', () => {
    const payload = mapped({ exception: [{ type: 'E', value: 'v' }], logentry: { message: 'a %s', params: ['b'] } });
    expect(payload.message).toBe('v');
    expect(sentryPart(payload, 'mapping')).toEqual({ project_id: '42', exceptions: [0] });
  });
});

describe('request and user of a Sentry event', () => {
  it.each<[string, JsonValue]>([
    ['an object', { 'x-REQUEST-id': 'r-1', 'X-Correlation-Id': 'c-1' }],
    ['pairs', [['X-Correlation-Id', 'c-1'], ['X-Request-Id', 'r-1'], 'odd', [1, 2]]],
    ['lists of values', { 'x-request-id': ['r-1', 'r-2'] }],
  ])('has the request id in headers as %s', (_, headers) => {
    expect(mapped({ request: { headers } }).request_id).toBe('r-1');
  });

  it('has the trace id as a last resort, with a note', () => {
    const payload = mapped({ contexts: { trace: { trace_id: 'abc' } } });
    expect(payload.request_id).toBe('abc');
    expect(sentryPart(payload, 'mapping')).toEqual({ project_id: '42', request_id_from: 'trace_id' });
    expect(mapped({ tags: { request_id: 'tag' }, contexts: { trace: { trace_id: 'abc' } } }).request_id).toBe('tag');
  });

  it('keeps all of the request', () => {
    const request = {
      url: '/a?b=1',
      data: { card: 'x' },
      headers: { Accept: '*/*', ['__proto__']: 'y' },
      env: { PORT: '80' },
    };
    expect(sentryPart(mapped({ request }), 'request')).toEqual(request);
  });

  it.each<[JsonObject, string | null]>([
    [{ id: 7, username: 'ann' }, '7'],
    [{ id: '', username: 'ann', email: 'a@b.c' }, 'ann'],
    [{ email: 'a@b.c', ip_address: '10.0.0.1' }, 'a@b.c'],
    [{ ip_address: '10.0.0.1' }, '10.0.0.1'],
    [{ ip_address: '{{auto}}' }, null],
  ])('has the user of %j', (user, id) => {
    expect(mapped({ user }).user_id).toBe(id);
  });

  it.each<[JsonObject, string, string | null]>([
    [{ transaction: 'GET /a/{id}', transaction_info: { source: 'route' } }, '/a/{id}', 'GET'],
    [
      { transaction: 'view', transaction_info: { source: 'component' }, request: { url: 'http://h/orders/7?a=1' } },
      '/orders/:id',
      null,
    ],
    [{ transaction: 'tasks.mail', transaction_info: { source: 'component' } }, 'tasks.mail', null],
    [{ transaction: 'app.tasks.mail', transaction_info: { source: 'task' } }, 'app.tasks.mail', null],
    [{ transaction: 'POST /orders/42' }, '/orders/:id', 'POST'],
    [
      { transaction: 'POST /orders/42', request: { url: 'https://h/orders/7?x=1', method: 'put' } },
      '/orders/:id',
      'PUT',
    ],
    [{ transaction: 'Getting started', transaction_info: { source: 'custom' } }, '', null],
    [{ transaction: 7 }, '', null],
  ])('has the route and method of %j', (event, route, method) => {
    expect(mapped(event)).toMatchObject({ route, method });
  });

  it.each<[JsonObject, number | null]>([
    [{ contexts: { response: { status_code: 503 } }, tags: { status_code: '404' } }, 503],
    [{ contexts: { response: { status_code: 'odd' } }, tags: { status_code: '404' } }, 404],
    [{ tags: { 'http.status_code': 500 } }, 500],
    [{ extra: { status: '402' } }, 402],
    [{ extra: { status: 'paid', status_code: 409 } }, 409],
    [{ exception: [{ type: 'E', mechanism: { data: { status: 401 } } }] }, 401],
    [{ extra: { status: 7 } }, null],
  ])('has the status code of %j', (event, status) => {
    expect(mapped(event).status_code).toBe(status);
  });

  const unhandled = (mechanism: string, members: JsonObject = {}): JsonObject => ({
    exception: [{ type: 'PayError', value: 'refused', mechanism: { type: mechanism, handled: false }, ...members }],
    request: { url: 'https://shop.test/pay/7', method: 'POST' },
  });
  const ofServer = (members: JsonObject): JsonObject => ({ contexts: { trace: { op: 'http.server', ...members } } });

  it.each<[JsonObject, number | null, string | undefined]>([
    [ofServer({ data: { 'http.response.status_code': 502 }, status: 'internal_error' }), 502, undefined],
    [ofServer({ status: 'not_found' }), 404, 'trace_status'],
    [ofServer({ status: 'internal_error' }), 500, 'trace_status'],
    [ofServer({ status: 'unavailable' }), 503, 'trace_status'],
    [ofServer({ status: 'invalid_argument' }), null, undefined],
    [ofServer({ status: 'ok' }), null, undefined],
    [{ contexts: { trace: { op: 'http.client', status: 'not_found' } } }, null, undefined],
    [unhandled('django'), 500, 'unhandled'],
    [unhandled('flask'), 500, 'unhandled'],
    [unhandled('starlette'), 500, 'unhandled'],
    [unhandled('auto.middleware.express'), 500, 'unhandled'],
    [unhandled('auto.function.fastify'), 500, 'unhandled'],
    [unhandled('Spring6ExceptionResolver'), 500, 'unhandled'],
    [unhandled('rack'), 500, 'unhandled'],
    [{ ...unhandled('Spring6ExceptionResolver'), request: null, transaction: 'GET /pay/{id}' }, 500, 'unhandled'],
    [{ ...unhandled('django'), tags: { status_code: '503' } }, 503, undefined],
    [unhandled('starlette', { type: 'HTTPException', value: '503: stock is down' }), 503, 'exception'],
    [
      unhandled('Spring6ExceptionResolver', { type: 'ResponseStatusException', value: '404 NOT_FOUND "no cart"' }),
      404,
      'exception',
    ],
    [unhandled('auto.middleware.express', { type: 'HttpException', value: 'stock is down' }), null, undefined],
    [{ ...unhandled('asgi'), request: null }, null, undefined],
    [unhandled('django', { mechanism: { type: 'django', handled: true } }), null, undefined],
    [unhandled('auto.browser.global_handlers.onerror'), null, undefined],
    [unhandled('onerror'), null, undefined],
    [unhandled('auto.http.client.fetch'), null, undefined],
    [unhandled('auto.node.onunhandledrejection'), null, undefined],
    [unhandled('celery'), null, undefined],
    [unhandled('excepthook'), null, undefined],
  ])('concludes the status code of %j where the event names none', (event, status, from) => {
    const { status_code, extra } = mapped(event);
    expect(status_code).toBe(status);
    expect(at(at(at(extra, 'sentry'), 'mapping'), 'status_code_from')).toBe(from);
  });
});

describe('level and time of a Sentry event', () => {
  it.each<[JsonValue, string]>([
    ['fatal', 'fatal'],
    ['Warning', 'warning'],
    ['warn', 'warn'],
    ['log', 'log'],
    ['sample', 'sample'],
    [null, 'error'],
    [{}, 'error'],
    [10, 'debug'],
    [20, 'info'],
    [30, 'warning'],
    [40, 'error'],
    ['50', 'critical'],
    [60, 'error'],
    [35, 'error'],
    [40.5, 'error'],
    ['3', 'error'],
  ])('has the level %j', (level, expected) => {
    expect(mapped({ level }).level).toBe(expected);
  });

  it.each<[JsonObject, string]>([
    [{ level: 200, level_name: 'INFO' }, 'info'],
    [{ level: 500, channel: 'app' }, 'critical'],
    [{ severity: 'warning' }, 'warning'],
    [{ level: 'fatal', level_name: 'INFO' }, 'fatal'],
  ])('has the level that other members tell if its own tells none: %j', (event, expected) => {
    expect(mapped(event).level).toBe(expected);
  });

  it('has the time corrected if the clock is off by more than a minute, with a note', () => {
    const payload = mapped(
      { timestamp: '2026-11-21T09:00:00.123456789Z' },
      { envelope: { sent_at: '2026-11-21T09:58:00Z' } },
    );
    expect(payload.timestamp).toBe('2026-11-21T09:02:00.123456789Z');
    expect(sentryPart(payload, 'mapping')).toMatchObject({ clock_drift_ms: 120_000 });
    expect(sentryPart(payload, 'timestamp')).toBe('2026-11-21T09:00:00.123456789Z');
  });
});

describe('extra of a Sentry event', () => {
  it('has extra of the user at the top and the rest of the event under sentry', () => {
    const payload = mapped({
      extra: { order: 42, sentry: 'mine' },
      breadcrumbs: [{ message: 'x' }],
      modules: { a: '1' },
      mapping: 'odd',
    });
    expect(payload.extra).toEqual({
      order: 42,
      sentry: {
        breadcrumbs: [{ message: 'x' }],
        modules: { a: '1' },
        extra: { sentry: 'mine' },
        mapping: { project_id: '42', original: 'odd' },
      },
    });
  });

  it('has the exceptions under values for each of their forms', () => {
    const one = { type: 'E' };
    const of = (exception: JsonValue) => sentryPart(mapped({ exception }), 'exception');
    expect([of(one), of([one]), of({ values: [one], note: 1 }), of('odd')]).toEqual([
      { values: [one] },
      { values: [one] },
      { values: [one], note: 1 },
      { values: [{ value: 'odd' }] },
    ]);
  });

  it('treats __proto__ like any other key', () => {
    const event: JsonObject = JSON.parse(
      '{"__proto__":{"level":"fatal"},"extra":{"__proto__":{"a":1}},"tags":{"__proto__":"t"},"contexts":{"__proto__":{"trace":{"trace_id":"x"}}}}',
    );
    const payload = mapped(event);
    expect([payload.level, payload.request_id]).toEqual(['error', null]);
    expect(Object.getOwnPropertyDescriptor(payload.tags, '__proto__')?.value).toBe('t');
    expect(Object.getOwnPropertyDescriptor(payload.extra, '__proto__')?.value).toEqual({ a: 1 });
    expect(Object.getPrototypeOf(payload.extra)).toBe(Object.prototype);
  });
});

/** Any JSON, sometimes a valid value of a field. */
const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>,
  fc.constantFrom<JsonValue>(
    '',
    'text',
    '2026-11-21T10:00:00Z',
    1795255200.5,
    0,
    1,
    true,
    ['{{ default }}', 7],
    [['a', 'b']],
    'POST /orders/42',
  ),
);

/** An object with some of these keys, whose values are sometimes anything. */
function mostly(shape: Record<string, fc.Arbitrary<JsonValue>>): fc.Arbitrary<JsonObject> {
  const members = Object.entries(shape).map(
    ([key, good]) => [key, fc.oneof({ weight: 4, arbitrary: good }, odd)] as const,
  );
  return fc.record({ ...Object.fromEntries(members), ['__proto__']: odd }, { requiredKeys: [] });
}

function anyOf(...keys: string[]): fc.Arbitrary<JsonObject> {
  return mostly(Object.fromEntries(keys.map((key) => [key, odd])));
}

const id = fc.constantFrom<JsonValue>(0, 1, 2, 3);
const flag = fc.constantFrom<JsonValue>(true, false);
const frames = fc.array(anyOf('function', 'filename', 'abs_path', 'module', 'lineno', 'colno', 'in_app', 'package'), {
  maxLength: 3,
});
const holder = { stacktrace: mostly({ frames }), type: odd, value: odd, crashed: flag, current: flag };
const mechanism = mostly({
  exception_id: id,
  parent_id: id,
  is_exception_group: flag,
  synthetic: flag,
  data: anyOf('status'),
});
const list = fc.array(mostly({ ...holder, mechanism }), { maxLength: 4 });
const event = mostly({
  exception: fc.oneof(list, mostly({ values: list })),
  threads: fc.oneof(list, mostly({ values: list })),
  logentry: anyOf('message', 'params', 'formatted'),
  message: anyOf('message', 'params', 'formatted'),
  contexts: mostly({
    trace: anyOf('trace_id'),
    app: anyOf('app_name'),
    otel: anyOf('resource'),
    response: anyOf('status_code'),
  }),
  request: anyOf('url', 'method', 'headers', 'cookies', 'env'),
  user: anyOf('id', 'username', 'email', 'ip_address'),
  transaction_info: anyOf('source'),
  extra: anyOf('status', 'sentry', 'fingerprint', 'a'),
  ...Object.fromEntries(
    ['tags', 'timestamp', 'level', 'release', 'environment', 'transaction', 'fingerprint', 'mapping', 'dist'].map(
      (key) => [key, odd],
    ),
  ),
});

describe('any JSON object', () => {
  it('maps to a payload that the intake accepts and that can be grouped', () => {
    fc.assert(
      fc.property(event, odd, (sent, sentAt) => {
        const candidate = mapSentryEvent(sent, contextOf({ envelope: { sent_at: sentAt } }));
        expect(Object.keys(candidate).sort()).toEqual(RAW_PAYLOAD_KEYS);
        expect(computeFingerprint(accepted(candidate)).value).toHaveLength(32);
      }),
    );
  });

  it('maps at any depth', () => {
    const deep: JsonObject = JSON.parse(`${'{"values":'.repeat(5_000)}1${'}'.repeat(5_000)}`);
    expect(
      mapped({ exception: deep, threads: deep, tags: deep, message: deep, request: deep, extra: deep }).message,
    ).toBe('');
  });
});

describe('a logged message that holds a stack trace', () => {
  const trace =
    'job 71 failed\nTraceback (most recent call last):\n  File "/app/job.py", line 3, in run\n    f()\nKeyError: \'price\'';

  it('is the failure that the trace names, and stays as it was sent', () => {
    const payload = mapped({ platform: 'python', message: trace });
    expect(payload).toMatchObject({
      error_name: 'KeyError',
      message: "'price'",
      stack: expect.stringMatching(/^Trace/),
    });
    expect(sentryPart(payload, 'message')).toBe(trace);
    expect(computeFingerprint(payload)).toMatchObject({
      title: 'KeyError: <text>',
      culprit: expect.stringMatching(/run/),
    });
  });

  it('does not change an exception that the SDK sent', () => {
    const exception = { values: [{ type: 'JobFailure', value: trace }] };
    expect(mapped({ exception })).toMatchObject({ error_name: 'JobFailure', message: trace, stack: null });
  });
});
