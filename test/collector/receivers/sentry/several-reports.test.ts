import { Fault } from '../../../../core/event/fault.js';
import type { JsonObject, JsonValue } from '../../../../core/event/json.js';
import { weightOf } from '../../../../core/event/raw-payload.js';
import { envelope, type RunningSentry, startSentry } from './running-sentry.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const TIME = 1_795_442_527;

let running: RunningSentry;
beforeEach(async () => {
  running = await startSentry();
});
afterEach(() => running.close());

/** A report of a failure: an item of an envelope with its header. */
type Report = readonly [JsonObject, JsonObject];

/** Each event has its own span, as SDKs without tracing send it. */
let spans = 0;
const withTrace = (): JsonObject => ({ trace: { trace_id: TRACE, span_id: (++spans).toString(16).padStart(16, '0') } });

function exceptionEvent(values: readonly JsonValue[], members: JsonObject = {}): Report {
  return [
    { type: 'event' },
    { timestamp: TIME, platform: 'javascript', contexts: withTrace(), exception: { values: [...values] }, ...members },
  ];
}

function logItem(body: string, members: JsonObject = {}, attributes: JsonObject = {}): Report {
  const origin = { 'sentry.origin': { value: 'auto.log.console', type: 'string' } };
  const entry = { timestamp: TIME + 0.01, trace_id: TRACE, level: 'error', body, ...members };
  return [
    { type: 'log', item_count: 1 },
    { version: 2, items: [{ ...entry, attributes: { ...origin, ...attributes } }] },
  ];
}

const JS_FRAMES: JsonValue = [
  { function: 'order', abs_path: '/app/web.js', filename: 'web.js', lineno: 3, colno: 5, in_app: true },
  { function: 'charge', abs_path: '/app/pay.js', filename: 'pay.js', lineno: 9, colno: 11, in_app: true },
];
const JS_STACK = 'PayError: card refused\n    at charge (/app/pay.js:9:11)\n    at order (/app/web.js:3:5)';
const jsError = (mechanism: string, handled: boolean, value = 'card refused'): JsonObject => ({
  type: 'PayError',
  value,
  stacktrace: { frames: JS_FRAMES },
  mechanism: { type: mechanism, handled },
});
const SERIALIZED = { message: 'card refused', name: 'PayError', stack: JS_STACK, code: 'E7' };
const CAPTURED = exceptionEvent([jsError('auto.middleware.express', false)], {
  request: { url: 'https://shop.test/orders/7', method: 'POST' },
});

const javaFrames = (...functions: readonly string[]): JsonObject => ({
  frames: functions.map((name, index) => ({
    function: name,
    module: 'shop.Stock',
    filename: 'Stock.java',
    lineno: index + 7,
  })),
});
const SQL: JsonObject = {
  type: 'SQLException',
  module: 'java.sql',
  value: 'no connection',
  stacktrace: javaFrames('run', 'query'),
};
const stockError = (mechanism: string): JsonObject => ({
  type: 'StockException',
  module: 'shop',
  value: 'no stock',
  stacktrace: javaFrames('run', 'take'),
  mechanism: { type: mechanism, handled: mechanism !== 'Spring6ExceptionResolver' },
});
const pythonError = (mechanism: string, names: readonly string[]): JsonObject => ({
  type: 'OutOfStock',
  value: 'a7',
  mechanism: { type: mechanism, handled: mechanism === 'logging' },
  stacktrace: {
    frames: names.map((name) => ({ function: name, filename: 'stock.py', abs_path: '/app/stock.py', lineno: 9 })),
  },
});

const OUTSIDE = 'c5bc63a6e55d4ae98c92891bc80d0280';
const TOMCAT = 'org.apache.catalina.core.ContainerBase.[Tomcat].[localhost].[/].[dispatcherServlet]';
const servletLine = (quoted: string) =>
  `Servlet.service() for servlet [dispatcherServlet] in context with path [] threw exception [Request processing failed: ${quoted}] with root cause`;
/** Sent by Spring's resolver in the trace of the request. */
const ofResolver = (trace: string, thread: string, time = TIME): Report =>
  exceptionEvent([SQL, stockError('Spring6ExceptionResolver')], {
    timestamp: time,
    platform: 'java',
    server_name: 'shop-1',
    transaction: 'POST /orders/{id}',
    request: { url: 'https://shop.test/orders/7', method: 'POST' },
    contexts: {
      trace: { trace_id: trace, span_id: trace.slice(16), op: 'http.server', data: { 'thread.name': thread } },
    },
  });
