import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Fault } from '../../../../core/event/fault.js';
import type { JsonValue } from '../../../../core/event/json.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { exceptionJson, logJson, logsBody, spanJson, tracesBody } from './bodies.js';
import { createManualClock, type ManualClock } from './manual-clock.js';
import { SERVER_SPAN, SPAN } from './records.js';
import { type OtlpVariant, type RunningOtlp, startOtlp } from './running-otlp.js';

const CLIENT = fileURLToPath(new URL('../../../fixtures/clients/otel-simple-spans.mjs', import.meta.url));
const HOLD_MS = 500;
const REST_MS = 60_000;
const BETWEEN = 'eee19b7ec3c1b175';

let clock: ManualClock;
let running: RunningOtlp;
beforeEach(async () => {
  clock = createManualClock();
  running = await startOtlp({ holdMs: HOLD_MS, holdClock: clock });
});
afterEach(() => running.close());

async function restart(variant: OtlpVariant): Promise<void> {
  await running.close();
  running = await startOtlp({ holdMs: HOLD_MS, holdClock: clock, ...variant });
}

async function send(path: string, body: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(running.httpUrl + path, { method: 'POST', headers, body })).status;
}
const sendLogs = (...records: readonly JsonValue[]) => send('/v1/logs', logsBody(...records));
const sendSpans = (...spans: readonly JsonValue[]) => send('/v1/traces', tracesBody(...spans));
const waiting = (requests = 1) => waitFor(`${requests} to wait`, () => clock.timersRunning === requests);

let lastTrace = 0;
const newTrace = () => (++lastTrace).toString(16).padStart(32, '0');

const failed = (others = {}) =>
  spanJson({ 'http.route': '/cart/:id' }, { parentSpanId: SERVER_SPAN, events: [exceptionJson()], ...others });
const serverSpan = (others = {}) =>
  spanJson(
    { 'http.request.method': 'POST', 'url.path': '/cart/7', 'http.response.status_code': 500 },
    { spanId: SERVER_SPAN, kind: 2, ...others },
  );
const REQUEST = { method: 'POST', route: '/cart/:id', status_code: 500 };
const NO_REQUEST = { method: null, route: '/cart/:id', status_code: null };

/** Sends a failure whose server span never comes, and lets the time for it pass. */
async function sendInVain(traceId = newTrace()): Promise<number> {
  const answer = sendSpans(failed({ traceId }));
  await waiting();
  clock.pass(HOLD_MS);
  return answer;
}

describe('an exception that arrives before the span that served its request', () => {
  it('is joined with it when that comes on another connection', async () => {
    const first = sendSpans(failed());
    await waiting();
    expect(running.payloads()).toEqual([]);
    expect(await sendSpans(serverSpan())).toBe(200);
    expect(await first).toBe(200);
    expect(running.payloads()).toMatchObject([REQUEST]);
    expect(clock.timersRunning).toBe(0);
  });

  it('is joined over spans in between, that come one by one', async () => {
    const first = sendSpans(failed({ parentSpanId: BETWEEN }));
    await waiting();
    await sendSpans(spanJson({}, { spanId: BETWEEN, parentSpanId: SERVER_SPAN }));
    expect(running.payloads()).toEqual([]);
    await sendSpans(serverSpan());
    await first;
    expect(running.payloads()).toMatchObject([REQUEST]);
  });

  it('is joined when it is a log record', async () => {
    const first = sendLogs(logJson());
    await waiting();
    await sendSpans(spanJson({}, { parentSpanId: SERVER_SPAN }), serverSpan());
    expect(await first).toBe(200);
    expect(running.payloads()).toMatchObject([{ method: 'POST', status_code: 500, tags: { span_id: SPAN } }]);
  });

  it('stays the report that stands, where that span carries the same exception', async () => {
    const first = sendSpans(failed());
    await waiting();
    const second = sendSpans(serverSpan({ events: [exceptionJson()] }));
    expect(await Promise.all([first, second])).toEqual([200, 200]);
    expect(running.payloads()).toMatchObject([{ ...REQUEST, tags: { span_id: SPAN } }]);
    expect(running.account()).toMatchObject({ received: 2, stored: 1, reasons: { OTLP_DUPLICATE: 1 } });
  });

  it('holds back nothing else of its request', async () => {
    const other = exceptionJson({ 'exception.type': 'Other', 'exception.message': 'at a root' });
    const first = sendSpans(failed(), spanJson({}, { traceId: newTrace(), events: [other] }), failed());
    await waitFor('the other one to be stored', () => running.payloads().length === 1);
    expect(running.payloads()).toMatchObject([{ message: 'at a root' }]);
    await waiting();
    clock.pass(HOLD_MS);
    expect(await first).toBe(200);
    expect(running.account()).toMatchObject({ received: 3, stored: 2, reasons: { OTLP_DUPLICATE: 1 } });
  });

  it('is stored without it after the bound, and answered', async () => {
    expect(await sendInVain()).toBe(200);
    expect(running.payloads()).toMatchObject([NO_REQUEST]);
  });

  it('is stored without it after the bound by the real clock too', async () => {
    await running.close();
    running = await startOtlp({ holdMs: 1 });
    expect(await sendSpans(failed())).toBe(200);
    expect(running.payloads()).toMatchObject([NO_REQUEST]);
  });

  it('is stored when the receiver shuts down', async () => {
    const first = sendSpans(failed());
    await waiting();
    await running.close();
    expect(await first).toBe(200);
    expect(running.payloads()).toMatchObject([NO_REQUEST]);
    expect(clock.timersRunning).toBe(0);
  });
});

