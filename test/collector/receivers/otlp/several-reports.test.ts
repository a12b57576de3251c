import fc from 'fast-check';
import type { JsonObject } from '../../../../core/event/json.js';
import { weightOf } from '../../../../core/event/raw-payload.js';
import { attributesJson, exceptionJson, logJson, spanJson } from './bodies.js';
import { SERVER_SPAN, SPAN } from './records.js';
import { JSON_TYPE, restart, running, send, startForEachTest } from './running-otlp.js';

startForEachTest();

/** One report of a failure, sent in a request of its own. */
interface Report {
  readonly signal: 'logs' | 'traces';
  readonly scope: string;
  /** A log record or a span. */
  readonly record: JsonObject;
}

const RESOURCE = { attributes: attributesJson({ 'service.name': 'checkout' }) };
const TIME = 1_700_000_000_000_000_000n;

async function sendReport({ signal, scope, record }: Report): Promise<void> {
  const name = { name: scope };
  const body =
    signal === 'logs'
      ? { resourceLogs: [{ resource: RESOURCE, scopeLogs: [{ scope: name, logRecords: [record] }] }] }
      : { resourceSpans: [{ resource: RESOURCE, scopeSpans: [{ scope: name, spans: [record] }] }] };
  expect((await send(JSON.stringify(body), JSON_TYPE, { path: `/v1/${signal}` })).status).toBe(200);
}

const exception = (type: string, message: string, stack: string): Record<string, string> => ({
  'exception.type': type,
  ...(message !== '' && { 'exception.message': message }),
  'exception.stacktrace': stack,
});
const log = (scope: string, body: string, values: Record<string, string>, others: JsonObject = {}): Report => ({
  signal: 'logs',
  scope,
  record: logJson(values, { body: { stringValue: body }, timeUnixNano: String(TIME), ...others }),
});
const SERVER = { 'http.request.method': 'POST', 'http.route': '/orders/:id', 'http.response.status_code': 500 };
const onServer = (values: Record<string, string>, others: JsonObject = {}, time = TIME): Report => ({
  signal: 'traces',
  scope: 'http',
  record: spanJson(SERVER, { kind: 2, spanId: SPAN, events: [exceptionJson(values, String(time))], ...others }),
});

const SQL = 'java.sql.SQLException';
const SQL_FRAMES = '\tat org.h2.Parser.fail(Parser.java:77)\n\tat shop.Stock.take(Stock.java:30)\n';
const SQL_STACK = `${SQL}: no connection\n${SQL_FRAMES}`;
const STOCK = 'shop.StockException';
const STOCK_STACK = `${STOCK}: no stock of 4711\n\tat shop.Stock.take(Stock.java:33)\n\tat shop.Web.order(Web.java:8)\nCaused by: ${SQL_STACK}\t... 2 more\n`;
const SERVLET = 'jakarta.servlet.ServletException';
const SERVLET_STACK = `${SERVLET}: Request processing failed: ${STOCK}: no stock of 4711\n\tat org.springframework.web.servlet.FrameworkServlet.processRequest(FrameworkServlet.java:1022)\nCaused by: ${STOCK_STACK}`;
const NPE = 'java.lang.NullPointerException';
const NPE_STACK = `${NPE}\n\tat shop.Cart.total(Cart.java:9)\n\tat shop.Web.order(Web.java:8)\n`;
const wrapping = (type: string, message: string, cause: string) =>
  `${type}: ${message}\n\tat shop.Web.order(Web.java:12)\nCaused by: ${cause}`;

const RAISED = '  File "/app/shop/stock.py", line 9, in take\n    raise OutOfStock(sku)\n';
const CALLED = '  File "/app/shop/views.py", line 21, in order\n    take(sku)\n';
const HANDLED =
  '  File "/venv/django/core/handlers/exception.py", line 55, in inner\n    response = get_response(request)\n';
const TRACE_OF = 'Traceback (most recent call last):\n';
const python = (frames: string, type: string, message: string) =>
  exception(type, message, `${TRACE_OF}${frames}${type}: ${message}\n`);
const LINKED = '\nThe above exception was the direct cause of the following exception:\n\n';
const FROM_KEY_ERROR = `${TRACE_OF}${RAISED}KeyError: 'a7'\n${LINKED}${TRACE_OF}${CALLED}shop.StockError: no a7\n`;

