import type { JsonObject } from '../../../core/event/json.js';
import { computeFingerprint } from '../../core/fingerprint/compute-fingerprint.js';
import { serverPayload } from '../../helpers/payloads.js';
import { failuresOf } from './fixture-lines.js';

const TRACE = 'TypeError: no cart\n    at load (/srv/shop/cart.js:1:2)';

function valuesOf(line: unknown, minSeverity: Parameters<typeof failuresOf>[1] = 'error'): unknown[] {
  return failuresOf([typeof line === 'string' ? line : JSON.stringify(line)], minSeverity).map(({ value }) => value);
}

describe('failures in JSON lines', () => {
  it.each([
    [{ level: 50, msg: 'x' }, 'error'],
    [{ level: 60, msg: 'x' }, 'fatal'],
    [{ level: 'ERROR+2', msg: 'x' }, 'error'],
    [{ severity: 'CRITICAL', message: 'x' }, 'critical'],
    [{ 'log.level': 'error', message: 'x' }, 'error'],
    [{ log: { level: 'Error' }, message: 'x' }, 'error'],
    [{ '@l': 'Fatal', '@t': '2026-11-21T10:00:00Z', '@m': 'x' }, 'fatal'],
    [{ level: 'dpanic', msg: 'x' }, 'dpanic'],
  ])('in %j are one, of level %s', (line, level) => {
    expect(valuesOf(line)).toEqual([expect.objectContaining({ level, message: 'x' })]);
  });

  it.each([
    { level: 40, msg: 'x' },
    { level: 'warn', msg: 'x', stack: TRACE },
    { '@t': '2026-11-21T10:00:00Z', '@m': 'information has no level', '@x': TRACE },
    { level: 'of water', msg: 'x' },
    { msg: 'no level and no stack' },
    [{ level: 'error' }],
    '{"level":"error"',
    '"error"',
    '{}',
  ])('do not include %j', (line) => {
    expect(valuesOf(line)).toEqual([]);
  });

  // https://docs.python.org/3/library/logging.html#logging-levels, Monolog, Google Cloud, RFC 5424 6.2.1, GELF, journald, OpenTelemetry.
  it.each<[string, JsonObject, string]>([
    ['of pino', { level: 60, time: 1_795_284_128_089, pid: 7, msg: 'x' }, 'fatal'],
    ['of bunyan', { name: 'shop', hostname: 'web-1', level: 50, msg: 'x', v: 0 }, 'error'],
    ['of Python', { levelno: 40, message: 'x' }, 'error'],
    ['of Python by other members', { level: 40, message: 'x', funcName: 'pay', lineno: 7 }, 'error'],
    ['of structlog', { level_number: 50, event: 'x' }, 'critical'],
    ['of loguru', { text: 'x', record: { level: { no: 40 }, message: 'x' } }, 'error'],
    ['of Monolog', { message: 'x', level: 400, channel: 'app' }, 'error'],
    ['of Monolog, highest', { message: 'x', level: 600, channel: 'app' }, 'emergency'],
    ['of Google Cloud', { severity: 500, message: 'x' }, 'error'],
    ['of Google Cloud, as text', { severity: '800', message: 'x' }, 'emergency'],
    ['of GELF', { version: '1.1', host: 'web-1', short_message: 'x', level: 3 }, 'error'],
    ['of RFC 5424', { facility: 3, severity: 2, message: 'x' }, 'fatal'],
    ['of journald', { PRIORITY: '3', SYSLOG_IDENTIFIER: 'shop', message: 'x' }, 'error'],
    ['of Logback', { level_value: 40_000, message: 'x' }, 'error'],
    ['of OpenTelemetry', { severity_number: 17, message: 'x' }, 'error'],
    ['of hclog', { '@level': 'error', '@message': 'x' }, 'error'],
    ['by its name', { level: 100, level_name: 'ERROR', message: 'x' }, 'error'],
    ['by its name, nested', { level: 10, log: { level: 'critical' }, msg: 'x' }, 'critical'],
  ])('with a number %s have the level of its scale', (_, line, level) => {
    expect(valuesOf(line)).toEqual([expect.objectContaining({ level, message: 'x' })]);
  });

  it.each<[string, JsonObject]>([
    ['Python', { level: 30, message: 'x', funcName: 'pay' }],
    ['pino', { level: 40, time: 1_795_284_128_089, msg: 'x' }],
    ['Monolog', { message: 'x', level: 300, channel: 'app' }],
    ['Monolog with the name', { message: 'x', level: 400, level_name: 'INFO', channel: 'app' }],
    ['Google Cloud', { severity: 400, message: 'x' }],
    ['GELF', { version: '1.1', host: 'web-1', short_message: 'x', level: 4 }],
    ['syslog', { syslog_severity: 6, message: 'x' }],
    ['OpenTelemetry', { severity_number: 9, message: 'x' }],
    ['no scale', { level: 72, msg: 'x' }],
    ['no scale, in digits', { level: '3', msg: 'x' }],
    ['no scale, with a fraction', { level: 50.5, msg: 'x' }],
    ['no scale, negative', { level: -50, msg: 'x' }],
    ['a measurement', { sensor: 'tank', level: 50, unit: 'percent' }],
    ['a measurement of hundreds', { tank: 7, level: 400 }],
    ['a measurement in words', { level: 60, unit: '%', message: 'battery charged' }],
  ])('do not include a lower number of %s', (_, line) => {
    expect(valuesOf(line)).toEqual([]);
  });

  it('with a stack count whatever number of no scale stands beside it', () => {
    expect(valuesOf({ level: 72, msg: 'x', stack: TRACE })).toEqual([expect.objectContaining({ level: 'error' })]);
  });

  it('start at the configured level', () => {
    const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
    const counts = levels.map((least) => levels.flatMap((level) => valuesOf({ level, msg: 'x' }, least)).length);
    expect(counts).toEqual([6, 5, 4, 3, 2, 1]);
  });

  it('have the name and message of the inner error, and keep the message of the logger', () => {
    const line = {
      level: 'error',
      message: 'request failed',
      error: { name: 'CartError', message: 'no cart', stack: TRACE, code: 7 },
    };
    expect(valuesOf(line)).toEqual([
      {
        error_name: 'CartError',
        message: 'no cart',
        stack: TRACE,
        level: 'error',
        extra: { log: { message: 'request failed', error: { code: 7 } } },
      },
    ]);
  });

  it('have the name and message in which their stack begins if the line has none', () => {
    expect(valuesOf({ level: 'error', message: 'request failed', stack: TRACE })).toEqual([
      expect.objectContaining({ error_name: 'TypeError', message: 'no cart', stack: TRACE }),
    ]);
  });

  it('also have a stack from a list of lines, and from the message', () => {
    expect(valuesOf({ level: 'error', message: 'x', stack_trace: TRACE.split('\n') })).toEqual([
      expect.objectContaining({ error_name: 'TypeError', stack: TRACE }),
    ]);
    expect(valuesOf({ level: 'error', message: TRACE })).toEqual([
      { error_name: 'TypeError', message: 'no cart', stack: TRACE, level: 'error' },
    ]);
  });

  it('need no level if they have a stack', () => {
    expect(valuesOf({ err: { stack: TRACE } })).toEqual([
      { error_name: 'TypeError', message: 'no cart', stack: TRACE, level: 'error' },
    ]);
  });

  it('have the request, release and user under the names of a payload', () => {
    const line = {
      level: 50,
      time: 1795255200123,
      msg: 'x',
      app: 'shop',
      env: 'production',
      'service.name': 'api',
      version: '1.4.2',
      req: { id: 17, method: 'POST', url: 'https://shop.example/cart/7?full=1#top' },
      res: { statusCode: 502 },
      user: { id: 'u-1', plan: 'free' },
      sessionId: 's-1',
    };
    expect(valuesOf(line)).toEqual([
      {
        error_name: '',
        message: 'x',
        stack: null,
        level: 'error',
        timestamp: '2026-11-21T10:00:00.123000000+00:00',
        app: 'shop',
        env: 'production',
        service: 'api',
        release: '1.4.2',
        request_id: '17',
        method: 'POST',
        route: '/cart/7',
        status_code: 502,
        user_id: 'u-1',
        session_id: 's-1',
        extra: { log: { user: { plan: 'free' } } },
      },
    ]);
  });

  it('keep unknown members in extra', () => {
    const rest = { time: 'yesterday', method: 'doPost', status: 'open', path: 7, user_id: { id: 1 } };
    expect(valuesOf({ level: 'error', msg: 'x', ...rest })).toEqual([
      { error_name: '', message: 'x', stack: null, level: 'error', extra: { log: rest } },
    ]);
  });

  it('keep keys that would change a prototype as data', () => {
    const [value] = failuresOf(['{"level":"error","msg":"x","__proto__":{"level":"info"},"constructor":{"name":"y"}}']);
    expect(JSON.stringify(value?.value['extra'])).toBe(
      '{"log":{"__proto__":{"level":"info"},"constructor":{"name":"y"}}}',
    );
    expect(valuesOf('{"__proto__":{"level":"error"},"msg":"x"}')).toEqual([]);
  });

  it.each([
    [{ msg: 'request failed', error: 'no such table: carts' }, 'request failed: no such table: carts'],
    [{ msg: 'request failed', err: { message: 'no stock', code: 7 } }, 'request failed: no stock'],
    [{ msg: 'request failed', err: { code: 'ECONNREFUSED', errno: -111 } }, 'request failed: ECONNREFUSED'],
    [{ fields: { message: 'request failed', error: 'no stock' } }, 'request failed: no stock'],
    [{ msg: 'request failed: no stock', error: 'no stock' }, 'request failed: no stock'],
    [{ msg: 'failed', error: 'request failed' }, 'request failed'],
    [{ msg: 'request failed:', error: 'no stock\nno cart' }, 'request failed: no stock'],
    [{ error: 'no stock' }, 'no stock'],
    [{ msg: 'request failed', error: '<nil>' }, 'request failed'],
    [{ msg: 'request failed', error: {} }, 'request failed'],
    [{ msg: 'request failed', error: [null, { message: 3 }] }, 'request failed'],
  ])('of %j have the message %s', (line, message) => {
    expect(valuesOf({ level: 'error', ...line })).toEqual([expect.objectContaining({ error_name: '', message })]);
  });

  it.each<[string, JsonObject]>([
    ['without a stack', {}],
    [
      'with the stack of the logger call',
      { stacktrace: 'main.serve\n\t/srv/shop/main.go:31\nmain.main\n\t/srv/shop/main.go:9' },
    ],
    ['with a list of frames', { stack: [{ func: 'serve', line: '31', source: 'main.go' }] }],
  ])('are two issues for two errors under one message, and one whatever their values, %s', (_, rest) => {
    const issueOf = (error: string): string => {
      const [found] = valuesOf({ level: 'error', msg: 'request failed', error, ...rest });
      return computeFingerprint(serverPayload({ extra: null, ...(found as JsonObject) })).value;
    };
    expect(issueOf('no such table: carts')).not.toBe(issueOf('connection refused'));
    expect(issueOf('order 17 of ann@example.com: timeout')).toBe(issueOf('order 99 of bo@example.com: timeout'));
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      'Quarkus',
      {
        exception: {
          exceptionType: 'com.acme.StockException',
          'error.message': 'gone',
          frames: [
            { class: 'com.acme.Orders', method: 'place', line: 41 },
            { class: 'com.acme.Main', method: 'main' },
          ],
          causedBy: { exception: { exceptionType: 'java.io.IOException', message: 'closed', frames: [] } },
        },
      },
      {
        error_name: 'com.acme.StockException',
        message: 'gone',
        stack:
          'com.acme.StockException: gone\n\tat com.acme.Orders.place(Unknown Source:41)\n\tat com.acme.Main.main(Unknown Source)\nCaused by: java.io.IOException: closed',
      },
    ],
    [
      'Log4j',
      {
        thrown: {
          name: 'com.acme.StockException',
          message: 'gone',
          extendedStackTrace: [{ class: 'com.acme.Orders', method: 'place', file: 'Orders.java', line: 41 }],
        },
      },
      {
        error_name: 'com.acme.StockException',
        message: 'gone',
        stack: 'com.acme.StockException: gone\n\tat com.acme.Orders.place(Orders.java:41)',
      },
    ],
    [
      'Monolog',
      { context: { exception: { class: 'RuntimeException', message: 'gone', code: 0, file: '/srv/Orders.php:21' } } },
      { error_name: 'RuntimeException', message: 'gone', stack: null },
    ],
    [
      'Monolog with its trace and what it wraps',
      {
        context: {
          exception: {
            class: 'RuntimeException',
            message: 'gone',
            file: '/srv/Orders.php:21',
            trace: ['/srv/App.php:9', '#1 [internal function]', { file: '/srv/Main.php', line: 3, function: 'main' }],
            previous: { class: 'JsonException', message: 'no value', file: '/srv/Json.php:4', trace: [] },
          },
        },
      },
      {
        error_name: 'RuntimeException',
        message: 'gone',
        stack:
          'RuntimeException: gone\n    at <anonymous> (/srv/Orders.php:21)\n    at <anonymous> (/srv/App.php:9)\n#1 [internal function]\n    at main (/srv/Main.php:3)\nCaused by: JsonException: no value\n    at <anonymous> (/srv/Json.php:4)',
      },
    ],
    [
      'slog-multi',
      { error: { kind: '*errors.errorString', error: 'gone', stack: null } },
      { error_name: '*errors.errorString', message: 'x: gone', stack: null },
    ],
    [
      'the runtime of AWS Lambda, as the message,',
      { message: { errorType: 'TypeError', errorMessage: 'gone', stackTrace: TRACE.split('\n') } },
      { error_name: 'TypeError', message: 'gone', stack: TRACE },
    ],
    [
      'GELF, as the full message,',
      { short_message: 'x', full_message: TRACE },
      { error_name: 'TypeError', message: 'no cart', stack: TRACE },
    ],
    [
      'an unknown frame',
      { exception: [{ message: 'gone', frames: [{ class: 'com.acme.Orders' }, null, 7] }] },
      { error_name: '', message: 'x', stack: null },
    ],
  ])('have the exception that %s writes as an object', (_, line, expected) => {
    expect(valuesOf({ level: 'error', message: 'x', ...line })).toEqual([expect.objectContaining(expected)]);
  });

  it('are none without a level beside a `stack` without a frame', () => {
    expect(valuesOf({ msg: 'deployed', stack: 'web-prod' })).toEqual([]);
    expect(valuesOf({ msg: 'deployed', stack: ['web', 'db'] })).toEqual([]);
  });

  it('have a stack made of frames, within bounds', () => {
    const stackOf = (line: JsonObject): unknown =>
      (valuesOf({ level: 'error', msg: 'x', ...line })[0] as JsonObject | undefined)?.['stack'];
    const frame = { func: 'load', line: '7', source: 'cart.go' };
    expect(stackOf({ stack: [frame, { func: 'serve' }, null, 3] })).toBe('    at load (cart.go:7)');
    expect(String(stackOf({ stack: Array(9_999).fill(frame) })).split('\n')).toHaveLength(200);
    expect(stackOf({ exception: [{ exc_type: 'KeyError', exc_value: '17', frames: Array(9_999).fill({}) }] })).toBe(
      'Traceback (most recent call last):\nKeyError: 17',
    );
    expect(stackOf({ exception: [{ frames: 'none' }] })).toBeNull();
    expect(stackOf({ Exception: `System.Exception: x${' '.repeat(1_000_000)}` })).toBeNull();
  });
});
