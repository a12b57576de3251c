import type { OtlpLogRecord, OtlpSpan, OtlpSpanEvent } from '../../../../../collector/otlp/otlp-records.js';
import {
  type JoinedSpans,
  type KnownSpan,
  toKnownSpan,
} from '../../../../../collector/receivers/otlp/decode/span-cache.js';
import type { ResourceDefaults } from '../../../../../collector/receivers/otlp/mapping/attribute-reader.js';
import { createRequestFieldReader } from '../../../../../collector/receivers/otlp/mapping/http-attributes.js';
import { createFailureMapper } from '../../../../../collector/receivers/otlp/mapping/map-failure.js';
import type { JsonValue } from '../../../../../core/event/json.js';
import { RAW_PAYLOAD_KEYS } from '../../../../../core/event/raw-payload.js';
import {
  attributes,
  logRecord,
  resource,
  SERVER_SPAN,
  SPAN,
  STACK,
  scope,
  span,
  spanEvent,
  TIME,
  TRACE,
} from '../records.js';

type Values = Readonly<Record<string, JsonValue>>;

const requestFields = createRequestFieldReader(['request_id', 'reqId']);
const DEFAULTS: ResourceDefaults = { service: 'unknown_service', env: 'production' };
const NOBODY: JoinedSpans = { own: undefined, server: undefined };

const mapWith = (defaults: ResourceDefaults) => createFailureMapper({ defaults, requestFields });
const mapLog = (record: OtlpLogRecord, joined = NOBODY) => mapWith(DEFAULTS)({ signal: 'log', record }, joined);
const mapEvent = (event: OtlpSpanEvent, of: OtlpSpan, joined = NOBODY) =>
  mapWith(DEFAULTS)({ signal: 'span_event', span: of, event }, joined);
const known = (of: OtlpSpan): KnownSpan => toKnownSpan(of, requestFields.keys);
const withResource = (values: Values) => logRecord({}, { resource: resource(values) });

describe('the origin of a record', () => {
  it.each<[string, Values, object]>([
    [
      'names app, service, env and release',
      {
        'service.namespace': 'shop',
        'service.name': 'checkout',
        'deployment.environment.name': 'staging',
        'deployment.environment': 'old',
        'service.version': '1.4.2',
      },
      { app: 'shop', service: 'checkout', env: 'staging', release: '1.4.2' },
    ],
    ['gives the app the name of the service', { 'service.name': 'checkout' }, { app: 'checkout', service: 'checkout' }],
    ['knows the old name of the environment', { 'deployment.environment': 'old' }, { env: 'old' }],
    [
      'falls back on the defaults',
      {},
      { app: 'unknown_service', service: 'unknown_service', env: 'production', release: null },
    ],
    ['takes an empty name for none', { 'service.name': '' }, { service: 'unknown_service' }],
  ])('%s', (_what, values, expected) => {
    expect(mapLog(withResource(values))).toMatchObject(expected);
  });

  it('prefers the configured app to the service name, and the namespace to both', () => {
    const map = mapWith({ ...DEFAULTS, app: 'configured' });
    expect(map({ signal: 'log', record: withResource({ 'service.name': 'a' }) }, NOBODY)['app']).toBe('configured');
    expect(map({ signal: 'log', record: withResource({ 'service.namespace': 'n' }) }, NOBODY)['app']).toBe('n');
  });

  it('has a note if the service has only the default name of an SDK', () => {
    expect(mapLog(withResource({ 'service.name': 'unknown_service:node' }))).toMatchObject({
      service: 'unknown_service:node',
      tags: { 'otlp.unknown_service': 'true' },
    });
    expect(mapLog(withResource({ 'service.name': 'unknown_services' }))['tags']).not.toHaveProperty(
      'otlp.unknown_service',
    );
  });
});