const NODE = 'Error: card refused\n    at charge (/app/pay.js:9:11)\n    at order (/app/web.js:3:5)';
const NODE_WRAPPER = `OrderError: order 7 failed\n    at order (/app/web.js:6:11) {\n  [cause]: ${NODE.replaceAll('\n', '\n  ')}\n}`;
const UNNAMED = 'Error: no stock left\n    at reserve (/srv/shop/app.js:6:29)\n    at /srv/shop/app.js:12:85';
const DOTNET_INNER = 'System.InvalidOperationException: no rows';
const DOTNET = `Shop.StockException: out of stock\n ---> ${DOTNET_INNER}\n   at Shop.Db.Query() in /src/Db.cs:line 12\n   --- End of inner exception stack trace ---\n   at Shop.Web.Order() in /src/Web.cs:line 30`;

/** Reports of one failure. */
const FAILURES: readonly (readonly [string, readonly Report[]])[] = [
  [
    'Spring Boot with the agent for Java: its own log, that of Tomcat, and the span',
    [
      log('shop.Web', 'order 4711 failed', exception(STOCK, 'no stock of 4711', STOCK_STACK)),
      log(
        'org.apache.catalina.core.ContainerBase.[Tomcat].[localhost].[/].[dispatcherServlet]',
        `Servlet.service() for servlet [dispatcherServlet] in context with path [] threw exception [Request processing failed: ${STOCK}: no stock of 4711] with root cause`,
        exception(SQL, 'no connection', SQL_STACK),
      ),
      onServer(exception(SERVLET, `Request processing failed: ${STOCK}: no stock of 4711`, SERVLET_STACK)),
    ],
  ],
  [
    'one exception in a log of the agent for Java and on its span',
    [
      log('shop.Web', 'order failed', exception(SQL, 'no connection', SQL_STACK)),
      onServer(exception(SQL, 'no connection', SQL_STACK)),
    ],
  ],
  [
    'exceptions without a message',
    [
      log('shop.Web', 'order failed', exception(NPE, '', NPE_STACK)),
      onServer(exception(STOCK, 'no total', wrapping(STOCK, 'no total', NPE_STACK))),
    ],
  ],
  [
    'a logger that logs a cause and then its wrapper',
    [
      log('shop.Web', 'no database', exception(SQL, 'no connection', SQL_STACK)),
      log('shop.Web', 'no stock', exception(STOCK, 'no stock of 4711', STOCK_STACK)),
    ],
  ],
  [
    'Django: log.exception and raise',
    [
      log('shop.views', 'no stock', python(RAISED, 'OutOfStock', 'a7')),
      log('django.request', 'Internal Server Error: /orders/7', python(HANDLED + CALLED + RAISED, 'OutOfStock', 'a7')),
      onServer(python(HANDLED + CALLED + RAISED, 'shop.stock.OutOfStock', 'a7')),
    ],
  ],
  [
    'Flask: one logger for the application and for its framework',
    [
      log('app', 'no stock', python(RAISED, 'OutOfStock', 'a7')),
      log('app', 'Exception on /orders/7 [POST]', python(HANDLED + CALLED + RAISED, 'OutOfStock', 'a7')),
    ],
  ],
  [
    'Python: raise from',
    [
      log('shop.stock', 'unknown sku', python(RAISED, 'KeyError', "'a7'")),
      onServer(exception('shop.StockError', 'no a7', FROM_KEY_ERROR)),
    ],
  ],
  [
    'Node.js: cause',
    [
      log('pay', 'no payment', exception('Error', 'card refused', NODE)),
      onServer(exception('OrderError', 'order 7 failed', NODE_WRAPPER)),
    ],
  ],
  [
    'pino, which names the class of the constructor, and the span, which names what the stack prints',
    [
      log('@opentelemetry/instrumentation-pino', 'reservation failed', {
        'exception.type': 'StockError',
        'exception.message': 'no stock left',
        'exception.stacktrace': UNNAMED,
      }),
      onServer(exception('Error', 'no stock left', UNNAMED)),
    ],
  ],
  [
    '.NET: inner exception',
    [
      log('Shop.Web', 'no stock', exception('Shop.StockException', 'out of stock', DOTNET)),
      onServer(
        exception(
          'System.InvalidOperationException',
          'no rows',
          `${DOTNET_INNER}\n   at Shop.Db.Query() in /src/Db.cs:line 12`,
        ),
      ),
    ],
  ],
  [
    'a log record whose body holds the stack',
    [log('console', SQL_STACK, {}), onServer(exception(SQL, 'no connection', SQL_STACK))],
  ],
];

