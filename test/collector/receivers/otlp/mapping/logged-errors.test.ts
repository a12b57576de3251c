import { createFailureLines } from '../../../../../collector/log-parsing/failure-lines.js';
import { failureOfRecord } from '../../../../../collector/receivers/otlp/decode/otlp-failure.js';
import { createRequestFieldReader } from '../../../../../collector/receivers/otlp/mapping/http-attributes.js';
import { createFailureMapper } from '../../../../../collector/receivers/otlp/mapping/map-failure.js';
import type { JsonObject, JsonValue } from '../../../../../core/event/json.js';
import { computeFingerprint } from '../../../../core/fingerprint/compute-fingerprint.js';
import { serverPayload } from '../../../../helpers/payloads.js';
import { logRecord, resource } from '../records.js';

type Values = Readonly<Record<string, JsonValue>>;

const PYTHON = 'Traceback (most recent call last):\n  File "/srv/jobs.py", line 10, in run\n    work(order)\n';
const NODE = 'TypeError: no cart\n    at load (/srv/shop/cart.js:1:2)\n    at serve (/srv/shop/app.js:9:3)';
const JAVA =
  'com.acme.StockException: gone\n\tat com.acme.Orders.place(Orders.java:41)\n\tat com.acme.Main.main(Main.java:9)';
const DOTNET = 'System.IO.IOException: disk full\n   at Acme.Orders.Place(Int32 id) in /src/Orders.cs:line 33';
const GO = 'main.serve\n\t/srv/shop/main.go:31\nmain.main\n\t/srv/shop/main.go:9';
const GO_PANIC = `panic: no stock\n\ngoroutine 1 [running]:\n${GO}`;
const RUST =
  "thread 'main' panicked at src/orders.rs:18:9:\nno stock\nstack backtrace:\n   0: shop::place\n             at ./src/orders.rs:18:9";
const RUBY = "/srv/orders.rb:14:in 'place': no stock (ArgumentError)\n\tfrom /srv/app.rb:3:in '<main>'";
const PHP =
  'PHP Fatal error:  Uncaught RuntimeException: no stock in /srv/orders.php:21\nStack trace:\n#0 /srv/app.php(9): place(7)\n#1 {main}\n  thrown in /srv/orders.php on line 21';

const map = createFailureMapper({
  defaults: { service: 'checkout', env: 'production' },
  requestFields: createRequestFieldReader([]),
});

/** Undefined if the record is no failure. */
function payloadOf(body: JsonValue, values: Values = {}, others = {}): JsonObject | undefined {
  const failure = failureOfRecord(logRecord(values, { body, ...others }), 'error');
  return failure && map(failure, { own: undefined, server: undefined });
}

function issueOf(body: JsonValue, values: Values = {}): string {
  return computeFingerprint(serverPayload({ ...payloadOf(body, values), extra: null })).value;
}

