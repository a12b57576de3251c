import { failuresOf } from './fixture-lines.js';

const TRACE = 'TypeError: no cart\n    at load (/srv/shop/cart.js:1:2)';

function valuesOf(line: unknown, minSeverity: Parameters<typeof failuresOf>[1] = 'error'): unknown[] {
  return failuresOf([typeof line === 'string' ? line : JSON.stringify(line)], minSeverity).map(({ value }) => value);
}

describe('failures in JSON lines', () => {
  it.each([
    [{ level: 50, msg: 'x' }, 'error'],
    [{ level: 60, msg: 'x' }, 'fatal'],
    [{ level: 3, message: 'x' }, 'error'],
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
    { level: 4, msg: 'x' },
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
});