describe('a payload', () => {
  it('has all keys of a raw line in their order for every kind of failure', () => {
    expect(Object.keys(mapLog(logRecord({})))).toEqual(RAW_PAYLOAD_KEYS);
    expect(Object.keys(mapEvent(spanEvent({}), span({})))).toEqual(RAW_PAYLOAD_KEYS);
  });
});

describe('the time and level of a payload', () => {
  it.each([
    [TIME, 5n, '2023-11-14T22:13:20.123456789Z'],
    [0n, TIME, '2023-11-14T22:13:20.123456789Z'],
    [0n, 0n, null],
    [1n, 0n, '1970-01-01T00:00:00.000000001Z'],
    [2n ** 64n - 1n, 0n, '2554-07-21T23:34:33.709551615Z'],
    [2n ** 64n, 0n, null],
  ])('of a record of %s, observed %s, is %s', (timeUnixNano, observedTimeUnixNano, expected) => {
    expect(mapLog(logRecord({}, { timeUnixNano, observedTimeUnixNano }))['timestamp']).toBe(expected);
  });

  it('has the second of its own record, independent of earlier records', () => {
    const map = mapWith(DEFAULTS);
    const at = (timeUnixNano: bigint) => map({ signal: 'log', record: logRecord({}, { timeUnixNano }) }, NOBODY);
    const times = [1_999_999_999n, 2_000_000_000n, 0n, 2_000_000_001n, 1n].map((time) => at(time)['timestamp']);
    expect(times).toEqual([
      '1970-01-01T00:00:01.999999999Z',
      '1970-01-01T00:00:02.000000000Z',
      null,
      '1970-01-01T00:00:02.000000001Z',
      '1970-01-01T00:00:00.000000001Z',
    ]);
  });

  it.each([
    [1, '', 'trace'],
    [8, '', 'debug'],
    [9, '', 'info'],
    [16, '', 'warn'],
    [17, 'info', 'error'],
    [24, '', 'fatal'],
    [25, '', 'info'],
    [25, 'ERROR', 'error'],
    [0, 'WARNING', 'warn'],
    [0, 'ERROR3', 'error'],
    [0, 'Critical', 'fatal'],
    [0, 'whatever', 'info'],
    [-4, '', 'info'],
  ])('of severity %s %j is level %s', (severityNumber, severityText, level) => {
    expect(mapLog(logRecord({}, { severityNumber, severityText }))['level']).toBe(level);
  });

  it('of an exception without severity is error, also on a span', () => {
    expect(mapLog(logRecord({ 'exception.type': 'E' }, { severityNumber: 0 }))['level']).toBe('error');
    expect(mapEvent(spanEvent(), span())['level']).toBe('error');
  });
});

const PYTHON = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\n    ^^^\n';

