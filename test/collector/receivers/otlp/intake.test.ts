import { Fault } from '../../../../core/event/fault.js';
import type { JsonValue } from '../../../../core/event/json.js';
import { weightOf } from '../../../../core/event/raw-payload.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { openRawConnection } from '../../raw-connection.js';
import { ERROR, exceptionJson, logJson, logsBody, spanJson, tracesBody } from './bodies.js';
import { SERVER_SPAN, SPAN } from './records.js';
import { JSON_TYPE, restart, running, send, startForEachTest } from './running-otlp.js';

startForEachTest();

const sendLogs = async (...records: readonly JsonValue[]) => (await send(logsBody(...records))).status;
const sendSpans = async (...spans: readonly JsonValue[]) =>
  (await send(tracesBody(...spans), JSON_TYPE, { path: '/v1/traces' })).status;
const messages = () => running.payloads().map(({ message }) => message);

const named = (message: string, others = {}) => logJson({ 'exception.message': message }, { traceId: '', ...others });
const withException = (others = {}, values = {}) => spanJson(values, { events: [exceptionJson()], ...others });
const serverSpan = (others = {}) =>
  spanJson(
    { 'http.request.method': 'POST', 'url.path': '/cart/7', 'http.response.status_code': 500 },
    { spanId: SERVER_SPAN, kind: 2, ...others },
  );
const inner = (others = {}) => withException({ parentSpanId: SERVER_SPAN, ...others }, { 'http.route': '/cart/:id' });

describe('the failures that become events', () => {
  it('are log records with an exception or of severity ERROR; the others are counted', async () => {
    await sendLogs(
      named('a', { severityNumber: 1 }),
      logJson({}, { severityNumber: 1, eventName: 'http.server.request.exception', body: { stringValue: 'b' } }),
      logJson({}, { severityNumber: 17, body: { stringValue: 'c' } }),
      logJson({}, { severityNumber: 0, severityText: 'fatal', body: { stringValue: 'd' } }),
      logJson({}, { severityNumber: 16, severityText: 'ERROR', body: { stringValue: 'no' } }),
      logJson({}, { severityNumber: 0, severityText: 'debug', body: { stringValue: 'no' } }),
      logJson({}, { severityNumber: 0, body: { stringValue: 'no' } }),
    );
    expect(messages()).toEqual(['a', 'b', 'c', 'd']);
    expect(running.account()).toMatchObject({
      received: 7,
      stored: 4,
      filtered: 3,
      reasons: { OTLP_NOT_A_FAILURE: 3 },
    });
  });

  it('are log records from the configured severity on', async () => {
    await restart({ settings: { min_severity: 'warn' } });
    await sendLogs(logJson({}, { severityNumber: 13 }), logJson({}, { severityNumber: 12 }));
    expect(running.account()).toMatchObject({ stored: 1, filtered: 1 });
  });

  it('are exceptions on spans, but not spans without span events or with other ones', async () => {
    const event = { name: 'retry', timeUnixNano: '1' };
    await sendSpans(withException(), spanJson({}, { spanId: SERVER_SPAN, events: [event] }));
    expect(running.account()).toMatchObject({ stored: 1, filtered: 1 });
    expect(running.payloads()[0]).toMatchObject({ app: 'checkout', error_name: 'TypeError', message: 'boom' });
  });
});

describe('the span that serves the request', () => {
  const REQUEST = { method: 'POST', route: '/cart/:id', status_code: 500 };

  it('is found at any position in the same request', async () => {
    await sendSpans(inner(), serverSpan());
    expect(running.payloads()).toMatchObject([REQUEST]);
  });

  it('is found in an earlier request, for span events and log records', async () => {
    await sendSpans(serverSpan(), spanJson({}, { parentSpanId: SERVER_SPAN }));
    await sendSpans(inner());
    await sendLogs(logJson({ 'exception.message': 'logged' }));
    expect(running.payloads()).toMatchObject([REQUEST, { method: 'POST', status_code: 500, message: 'logged' }]);
  });

  it('is not waited for: an exception that arrives before it is stored without it', async () => {
    expect(await sendSpans(inner())).toBe(200);
    expect(running.payloads()).toMatchObject([{ method: null, route: '/cart/:id', status_code: null }]);
  });

  it('is not remembered with a window of 0, and still found in the same request', async () => {
    await restart({ settings: { join_window: '0' } });
    await sendSpans(serverSpan());
    await sendSpans(inner());
    await sendSpans(inner(), serverSpan());
    expect(running.payloads().map(({ method }) => method)).toEqual([null, 'POST']);
  });
});