describe('the body of a log record', () => {
  it.each<[string, string, string, string]>([
    [`2026-02-03 04:05:06,789 ERROR shop.jobs job 9 failed\n${PYTHON}KeyError: 'sku'`, 'KeyError', "'sku'", 'jobs.py'],
    [
      `2026-02-03T04:05:06.789Z ERROR 1 --- [main] c.a.Orders : failed\n\n${JAVA}`,
      'com.acme.StockException',
      'gone',
      'Orders.java',
    ],
    [`Exception in thread "main" ${JAVA}`, 'com.acme.StockException', 'gone', 'Orders.java'],
    [`Unhandled exception. ${DOTNET}`, 'System.IO.IOException', 'disk full', 'Orders.cs'],
    [`[04:05:06 ERR] Order 7 failed\n${DOTNET}`, 'System.IO.IOException', 'disk full', 'Orders.cs'],
    [
      `2026-02-03 04:05:06.7890|ERROR|Acme.Orders|Order failed ${DOTNET}`,
      'System.IO.IOException',
      'disk full',
      'Orders.cs',
    ],
    [`checkout failed: ${NODE}`, 'TypeError', 'no cart', 'cart.js'],
    [RUBY, 'ArgumentError', 'no stock', 'orders.rb'],
    [PHP, 'RuntimeException', 'no stock', 'orders.php'],
    [GO_PANIC, 'panic', 'no stock', 'main.go'],
    [RUST, 'panic', 'no stock', 'orders.rs'],
  ])('%j is read as the text of a log file is', (body, error_name, message, inStack) => {
    const expected = { error_name, message, stack: expect.stringContaining(inStack), extra: { otlp: { body } } };
    expect(payloadOf(body)).toMatchObject(expected);
    expect(payloadOf({ log: body, stream: 'stderr' })).toMatchObject({ error_name, message });
    expect(payloadOf(body.split('\n'))).toMatchObject({ error_name, message });
  });

  it.each<[JsonObject, string, string, string | null]>([
    [{ msg: 'failed', err: { type: 'CartError', message: 'empty', stack: NODE } }, 'CartError', 'empty', NODE],
    [{ message: 'failed', error: { name: 'CartError', msg: 'empty', stacktrace: NODE } }, 'CartError', 'empty', NODE],
    [{ message: 'failed', exception: { class: 'E1', message: 'm', stack_trace: JAVA } }, 'E1', 'm', JAVA],
    [{ message: 'failed', exception: JAVA }, 'com.acme.StockException', 'gone', JAVA],
    [{ '@mt': 'Order {Id} failed', '@x': DOTNET }, 'System.IO.IOException', 'disk full', DOTNET],
    [{ message: 'failed', 'error.type': 'E2', 'error.message': 'm', 'error.stack_trace': JAVA }, 'E2', 'm', JAVA],
    [{ event: 'failed', exception: `${PYTHON}KeyError: 1` }, 'KeyError', '1', `${PYTHON}KeyError: 1`],
    [{ name: 'TypeError', message: NODE }, 'TypeError', 'no cart', NODE],
    [{ msg: 'order failed', error: 'disk full' }, '', 'order failed: disk full', null],
  ])(
    'of %j is read as the same JSON line of a log file is, as a map and as text',
    (body, error_name, message, stack) => {
      const expected = { error_name, message, stack };
      expect(payloadOf(body)).toMatchObject({ ...expected, extra: { otlp: { body } } });
      expect(payloadOf(JSON.stringify(body))).toMatchObject(expected);
      expect(payloadOf({ log: JSON.stringify(body), stream: 'stderr' })).toMatchObject(expected);
      expect(payloadOf('', { ...body, 'order.id': 7 })).toMatchObject(expected);
    },
  );

  it('may be a list of texts and an error', () => {
    expect(
      payloadOf(['order failed', { name: 'E', err: { name: 'CartError', message: 'empty', stack: NODE } }]),
    ).toMatchObject({
      error_name: 'CartError',
      message: 'empty',
    });
  });

  it.each([
    ['{"msg":', { error_name: '', message: '{"msg":' }],
    ['[1,2]', { error_name: '', message: '[1,2]' }],
    ['{"__proto__":{"msg":"x"},"msg":"m"}', { error_name: '', message: 'm' }],
    [42, { error_name: '', message: '42' }],
  ])('of %j stays a message', (body, expected) => {
    expect(payloadOf(body)).toMatchObject(expected);
  });

  it('says what attributes do not of the request', () => {
    const body = {
      msg: 'failed',
      user_id: 'u-7',
      method: 'POST',
      path: '/orders/42?full=1',
      status: 500,
      app: 'other',
    };
    const request = { user_id: 'u-7', method: 'POST', route: '/orders/:id', status_code: 500, app: 'checkout' };
    expect(payloadOf(body)).toMatchObject({ ...request, extra: { otlp: { body } } });
    expect(payloadOf(JSON.stringify(body))).toMatchObject(request);
    expect(payloadOf(body, { 'user.id': 'u-8', 'http.route': '/orders/{id}' })).toMatchObject({
      ...request,
      user_id: 'u-8',
      route: '/orders/{id}',
    });
    expect(payloadOf('user_id=u-7')).toMatchObject({ user_id: null, route: '', method: null });
  });

  it('is an issue for each place and each reason', () => {
    const lines = [
      `job 71 failed\n${PYTHON}KeyError: 1`,
      `job 72 failed\n${PYTHON.replaceAll('jobs', 'mail')}KeyError: 1`,
    ];
    expect(new Set(lines.map((line) => issueOf(line))).size).toBe(2);
    const reasons = ['disk full', 'card declined'];
    expect(new Set(reasons.map((error) => issueOf('payment failed', { error }))).size).toBe(2);
    const ofZap = (message: string) => ({
      'exception.type': '*errors.errorString',
      'exception.message': message,
      'exception.stacktrace': GO,
    });
    expect(new Set(reasons.map((reason) => issueOf('payment failed', ofZap(reason)))).size).toBe(2);
  });
});