describe('the name, message and stack of a failure', () => {
  it('have what a Python stack says where the attributes have a bare argument; these stay in extra', () => {
    const values = { 'exception.type': 'KeyError', 'exception.message': 'sku' };
    const payload = mapLog(logRecord({ ...values, 'exception.stacktrace': `${PYTHON}KeyError: 'sku'\n` }));
    expect(payload).toMatchObject({ error_name: 'KeyError', message: "'sku'" });
    expect(payload['extra']).toMatchObject({ otlp: { attributes: { 'exception.message': 'sku' } } });
  });

  it.each(['empty', 'empty\nnote of a handler', 'emp'])('have the message of the attributes beside %j', (text) => {
    const values = { 'exception.type': 'shop.CartError', 'exception.message': 'empty' };
    const payload = mapLog(logRecord({ ...values, 'exception.stacktrace': `${PYTHON}shop.CartError: ${text}\n` }));
    expect(payload).toMatchObject({ error_name: 'shop.CartError', message: 'empty' });
  });

  it('have the note of a Python exception without a message', () => {
    const values = { 'exception.type': 'CartError', 'exception.message': 'empty' };
    const payload = mapLog(logRecord({ ...values, 'exception.stacktrace': `${PYTHON}shop.CartError\nno stock\n` }));
    expect(payload).toMatchObject({ error_name: 'shop.CartError', message: 'no stock' });
  });

  it.each<[string, Values, JsonValue, string]>([
    ['exception.type', { 'exception.type': 'A', 'error.type': 'B', 'exception.stacktrace': STACK }, null, 'A'],
    ['error.type', { 'error.type': 'B', 'exception.stacktrace': STACK }, null, 'B'],
    ['the stack if error.type is _OTHER', { 'error.type': '_OTHER', 'exception.stacktrace': STACK }, null, 'TypeError'],
    ['the stack if error.type is a status', { 'error.type': '500', 'exception.stacktrace': STACK }, null, 'TypeError'],
    [
      'the last line of a Python stack',
      {
        'exception.stacktrace':
          'Traceback (most recent call last):\n  File "a.py", line 1\nshop.errors.CartError: empty\n',
      },
      null,
      'shop.errors.CartError',
    ],
    [
      'a Python stack that qualifies the type',
      { 'exception.type': 'CartError', 'exception.stacktrace': `${PYTHON}shop.errors.CartError: empty\n  at all\n` },
      null,
      'shop.errors.CartError',
    ],
    [
      'a Python stack that leaves the main module out',
      { 'exception.type': '__main__.CartError', 'exception.stacktrace': `${PYTHON}CartError` },
      null,
      'CartError',
    ],
    [
      'the type if a Python stack names another class',
      { 'exception.type': 'CartError', 'exception.stacktrace': `${PYTHON}shop.Other: empty` },
      null,
      'CartError',
    ],
    ['the type in the body', {}, { err: { type: 'C', name: 'D' } }, 'C'],
    ['the name in the body', {}, { err: { name: 'D' } }, 'D'],
    ['nothing', { 'exception.stacktrace': 'at the beginning of the end' }, 'x', ''],
  ])('has the name from %s', (_what, values, body, expected) => {
    expect(mapLog(logRecord(values, { body }))['error_name']).toBe(expected);
  });

  it.each<[string, Values, JsonValue, string]>([
    ['the body and the exception', { 'exception.message': 'boom' }, 'cart failed', 'cart failed: boom'],
    ['the body', {}, 'cart failed', 'cart failed'],
    ['message in the body', {}, { message: 'm' }, 'm'],
    ['msg in the body', {}, { message: 'm', msg: 'n' }, 'n'],
    ['the event name', {}, null, 'shop.cart.exception'],
    ['the event name if the body is not text', {}, [1, 2], 'shop.cart.exception'],
  ])('has the message from %s', (_what, values, body, expected) => {
    expect(mapLog(logRecord(values, { body, eventName: 'shop.cart.exception' }))['message']).toBe(expected);
  });

  it('has a body that is not text as message if nothing else has one', () => {
    expect(mapLog(logRecord({}, { body: { code: 7 } }))['message']).toBe('{"code":7}');
  });

  it('has the message of a span event from the status of its span, else from its name', () => {
    expect(mapEvent(spanEvent(), span({}, { status: { code: 0, message: 'no cart' } }))['message']).toBe('no cart');
    expect(mapEvent(spanEvent(), span())['message']).toBe('exception');
  });

  it('has the stack of the exception, else of the code', () => {
    expect(mapLog(logRecord({ 'exception.stacktrace': STACK, 'code.stacktrace': 'c' }))['stack']).toBe(STACK);
    expect(mapLog(logRecord({ 'code.stacktrace': 'c' }))['stack']).toBe('c');
    expect(mapLog(logRecord())['stack']).toBeNull();
  });

  it('appends the cause in the attributes to a stack that lacks it, and keeps the attributes', () => {
    const causes = {
      'exception.stacktrace': 'Error: a\n    at f (/a.js:1:2)',
      'error.cause.stacktrace': 'RangeError: b',
    };
    const payload = mapLog(logRecord(causes));
    expect(payload['stack']).toBe('Error: a\n    at f (/a.js:1:2)\nCaused by: RangeError: b');
    expect(payload['extra']).toMatchObject({ otlp: { attributes: { 'error.cause.stacktrace': 'RangeError: b' } } });
    const byMessage = { 'exception.stacktrace': 'Error: a', 'exception.cause.message': 'too late' };
    expect(mapLog(logRecord(byMessage))['stack']).toBe('Error: a\nCaused by: too late');
    const whole = { ...causes, 'exception.stacktrace': 'Error: a\n  [cause]: RangeError: b' };
    expect(mapLog(logRecord(whole))['stack']).toBe(whole['exception.stacktrace']);
    expect(mapLog(logRecord({ 'error.cause.stacktrace': 'RangeError: b' }))['stack']).toBeNull();
  });
});