/** Sent by Sentry's appender for Tomcat's line, outside of the trace. */
const ofTomcat = (thread: string, time = TIME + 0.1, members: JsonObject = {}): Report =>
  exceptionEvent([SQL], {
    timestamp: time,
    platform: 'java',
    server_name: 'shop-1',
    logger: TOMCAT,
    message: { formatted: servletLine('shop.StockException: no stock') },
    contexts: {
      trace: { trace_id: OUTSIDE, span_id: 'f8a59c60817a432a', op: 'default', data: { 'thread.name': thread } },
    },
    ...members,
  });

/** Reports of one failure. */
const FAILURES: readonly (readonly [string, readonly Report[]])[] = [
  ['an error that is thrown and logged to the console', [CAPTURED, logItem(JSON.stringify(SERIALIZED))]],
  [
    'an error that is thrown and logged with other words',
    [CAPTURED, logItem(`Order 7 failed: ${JSON.stringify(SERIALIZED)}`)],
  ],
  ['an error whose stack is logged', [CAPTURED, logItem(JS_STACK)]],
  [
    'an error that the console integration sends as a message',
    [
      CAPTURED,
      [
        { type: 'event' },
        {
          timestamp: TIME,
          contexts: withTrace(),
          logger: 'console',
          level: 'error',
          message: 'Order failed [object Object]',
          extra: { arguments: ['Order failed', SERIALIZED] },
        },
      ],
    ],
  ],
  [
    'an error that two integrations capture',
    [
      CAPTURED,
      exceptionEvent([jsError('auto.core.capture_console', true)], {
        logger: 'console',
        extra: { arguments: [SERIALIZED] },
      }),
    ],
  ],
  [
    'Spring: wrapper, cause and what the resolver caught',
    [
      exceptionEvent([SQL, stockError('LogbackSentryAppender')], {
        logger: 'shop.Web',
        logentry: { message: 'order failed' },
      }),
      exceptionEvent([SQL], {
        logger: 'org.apache.catalina.core',
        logentry: { message: 'Servlet.service() threw exception' },
      }),
      exceptionEvent([
        SQL,
        stockError('chained'),
        {
          type: 'ServletException',
          module: 'jakarta.servlet',
          value: 'Request processing failed',
          stacktrace: javaFrames('run', 'serve'),
          mechanism: { type: 'Spring6ExceptionResolver', handled: false },
        },
      ]),
    ],
  ],
  ['Spring: the resolver, and Tomcat outside of the trace', [ofResolver(TRACE, 'exec-2'), ofTomcat('exec-2')]],
  [
    'Spring without tracing: the thread is a value that the appender adds',
    [
      ofResolver(TRACE, 'exec-2'),
      ofTomcat('exec-2', TIME + 0.9, { contexts: { trace: { trace_id: OUTSIDE } }, extra: { thread_name: 'exec-2' } }),
    ],
  ],
  [
    'Django: logging and the framework',
    [
      exceptionEvent([pythonError('logging', ['take'])], {
        platform: 'python',
        logger: 'shop.views',
        logentry: { message: 'no stock' },
      }),
      exceptionEvent([pythonError('django', ['inner', 'order', 'take'])], { platform: 'python' }),
    ],
  ],
  [
    'without a trace: logging and the framework',
    [
      exceptionEvent([pythonError('logging', ['take'])], { platform: 'python', logger: 'shop.views', contexts: {} }),
      exceptionEvent([pythonError('django', ['inner', 'order', 'take'])], { platform: 'python', contexts: {} }),
    ],
  ],
];