describe('an exception that is reported twice', () => {
  it('by nested spans is stored once, with the innermost span', async () => {
    await sendSpans(inner(), withException({ spanId: SERVER_SPAN, kind: 2 }));
    expect(running.payloads()).toMatchObject([{ tags: { span_id: SPAN } }]);
    expect(running.account()).toMatchObject({ received: 2, stored: 1, reasons: { OTLP_DUPLICATE: 1 } });
  });

  it('by a span and a log record (logs/dup) counts once, and both are stored', async () => {
    await sendSpans(withException());
    await sendLogs(logJson());
    await sendSpans(withException());
    expect(running.account()).toMatchObject({ received: 3, stored: 2, filtered: 1 });
    expect(running.payloads().map(({ extra }) => weightOf(extra))).toEqual([1, 0]);
  });

  it('because the client got no response is stored once', async () => {
    await sendLogs(logJson(), logJson(ERROR, { timeUnixNano: '1700000000123456790' }));
    await sendLogs(logJson(), logJson(ERROR, { timeUnixNano: '1700000000123456790' }));
    expect(running.account()).toMatchObject({ received: 4, stored: 2, filtered: 2 });
  });

  it('without a trace id is two events', async () => {
    await sendLogs(named('a'), named('a'));
    expect(running.account()).toMatchObject({ stored: 2 });
  });

  it('gets its response only when the first report is durable, and is refused with it', async () => {
    const held = running.consumer.holdNext();
    const first = sendSpans(withException());
    await held.arrived;
    const second = sendLogs(logJson(), logJson({}, { severityNumber: 1 }));
    await waitFor('the second to arrive', () => running.account()?.filtered === 1);
    held.refuse(new Fault('STORE_FULL', 'full', { retryable: true }));
    expect(await Promise.all([first, second])).toEqual([503, 503]);
    expect(await sendLogs(logJson())).toBe(200);
    expect(messages()).toEqual(['boom']);
  });

  it('does not deadlock two requests that report the exceptions of each other', async () => {
    const [a, b] = ['a', 'b'].map((digit) => digit.repeat(32));
    let mayStore: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      mayStore = resolve;
    });
    let batches = 0;
    running.consumer.before = () => {
      batches++;
      return held;
    };
    const first = sendSpans(withException({ traceId: a }));
    await waitFor('the first to be stored', () => batches === 1);
    const second = sendSpans(withException({ traceId: b }), withException({ traceId: a, spanId: SERVER_SPAN }));
    await waitFor('the second to be stored', () => batches === 2);
    const third = sendSpans(withException({ traceId: b, spanId: SERVER_SPAN }));
    mayStore();
    expect(await Promise.all([first, second, third])).toEqual([200, 200, 200]);
    expect(running.account()).toMatchObject({ stored: 2, reasons: { OTLP_DUPLICATE: 2 } });
  });
});

describe('a repeated request', () => {
  /** Refuses the second batch, once. */
  function refuseSecondBatch(): void {
    const consume = running.consumer.consume.bind(running.consumer);
    let batches = 0;
    running.consumer.consume = (batch) => {
      batches++;
      if (batches === 2) return Promise.reject(new Fault('STORE_FULL', 'full', { retryable: true }));
      return consume(batch);
    };
  }

  it('stores only the rest after it was refused half-way', async () => {
    const records = Array.from({ length: 1_200 }, (_value, index) => named(`m${index}`));
    refuseSecondBatch();
    expect(await sendLogs(...records, logJson({}, { severityNumber: 1 }))).toBe(503);
    expect(messages().length).toBeGreaterThan(0);
    expect(messages().length).toBeLessThan(1_200);
    expect(await sendLogs(...records, logJson({}, { severityNumber: 1 }))).toBe(200);
    expect(messages()).toEqual(records.map((_record, index) => `m${index}`));
    expect(running.account()).toMatchObject({ stored: 1_200, filtered: 1 });
  });

  it('stores nothing twice after its response could not be delivered', async () => {
    const held = running.consumer.holdNext();
    const body = logsBody(named('a'), 7);
    const connection = await openRawConnection(Number(new URL(running.httpUrl).port));
    const head = `POST /v1/logs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
    connection.write(`${head}\r\n\r\n${body}`);
    await held.arrived;
    connection.socket.destroy();
    await waitFor('the connection to be gone', () => connection.socket.closed);
    // A request sent after the close is processed after the server noticed the close.
    await send(undefined, {}, { method: 'GET' });
    held.release();
    await waitFor('the record to be stored', () => running.account()?.rejected === 1);
    const { status, text } = await send(body);
    expect([status, JSON.parse(text)]).toMatchObject([200, { partialSuccess: { rejectedLogRecords: '1' } }]);
    expect(running.account()).toMatchObject({ received: 2, stored: 1, rejected: 1 });
  });

  it('is a new request after it got a response', async () => {
    await sendLogs(named('a'));
    await sendLogs(named('a'));
    expect(messages()).toEqual(['a', 'a']);
  });
});

describe('large requests', () => {
  it('are stored completely and in order', async () => {
    const records = Array.from({ length: 1_500 }, (_value, index) => named(`${index} ${'x'.repeat(1_000)}`));
    expect(await Promise.all([sendLogs(...records), sendLogs(...records)])).toEqual([200, 200]);
    expect(running.account()).toMatchObject({ received: 3_000, stored: 3_000 });
  });
});