describe('a log record with a part of an exception', () => {
  it.each<[Values, string, string, string | null]>([
    [{ 'exception.stacktrace': JAVA }, 'com.acme.StockException', 'gone', JAVA],
    [
      { 'exception.stacktrace': `${PYTHON}shop.CartError: empty` },
      'shop.CartError',
      'empty',
      `${PYTHON}shop.CartError: empty`,
    ],
    [{ 'exception.stacktrace': NODE.split('\n') }, 'TypeError', 'no cart', NODE],
    [{ 'exception.type': 'CartError' }, 'CartError', 'order failed', null],
    [{ 'exception.type': 'CartError', 'exception.message': 'empty' }, 'CartError', 'empty', null],
    [{ 'error.type': 'CartError', 'error.message': 'empty', 'error.stack': NODE }, 'CartError', 'empty', NODE],
    [{ 'error.type': '_OTHER' }, '', 'order failed', null],
    [{ 'code.stacktrace': GO }, '', 'order failed', GO],
    [{ err: JSON.stringify({ name: 'CartError', message: 'empty', stack: NODE }) }, 'CartError', 'empty', NODE],
    [{ 'log.record.original': `ERROR order failed\n${PYTHON}KeyError: 1` }, 'KeyError', '1', `${PYTHON}KeyError: 1`],
    [{ 'log.record.original': 'ERROR order failed' }, '', 'order failed', null],
    [{ stack: 'web-prod' }, '', 'order failed', null],
  ])('%j has its name, message and stack', (values, error_name, message, stack) => {
    expect(payloadOf('order failed', values)).toMatchObject({ error_name, message, stack });
  });

  it('is read from JSON of a bounded length', () => {
    const err = (length: number) => JSON.stringify({ name: 'CartError', message: 'empty', note: 'x'.repeat(length) });
    const named = (length: number) => payloadOf('order failed', { error: err(length), err: err(length) });
    expect(named(100_000)).toMatchObject({ error_name: 'CartError' });
    expect(named(400_000)?.['error_name']).toBe('');
  });

  it.each<[string, Values, string]>([
    ['payment failed', { error: 'disk full' }, 'payment failed: disk full'],
    ['payment failed', { err: 'disk full' }, 'payment failed: disk full'],
    ['payment failed', { 'exception.message': 'disk full' }, 'payment failed: disk full'],
    ['payment failed', { 'error.message': 'disk full' }, 'payment failed: disk full'],
    ['payment failed', { error: { code: 'ECONNREFUSED' } }, 'payment failed: ECONNREFUSED'],
    ['payment failed', { error: 'disk full', 'code.stacktrace': GO }, 'payment failed: disk full'],
    ['payment failed: disk full', { error: 'disk full' }, 'payment failed: disk full'],
    ['Payment failed: Disk full', { error: 'disk full' }, 'Payment failed: Disk full'],
    ['payment failed', { error: 'true' }, 'payment failed'],
    ['payment failed', { error: true }, 'payment failed'],
    ['', { error: 'disk full' }, 'disk full'],
    [
      'payment failed',
      { 'exception.type': '*fs.PathError', 'exception.message': 'disk full' },
      'payment failed: disk full',
    ],
  ])('says what the logger and the error say: %j and %j', (body, values, message) => {
    expect(payloadOf(body, values)).toMatchObject({ message });
  });

  it('keeps what its message joins', () => {
    const values = { 'exception.type': '*fs.PathError', 'exception.message': 'disk full' };
    expect(payloadOf('payment failed', values)?.['extra']).toEqual({
      otlp: {
        attributes: { 'exception.message': 'disk full' },
        body: 'payment failed',
        severity_number: 17,
      },
    });
  });

  it('of a program in Go says both whatever the type is', () => {
    const values = { 'exception.type': 'example.com/pay.Declined', 'exception.message': 'card declined' };
    const ofGo = { resource: resource({ 'telemetry.sdk.language': 'go' }) };
    expect(payloadOf('payment failed', values, ofGo)).toMatchObject({
      error_name: 'example.com/pay.Declined',
      message: 'payment failed: card declined',
    });
    expect(payloadOf(GO_PANIC, {}, ofGo)).toMatchObject({ error_name: 'panic', message: 'no stock' });
  });
});