/** Reports of so many failures. */
const SEVERAL: readonly (readonly [string, number, readonly Report[]])[] = [
  [
    'another message',
    2,
    [
      CAPTURED,
      logItem(
        JSON.stringify({ ...SERIALIZED, message: 'card expired', stack: JS_STACK.replace('refused', 'expired') }),
      ),
    ],
  ],
  ['the line of Tomcat on another thread', 2, [ofResolver(TRACE, 'exec-2'), ofTomcat('exec-3')]],
  [
    'the line of Tomcat on another host',
    2,
    [ofResolver(TRACE, 'exec-2'), ofTomcat('exec-2', TIME, { server_name: 'b' })],
  ],
  ['a line of Tomcat before the exception', 2, [ofResolver(TRACE, 'exec-2'), ofTomcat('exec-2', TIME - 0.1)]],
  ['a line of Tomcat that is late', 2, [ofResolver(TRACE, 'exec-2'), ofTomcat('exec-2', TIME + 6)]],
  [
    'a line of the application on the thread, outside of the trace',
    2,
    [ofResolver(TRACE, 'exec-2'), ofTomcat('exec-2', TIME + 0.1, { message: { formatted: 'stock job failed' } })],
  ],
  ['another trace', 2, [CAPTURED, logItem(JSON.stringify(SERIALIZED), { trace_id: 'f'.repeat(32) })]],
  ['another minute', 2, [CAPTURED, logItem(JSON.stringify(SERIALIZED), { timestamp: TIME + 30 })]],
  [
    'two users',
    2,
    [
      exceptionEvent([jsError('generic', true)], { user: { id: 'u1' } }),
      exceptionEvent([jsError('onerror', false)], { user: { id: 'u2' } }),
    ],
  ],
  ['two clicks', 2, [exceptionEvent([jsError('onerror', false)]), exceptionEvent([jsError('onerror', false)])]],
  [
    'two of the same second, without a trace',
    2,
    [
      exceptionEvent([jsError('onerror', false)], { contexts: {} }),
      exceptionEvent([jsError('onerror', false)], { contexts: {} }),
    ],
  ],
  [
    'a class that is not in the chain',
    2,
    [exceptionEvent([SQL, stockError('generic')]), exceptionEvent([jsError('onerror', false)])],
  ],
  [
    'two clicks, each with its log',
    2,
    [
      CAPTURED,
      exceptionEvent([jsError('auto.middleware.express', false)], { timestamp: TIME + 1 }),
      logItem(JSON.stringify(SERIALIZED)),
      logItem(JSON.stringify(SERIALIZED), { timestamp: TIME + 1.01 }),
    ],
  ],
];

const weights = () => running.consumer.events.map(({ payload }) => weightOf(payload.extra));
const count = () => weights().reduce((sum, one) => sum + one, 0);

function ordersOf<One>(items: readonly One[]): One[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, at) => ordersOf(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

async function send(reports: readonly Report[], isOneEnvelope = false): Promise<void> {
  const requests = isOneEnvelope ? [reports.flat()] : reports;
  for (const items of requests) expect((await running.post(envelope({}, ...items))).status).toBe(200);
}

describe('a failure that several integrations of an SDK report', () => {
  it.each(FAILURES)(
    'counts once in any order, in one envelope or several, and all are stored: %s',
    async (_, reports) => {
      for (const isOneEnvelope of [true, false]) {
        for (const order of ordersOf(reports)) {
          await running.close();
          running = await startSentry();
          await send(order, isOneEnvelope);
          expect(weights()).toEqual([1, ...Array<number>(order.length - 1).fill(0)]);
          expect(new Set(running.consumer.events.map(({ payload }) => payload.error_name)).has('')).toBe(false);
        }
      }
    },
  );

  it.each(SEVERAL)('is not one with others: %s are %d', async (_, failures, reports) => {
    for (const order of ordersOf(reports)) {
      await running.close();
      running = await startSentry();
      await send(order);
      expect(count()).toBe(failures);
    }
  });

  it('counts each of two requests after each other on one thread once, with the lines of Tomcat', async () => {
    const [first, second] = [ofResolver(TRACE, 'exec-2'), ofResolver('1'.repeat(32), 'exec-2', TIME + 0.3)];
    const [line, next] = [ofTomcat('exec-2', TIME + 0.1), ofTomcat('exec-2', TIME + 0.4)];
    for (const order of [
      [first, line, second, next],
      [first, second, line, next],
      [line, next, first, second],
    ]) {
      await running.close();
      running = await startSentry();
      await send(order);
      expect(count()).toBe(2);
      expect(weights()).toHaveLength(4);
    }
  });

  it('counts as the second report if the first was refused, filtered or rejected', async () => {
    const reports = [CAPTURED, logItem(JSON.stringify(SERIALIZED))];
    for (const [first, second] of [reports, reports.toReversed()]) {
      if (first === undefined || second === undefined) continue;
      await running.close();
      running = await startSentry();
      running.consumer.before = () => {
        throw new Fault('STORE_UNAVAILABLE', 'the disk is full', { retryable: true });
      };
      expect((await running.post(envelope({}, ...first))).status).toBe(503);
      running.consumer.before = () => {};
      running.consumer.outcome = () => ({ kind: 'dropped', as: 'filtered', reason: 'X' });
      await send([first]);
      running.consumer.outcome = () => undefined;
      await send([second]);
      expect(weights()).toEqual([1]);
    }
  });

  it('is not stored as a further report if the first was sampled out', async () => {
    running.consumer.outcome = () => ({ kind: 'dropped', as: 'sampled', reason: 'X' });
    await send([CAPTURED]);
    running.consumer.outcome = () => undefined;
    await send([logItem(JSON.stringify(SERIALIZED))]);
    expect(weights()).toEqual([]);
  });
});