/** Reports of so many failures. */
const SEVERAL: readonly (readonly [string, number, readonly Report[]])[] = [
  [
    'attempts of a loop, which one logger logs alike',
    3,
    [1n, 2n, 3n].map((number) =>
      log('shop.Retry', `attempt ${number} of 3 failed`, exception(SQL, 'no connection', SQL_STACK), {
        timeUnixNano: String(TIME + number),
      }),
    ),
  ],
  [
    'attempts in Python at two lines of one function, in other words',
    2,
    ['first', 'second'].map((word, index) =>
      log('app', `${word} try failed`, python(CALLED.replace('21', String(21 + index)) + RAISED, 'OutOfStock', 'a7')),
    ),
  ],
  [
    'another class that is not in the chain',
    2,
    [
      log('shop.Web', 'order failed', exception(STOCK, 'no stock of 4711', STOCK_STACK)),
      onServer(exception(NPE, '', NPE_STACK)),
    ],
  ],
  [
    'one class with two messages, raised by one call',
    2,
    [
      log('shop.Web', 'order failed', exception(SQL, 'no connection', SQL_STACK)),
      onServer(exception(SQL, 'no table', SQL_STACK.replace('no connection', 'no table'))),
    ],
  ],
  [
    'two classes without a message, whose stacks print calls only',
    2,
    [log('shop.Web', 'order failed', exception(NPE, '', SQL_FRAMES)), onServer(exception(STOCK, '', SQL_FRAMES))],
  ],
  [
    'two wrappers of causes with two messages',
    2,
    [
      log('shop.Web', 'no table', exception(SQL, 'no table', SQL_STACK.replace('no connection', 'no table'))),
      onServer(exception(STOCK, 'no stock of 4711', STOCK_STACK)),
    ],
  ],
  [
    'an exception that was raised while another one was handled',
    2,
    [
      log('shop.stock', 'unknown sku', python(RAISED, 'KeyError', "'a7'")),
      onServer(
        exception(
          'shop.StockError',
          'no a7',
          FROM_KEY_ERROR.replace(LINKED, '\nDuring handling of the above exception, another exception occurred:\n\n'),
        ),
      ),
    ],
  ],
  [
    'two requests in one trace',
    2,
    [
      onServer(exception(SQL, 'no connection', SQL_STACK)),
      onServer(exception(SQL, 'no connection', SQL_STACK), { spanId: '1'.repeat(16) }),
    ],
  ],
];

const weights = () => running.payloads().map(({ extra }) => weightOf(extra));
const count = () => weights().reduce((sum, one) => sum + one, 0);