describe('a log record without severity', () => {
  const unset = { severityNumber: 0 };

  it.each<[JsonValue, Values, string]>([
    ['{"level":"fatal","msg":"x"}', {}, 'fatal'],
    [{ level: 'error', msg: 'x' }, {}, 'error'],
    ['x', { level: 'error' }, 'error'],
    [`job failed\n${PYTHON}KeyError: 1`, {}, 'error'],
    ['x', { err: { stack: NODE } }, 'error'],
  ])('with body %j and %j is a failure as a line of a log file is', (body, values, level) => {
    expect(payloadOf(body, values, unset)).toMatchObject({ level });
  });

  it.each([
    ['time=2026-02-03T04:05:06Z level=error msg="order failed" err="disk full"', 'order failed: disk full'],
    ['E0203 04:05:06.123456       1 leader.go:330] order failed', 'order failed'],
    [
      '2026-02-03T04:05:06.789Z\tERROR\tshop/shop.go:12\torder failed\t{"error": "disk full"}',
      'order failed: disk full',
    ],
    ["terminate called after throwing an instance of 'Full'\n  what():  order failed", 'order failed'],
  ])('with the printed line %j has the message of that line', (body, message) => {
    expect(payloadOf(body, {}, unset)).toMatchObject({ message, extra: { otlp: { body } } });
    expect(payloadOf({ log: body, stream: 'stderr' }, {}, unset)).toMatchObject({ message });
  });

  it.each([
    'PHP Fatal error:  Uncaught RuntimeException: no stock in /srv/orders.php:21',
    "/srv/orders.rb:14:in 'place': no stock (ArgumentError)",
    '** (ShopError) no stock',
    'Exception in thread "main" java.lang.IllegalStateException: no stock',
    RUST,
    GO_PANIC,
  ])('with body %j has the name, message, stack and level of that text in a log file', (body) => {
    const log = createFailureLines('error');
    const found = body.split('\n').flatMap((line, from) => log.push(line, { from, to: from + 1 }));
    const value = [...found, ...log.flush()][0]?.value ?? {};
    expect(value['error_name']).toBeTruthy();
    expect(payloadOf(body, {}, unset)).toMatchObject(value);
  });

  it('differs from one with it, whose line is the message', () => {
    const body = 'E0203 04:05:06.123456       1 leader.go:330] order failed';
    expect(payloadOf(body)).toMatchObject({ message: body });
  });

  it.each<[JsonValue, Values]>([
    ['I0203 04:05:06.123456       1 leader.go:330] order placed', {}],
    ['msg="level=error is the default" level=info', {}],
    ['{"level":"info","msg":"x"}', {}],
    [{ level: 'info', stack: NODE }, {}],
    ['error: in one line', {}],
    ['of\nseveral\nlines', {}],
    ['deployed', { stack: 'web-prod' }],
  ])('with body %j and %j is none', (body, values) => {
    expect(payloadOf(body, values, unset)).toBeUndefined();
  });

  it('is the only one: a lower severity counts, whatever the body says', () => {
    expect(payloadOf(`job failed\n${PYTHON}KeyError: 1`, {}, { severityNumber: 9 })).toBeUndefined();
    expect(payloadOf('{"level":"error","msg":"x"}', {}, { severityNumber: 13 })).toBeUndefined();
    expect(payloadOf(NODE, { err: { stack: NODE } }, { ...unset, severityText: 'INFO' })).toBeUndefined();
  });
});