describe('the request', () => {
  it.each<[Values, object]>([
    [{ 'http.request.method': 'GET', 'http.method': 'PUT' }, { method: 'GET' }],
    [{ 'http.request.method': '_OTHER', 'http.request.method_original': 'BREW' }, { method: 'BREW' }],
    [{ 'http.request.method': '_OTHER' }, { method: '_OTHER' }],
    [{ 'http.method': 'PUT' }, { method: 'PUT' }],
    [{ 'http.route': '/a/:id', 'url.template': '/b', 'url.path': '/c' }, { route: '/a/:id' }],
    [{ 'url.template': '/b', 'url.path': '/c' }, { route: '/b' }],
    [{ 'url.path': '/c', 'http.target': '/d' }, { route: '/c' }],
    [{ 'http.target': '/d?x=1#y' }, { route: '/d' }],
    [{ 'url.full': 'https://shop.example.com:8443/e/f?x=1' }, { route: '/e/f' }],
    [{ 'url.full': 'https://shop.example.com' }, { route: '/' }],
    [{ 'http.route': '/throw/2077', 'url.path': '/throw/2077' }, { route: '/throw/2077' }],
    [{ 'url.path': '/throw/2077' }, { route: '/throw/:id' }],
    [{ 'http.target': '/throw/2077?x=1' }, { route: '/throw/:id' }],
    [{ 'url.full': 'https://shop.example.com/throw/0190e5a0-7c1b-7d52-9a39-5f2f7c6f0a11' }, { route: '/throw/:id' }],
    [{ 'http.url': 'http://10.0.0.7:8080/throw/9f4ef63a#top' }, { route: '/throw/:id' }],
    [{ 'http.response.status_code': 500, 'http.status_code': 200 }, { status_code: 500 }],
    [{ 'http.status_code': '503' }, { status_code: 503 }],
    [{ 'http.status_code': 'bad' }, { status_code: null }],
    [{ reqId: 'r2', request_id: 'r1', 'aws.request_id': 'a' }, { request_id: 'r1' }],
    [
      { 'http.request.header.x-request-id': ['h1', 'h2'], 'http.response.header.x-request-id': ['h3'] },
      { request_id: 'h1' },
    ],
    [{ 'http.response.header.x-request-id': ['h3'], 'aws.request_id': 'a' }, { request_id: 'h3' }],
    [{ 'aws.request_id': 'a' }, { request_id: 'a' }],
    [{}, { request_id: TRACE, method: null, route: '', status_code: null, session_id: null, user_id: null }],
    [{ 'session.id': 's' }, { session_id: 's' }],
    [{ 'user.id': 7, 'enduser.id': 'e' }, { user_id: '7' }],
    [{ 'enduser.id': 'e', 'enduser.pseudo.id': 'p' }, { user_id: 'e' }],
    [{ 'enduser.pseudo.id': 'p', 'user.hash': 'h' }, { user_id: 'p' }],
    [{ 'user.hash': 'h' }, { user_id: 'h' }],
  ])('of %j is %j', (values, expected) => {
    expect(mapLog(logRecord(values, { traceId: TRACE }))).toMatchObject(expected);
  });

  const serverSpan = span(
    { 'http.request.method': 'POST', 'url.path': '/cart/7', 'http.response.status_code': 500, request_id: 'r' },
    { spanId: SERVER_SPAN, kind: 2, name: 'POST' },
  );
  const joined = (own: OtlpSpan): JoinedSpans => ({ own: known(own), server: known(serverSpan) });

  it('of an exception on an inner span is that of the serving span if the inner span does not name one', () => {
    const inner = span({ 'http.route': '/cart/:id', 'express.type': 'request_handler' });
    expect(mapEvent(spanEvent(), inner, joined(inner))).toMatchObject({
      method: 'POST',
      route: '/cart/:id',
      status_code: 500,
      request_id: 'r',
      extra: {
        otlp: {
          span: { attributes: { 'express.type': 'request_handler' } },
          server_span: { span_id: SERVER_SPAN, name: 'POST', kind: 2, attributes: { 'url.path': '/cart/7' } },
        },
      },
    });
  });

  it.each<[string, Values, string]>([
    ['GET /shops/{slug}', { 'url.path': '/shops/nike' }, '/shops/{slug}'],
    ['http post /shops/{slug}/cart', { 'http.url': '/shops/nike/cart' }, '/shops/{slug}/cart'],
    ['GET /shops/:slug', { 'http.route': '/:lang/shops/:slug', 'url.path': '/en/shops/nike' }, '/:lang/shops/:slug'],
    ['GET /throw/2077', {}, '/throw/:id'],
    ['GET /*', { 'url.path': '/throw/2077' }, '/throw/:id'],
    ['GET', { 'url.path': '/throw/2077' }, '/throw/:id'],
    ['GET /items/{item_id} http send', {}, ''],
    ['OrdersController#show', {}, ''],
  ])('of a span with the name %s and %j has the route %s', (name, values, route) => {
    const serving = span(values, { name, kind: 2, spanId: SERVER_SPAN });
    expect(mapEvent(spanEvent(), serving)['route']).toBe(route);
    expect(mapEvent(spanEvent(), span(), { own: undefined, server: known(serving) })['route']).toBe(route);
  });

  it('keeps the path that a route stands for', () => {
    const payload = mapEvent(spanEvent(), span({ 'url.path': '/throw/2077' }));
    expect(payload['extra']).toMatchObject({ otlp: { span: { attributes: { 'url.path': '/throw/2077' } } } });
  });

  it('of an exception on an outgoing call is the request that is being served', () => {
    const client = span({ 'http.request.method': 'GET', 'url.full': 'https://bank.example.com/pay' }, { kind: 3 });
    expect(mapEvent(spanEvent(), client, joined(client))).toMatchObject({
      method: 'POST',
      route: '/cart/:id',
      extra: {
        otlp: { span: { attributes: { 'http.request.method': 'GET', 'url.full': 'https://bank.example.com/pay' } } },
      },
    });
    expect(mapEvent(spanEvent(), client)).toMatchObject({ method: 'GET', route: '/pay' });
  });

  it('of a log record is that of the span in which it was written', () => {
    const inner = span({ 'http.route': '/cart/:id' });
    expect(mapLog(logRecord({}, { traceId: TRACE, spanId: SPAN }), joined(inner))).toMatchObject({
      method: 'POST',
      route: '/cart/:id',
      tags: { 'span.name': 'work', 'span.kind': 'internal' },
    });
  });
});