describe('what waits for no span', () => {
  it('are failures whose chain of parents ends at a root, or that have none', async () => {
    await sendSpans(failed({ parentSpanId: '' }));
    await sendLogs(logJson({}, { traceId: '' }), logJson({}, { traceId: newTrace(), spanId: '' }));
    expect(running.account()).toMatchObject({ stored: 3 });
    expect(clock.timersSet).toBe(0);
  });

  it('is everything with a window of 0', async () => {
    await restart({ settings: { join_window: '0' } });
    await sendSpans(failed());
    expect(clock.timersSet).toBe(0);
  });

  it('are bodies over 1 MiB', async () => {
    await sendSpans(failed(), spanJson({ filling: 'x'.repeat(1024 * 1024) }, { spanId: BETWEEN }));
    expect(running.account()).toMatchObject({ stored: 1 });
    expect(clock.timersSet).toBe(0);
  });

  it('are failures beyond the first hundred of a request', async () => {
    const many = Array.from({ length: 130 }, () => failed({ traceId: newTrace() }));
    const answer = sendSpans(...many);
    await waiting();
    expect(running.account()).toMatchObject({ stored: 30 });
    clock.pass(HOLD_MS);
    await answer;
    expect(running.account()).toMatchObject({ stored: 130 });
  });

  it('are requests while 64 others wait', async () => {
    const held = Array.from({ length: 64 }, () => sendSpans(failed({ traceId: newTrace() })));
    await waiting(64);
    expect(await sendSpans(failed({ traceId: newTrace() }))).toBe(200);
    expect(running.account()).toMatchObject({ stored: 1 });
    clock.pass(HOLD_MS);
    expect(new Set(await Promise.all(held))).toEqual(new Set([200]));
  });
});

describe('a sender whose missing spans do not come', () => {
  it('is not held after three times in vain; after a minute one request tries again', async () => {
    for (let time = 0; time < 3; time++) await sendInVain();
    await sendSpans(failed({ traceId: newTrace() }));
    expect(clock.timersSet).toBe(3);
    clock.pass(REST_MS);
    const trying = sendSpans(failed({ traceId: newTrace() }));
    await waiting();
    await sendSpans(failed({ traceId: newTrace() }));
    expect(clock.timersSet).toBe(4);
    clock.pass(HOLD_MS);
    await trying;
    await sendSpans(failed({ traceId: newTrace() }));
    expect(clock.timersSet).toBe(4);
  });

  it('is trusted again when one comes', async () => {
    for (let time = 0; time < 2; time++) await sendInVain();
    const traceId = newTrace();
    const joined = sendSpans(failed({ traceId }));
    await waiting();
    await sendSpans(serverSpan({ traceId }));
    await joined;
    for (let time = 0; time < 3; time++) await sendInVain();
    expect(clock.timersSet).toBe(6);
  });

  it('does not keep its log records, or others, from being held', async () => {
    for (let time = 0; time < 3; time++) await sendInVain();
    const answer = sendLogs(logJson());
    await waiting();
    clock.pass(HOLD_MS);
    expect(await answer).toBe(200);
  });
});

describe('a request that is refused while one of its failures waits for a span', () => {
  const refusal = new Fault('STORE_FULL', 'full', { retryable: true });

  it('gives it up with the rest, and stores everything once when it comes again', async () => {
    const other = exceptionJson({ 'exception.type': 'Other', 'exception.message': 'at a root' });
    const spans = [failed(), spanJson({}, { traceId: newTrace(), events: [other] })];
    running.consumer.before = () => Promise.reject(refusal);
    expect(await sendSpans(...spans)).toBe(503);
    expect(clock.timersSet).toBe(0);
    running.consumer.before = () => {};
    const again = sendSpans(...spans);
    await waiting();
    await sendSpans(serverSpan());
    expect(await again).toBe(200);
    expect(running.payloads()).toMatchObject([{ message: 'at a root' }, { message: 'boom', ...REQUEST }]);
    expect(running.account()).toMatchObject({ stored: 2, reasons: { STORE_FULL: 2 } });
  });

  it('is refused with it after the wait, together with who reports the same', async () => {
    const first = sendSpans(failed());
    await waiting();
    running.consumer.before = () => Promise.reject(refusal);
    const second = sendSpans(serverSpan({ events: [exceptionJson()] }));
    expect(await Promise.all([first, second])).toEqual([503, 503]);
    running.consumer.before = () => {};
    expect(await sendSpans(failed())).toBe(200);
    expect(running.payloads()).toMatchObject([REQUEST]);
  });

  it('does not lock two requests that report each other’s failures', async () => {
    const [a, b] = [newTrace(), newTrace()];
    const first = sendSpans(failed({ traceId: a }));
    await waiting(1);
    const second = sendSpans(failed({ traceId: b }), failed({ traceId: a, spanId: BETWEEN }));
    await waiting(2);
    const third = sendSpans(failed({ traceId: b, spanId: BETWEEN }));
    await sendSpans(serverSpan({ traceId: a }), serverSpan({ traceId: b }));
    expect(await Promise.all([first, second, third])).toEqual([200, 200, 200]);
    expect(running.account()).toMatchObject({ stored: 2, reasons: { OTLP_DUPLICATE: 2 } });
  });
});

describe('the OpenTelemetry SDK for JavaScript with a SimpleSpanProcessor', () => {
  it.each(['http/json', 'http/protobuf', 'grpc'])(
    'ends in one event with its request over %s, although each span is exported on its own',
    async (protocol) => {
      const url = protocol === 'grpc' ? `http://${running.grpcAddress}` : running.httpUrl;
      await promisify(execFile)(process.execPath, [CLIENT, protocol, url]);
      expect(running.payloads()).toMatchObject([{ method: 'POST', route: '/carts/:id', status_code: 500 }]);
      expect(running.account()).toMatchObject({ received: 3, stored: 1, reasons: { OTLP_DUPLICATE: 2 } });
    },
  );
});