function ordersOf<One>(items: readonly One[]): One[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, at) => ordersOf(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

describe('a failure that several log records and span events report', () => {
  it.each(FAILURES)('counts once in any order, and each report is stored: %s', async (_, reports) => {
    for (const order of ordersOf(reports)) {
      await restart({});
      for (const report of order) await sendReport(report);
      expect(weights()).toEqual([1, ...Array<number>(order.length - 1).fill(0)]);
      // The same requests once more, because their senders got no response.
      for (const report of order) await sendReport(report);
      expect(weights()).toHaveLength(order.length);
    }
  });

  it.each(SEVERAL)('is not one with others: %s are %d', async (_, failures, reports) => {
    for (const order of ordersOf(reports)) {
      await restart({});
      for (const report of order) await sendReport(report);
      expect(count()).toBe(failures);
    }
  });

  it('counts each attempt once if a logger and the framework report all of them', async () => {
    const attempt = (number: bigint) => [
      log('shop.Retry', 'no stock', exception(STOCK, 'no stock of 4711', STOCK_STACK), {
        timeUnixNano: String(TIME + number * 100n),
      }),
      log('org.h2', 'statement failed', exception(SQL, 'no connection', SQL_STACK), {
        timeUnixNano: String(TIME + number * 100n - 1n),
      }),
    ];
    const reports = [1n, 2n, 3n].flatMap(attempt);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(reports, { minLength: reports.length }), async (order) => {
        await restart({});
        for (const report of order) await sendReport(report);
        expect(count()).toBe(3);
      }),
    );
  });

  it('counts once for all spans that it passes, in one request or several, and its route is kept', async () => {
    const values = exception(SQL, 'no connection', SQL_STACK);
    const inner = { ...onServer(values).record, kind: 1, spanId: SPAN, parentSpanId: SERVER_SPAN, attributes: [] };
    const outer = onServer(values, { spanId: SERVER_SPAN }, TIME + 5n);
    await sendReport({ signal: 'traces', scope: 'http', record: inner });
    await sendReport(outer);
    expect(weights()).toEqual([1, 0]);
    expect(running.payloads().map(({ route }) => route)).toEqual(['', '/orders/:id']);
  });

  it('counts once for a call and the request that made it, and the request of the latter is kept', async () => {
    const values = exception(SQL, 'no connection', SQL_STACK);
    const outgoing = {
      'http.request.method': 'GET',
      'url.full': 'http://stock/items/7',
      'http.response.status_code': 503,
    };
    const client = {
      ...onServer(values).record,
      ...{ kind: 3, spanId: SPAN, parentSpanId: SERVER_SPAN, attributes: attributesJson(outgoing) },
    };
    const server = onServer(values, { spanId: SERVER_SPAN }, TIME + 5n);
    await sendReport({ signal: 'traces', scope: 'http', record: client });
    await sendReport(server);
    expect(weights()).toEqual([1, 0]);
    expect(running.payloads().map((one) => [one.method, one.route, one.status_code])).toEqual([
      ['GET', '/items/:id', 503],
      ['POST', '/orders/:id', 500],
    ]);
    // A further copy says nothing new.
    await sendReport(onServer(values, { spanId: '1'.repeat(16), parentSpanId: SPAN, kind: 1 }, TIME + 3n));
    expect(weights()).toEqual([1, 0]);
  });

  it('counts once with the wrapper on the span above, whose log came first', async () => {
    await sendReport(log('shop.Web', 'no database', exception(SQL, 'no connection', SQL_STACK)));
    const inner = spanJson({}, { spanId: SPAN, parentSpanId: SERVER_SPAN });
    await sendReport({ signal: 'traces', scope: 'jdbc', record: inner });
    await sendReport(onServer(exception(STOCK, 'no stock of 4711', STOCK_STACK), { spanId: SERVER_SPAN }));
    expect(weights()).toEqual([1, 0]);
  });

  it('counts each of two calls beside each other that fail alike', async () => {
    const values = exception(SQL, 'no connection', SQL_STACK);
    const call = (spanId: string) => ({ ...onServer(values).record, kind: 3, spanId, parentSpanId: SERVER_SPAN });
    await sendReport({ signal: 'traces', scope: 'http', record: spanJson(SERVER, { kind: 2, spanId: SERVER_SPAN }) });
    for (const spanId of [SPAN, '1'.repeat(16)]) {
      await sendReport({ signal: 'traces', scope: 'http', record: call(spanId) });
    }
    expect(weights()).toEqual([1, 1]);
  });

  it('counts as the next report that is stored if a filter drops the first ones, in one request or several', async () => {
    const [, reports] = FAILURES[0] ?? ['', []];
    for (const dropped of [1, 2]) {
      await restart({});
      let left = dropped;
      running.consumer.outcome = () => (left-- > 0 ? { kind: 'dropped', as: 'filtered', reason: 'TEST' } : undefined);
      for (const report of reports) await sendReport(report);
      expect(weights()).toEqual(dropped === 1 ? [1, 0] : [1]);
    }
    await restart({});
    let left = 1;
    running.consumer.outcome = () => (left-- > 0 ? { kind: 'dropped', as: 'filtered', reason: 'TEST' } : undefined);
    const logs = ['a', 'b', 'c'].map((scope) => log(scope, scope, exception(SQL, 'no connection', SQL_STACK)));
    const scopeLogs = logs.map(({ scope, record }) => ({ scope: { name: scope }, logRecords: [record] }));
    await send(JSON.stringify({ resourceLogs: [{ resource: RESOURCE, scopeLogs }] }));
    expect(weights()).toEqual([1, 0]);
    const [first, second] = running.payloads();
    expect([first?.tags['otel.scope.name'], second?.tags['otel.scope.name']]).toEqual(['b', 'c']);
  });
});