describe('attributes without a field in a payload', () => {
  it('are kept with their types in extra.otlp, or in tags if they help to tell records apart', () => {
    const record = logRecord(
      { 'exception.type': 'TypeError', retries: 3, nested: { a: [true, null] } },
      {
        resource: resource(
          { 'service.name': 'checkout', 'host.name': 'h', 'process.pid': 12, 'telemetry.sdk.language': 'nodejs' },
          { droppedAttributesCount: 1, schemaUrl: 'https://schema.example.com' },
        ),
        scope: scope({ name: 'my.lib', version: '1.0.0', attributes: attributes({ a: 1 }) }),
        observedTimeUnixNano: TIME + 1n,
        severityText: 'ERROR',
        body: { message: 'm', more: 1 },
        droppedAttributesCount: 2,
        flags: 1,
        traceId: TRACE,
        spanId: SPAN,
        eventName: 'exception',
      },
    );
    const { tags, extra } = mapLog(record);
    expect(tags).toEqual({
      trace_id: TRACE,
      span_id: SPAN,
      'event.name': 'exception',
      'otel.scope.name': 'my.lib',
      'otel.scope.version': '1.0.0',
      'otlp.signal': 'log',
      'host.name': 'h',
      'telemetry.sdk.language': 'nodejs',
    });
    expect(extra).toEqual({
      otlp: {
        resource: {
          attributes: { 'process.pid': 12 },
          dropped_attributes_count: 1,
          schema_url: 'https://schema.example.com',
        },
        scope: { name: 'my.lib', version: '1.0.0', attributes: { a: 1 } },
        attributes: { retries: 3, nested: { a: [true, null] } },
        dropped_attributes_count: 2,
        body: { message: 'm', more: 1 },
        event_name: 'exception',
        severity_number: 17,
        severity_text: 'ERROR',
        flags: 1,
        observed_time_unix_nano: '1700000000123456790',
      },
    });
  });

  it('include the original of a value that a field holds in another form', () => {
    const record = logRecord({ 'http.status_code': '503', 'user.id': 7, 'http.target': '/a?b' });
    expect(mapLog(record)).toMatchObject({
      extra: { otlp: { attributes: { 'http.status_code': '503', 'user.id': 7, 'http.target': '/a?b' } } },
    });
  });

  it('may have a key that names a prototype', () => {
    const record = logRecord({}, { attributes: new Map([['__proto__', 'x']]) });
    expect(JSON.stringify(mapLog(record)['extra'])).toContain('"__proto__":"x"');
  });

  it('include the whole span of an exception', () => {
    const of = span(
      { a: 1 },
      {
        parentSpanId: SERVER_SPAN,
        traceState: 'k=v',
        kind: 5,
        startTimeUnixNano: 1n,
        endTimeUnixNano: 2n,
        status: { code: 2, message: 'bad' },
        flags: 1,
        droppedAttributesCount: 4,
      },
    );
    const event = spanEvent({ 'exception.message': 'm', 'exception.escaped': 'True' }, { droppedAttributesCount: 3 });
    expect(mapEvent(event, of)).toMatchObject({
      tags: { 'span.name': 'work', 'span.kind': 'consumer', 'event.name': 'exception', 'otlp.signal': 'span_event' },
      extra: {
        otlp: {
          attributes: { 'exception.escaped': 'True' },
          dropped_attributes_count: 3,
          event_name: 'exception',
          span: {
            name: 'work',
            kind: 5,
            parent_span_id: SERVER_SPAN,
            trace_state: 'k=v',
            start_time_unix_nano: '1',
            end_time_unix_nano: '2',
            attributes: { a: 1 },
            dropped_attributes_count: 4,
            status_code: 2,
            status_message: 'bad',
            flags: 1,
          },
        },
      },
    });
  });
});

describe('a record whose body is a stack trace', () => {
  it('has the name, the message and the stack of the trace, and its body', () => {
    const body =
      'job failed\nTraceback (most recent call last):\n  File "/srv/a.py", line 10, in run\n    f()\nKeyError: 1';
    expect(mapLog(logRecord({}, { body }))).toMatchObject({
      error_name: 'KeyError',
      message: '1',
      stack: expect.stringMatching(/^Traceback/),
      extra: { otlp: { body } },
    });
  });
});
