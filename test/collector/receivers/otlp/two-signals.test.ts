import fc from 'fast-check';
import { Fault } from '../../../../core/event/fault.js';
import { repeatsOf, weightOf } from '../../../../core/event/raw-payload.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { attributesJson, exceptionJson, logJson, logsBody, spanJson, tracesBody } from './bodies.js';
import { SERVER_SPAN, SPAN } from './records.js';
import { JSON_TYPE, restart, running, send, startForEachTest } from './running-otlp.js';

startForEachTest();

const RAISED = '  File "/app/pay.py", line 9, in charge\n    raise Declined("card 1 declined")\n';
const LOGGED = `Traceback (most recent call last):\n  File "/app/pay.py", line 4, in handle\n    charge()\n${RAISED}`;
const ON_SPAN = `Traceback (most recent call last):\n  File "/sdk/trace.py", line 602, in use_span\n    yield span\n${LOGGED}`;

/** As OpenTelemetry for Python 1.45 sends one exception: the log record has the bare name of the class. */
const LOG = {
  'exception.type': 'Declined',
  'exception.message': 'card 1 declined',
  'exception.stacktrace': `${LOGGED}pay.Declined: card 1 declined\n`,
};
const EVENT = {
  'exception.type': 'pay.Declined',
  'exception.message': 'card 1 declined',
  'exception.stacktrace': `${ON_SPAN}pay.Declined: card 1 declined\n`,
};
const at = (offset: number) => String(1_700_000_000_000_000_000n + BigInt(offset));

const log = (values = {}, others = {}) => logJson({ ...LOG, ...values }, others);
const event = (values = {}, others = {}, offset = 0) =>
  spanJson(
    { 'http.request.method': 'POST' },
    { events: [exceptionJson({ ...EVENT, ...values }, at(offset))], ...others },
  );
const sendLogs = async (...records: ReturnType<typeof log>[]) => (await send(logsBody(...records))).status;
const sendSpans = async (...spans: ReturnType<typeof event>[]) =>
  (await send(tracesBody(...spans), JSON_TYPE, { path: '/v1/traces' })).status;
/** The same request of a resource with other names. */
const named = (body: string, names: Record<string, string>) =>
  body.replace(JSON.stringify(attributesJson({ 'service.name': 'checkout' })), JSON.stringify(attributesJson(names)));
const weights = () => running.payloads().map(({ extra }) => weightOf(extra));
const idAt = (line: number) => `01890000-0000-7000-8000-${String(line).padStart(12, '0')}`;

describe('an exception that a log record and a span event report with different stacks', () => {
  it('is stored twice and counts once, as the first report', async () => {
    await sendLogs(log());
    await sendSpans(event());
    expect(weights()).toEqual([1, 0]);
    const [first, second] = running.payloads();
    expect([first?.error_name, second?.error_name]).toEqual(['pay.Declined', 'pay.Declined']);
    expect([first?.method, second?.method]).toEqual([null, 'POST']);
    expect(repeatsOf(second?.extra ?? null)).toBe(idAt(0));
    expect(running.account()).toMatchObject({ received: 2, stored: 2 });
  });

  it('counts once in the other order', async () => {
    await sendSpans(event());
    await sendLogs(log());
    expect(weights()).toEqual([1, 0]);
  });

  it('counts once if the messages differ and the exception was raised in the same line', async () => {
    await sendLogs(log({ 'exception.type': 'KeyError', 'exception.message': 'sku' }));
    await sendSpans(event({ 'exception.type': 'KeyError', 'exception.message': "'sku'" }));
    expect(weights()).toEqual([1, 0]);
  });

  it('counts once if one has no message, in languages that print the latest call first', async () => {
    const stack = (frames: string) => `Declined\n    at charge (/app/pay.js:9:3)\n${frames}`;
    await sendLogs(log({ 'exception.message': '', 'exception.stacktrace': stack('    at log (/app/a.js:1:1)') }));
    await sendSpans(event({ 'exception.stacktrace': stack('    at span (/app/b.js:1:1)') }));
    expect(weights()).toEqual([1, 0]);
  });

  it('counts once if the message of the log record begins with what the logger said', async () => {
    const values = {
      'exception.type': '*errors.errorString',
      'exception.message': 'disk full',
      'exception.stacktrace': '',
    };
    await sendSpans(event(values));
    await sendLogs(log(values, { body: { stringValue: 'payment failed' } }));
    expect(weights()).toEqual([1, 0]);
    expect(running.payloads()[1]?.message).toBe('payment failed: disk full');
  });

  it.each<[string, object, object]>([
    ['another type', { 'exception.type': 'pay.Refused' }, {}],
    ['no type', { 'exception.type': '', 'exception.stacktrace': '' }, {}],
    ['another message and place', { 'exception.message': 'other', 'exception.stacktrace': 'Declined: other' }, {}],
    ['neither message nor stack', { 'exception.message': '', 'exception.stacktrace': '' }, {}],
    ['another span', {}, { spanId: SERVER_SPAN }],
    ['no span', {}, { spanId: '' }],
    ['another trace', {}, { traceId: '00000000000000000000000000000001' }],
  ])('counts twice with %s', async (_, values, others) => {
    await sendSpans(event());
    await sendLogs(log(values, others));
    expect(weights()).toEqual([1, 1]);
  });

  it.each<[string, Record<string, string>, object]>([
    ['service', { 'service.name': 'gateway' }, {}],
    ['app', { 'service.name': 'checkout', 'service.namespace': 'till' }, {}],
    ['service, with the same stack', { 'service.name': 'gateway' }, EVENT],
  ])('counts for each of two resources with another %s', async (_, names, values) => {
    for (const entryFirst of [true, false]) {
      await restart({});
      const sendNamed = () => send(named(logsBody(log(values)), names));
      if (entryFirst) await sendNamed();
      await sendSpans(event());
      if (!entryFirst) await sendNamed();
      expect(weights()).toEqual([1, 1]);
      expect(new Set(running.payloads().map(({ app, service }) => `${app} ${service}`)).size).toBe(2);
      // Each is still one occurrence with the other signal of its own service.
      await sendSpans(event());
      await sendNamed();
      await send(named(tracesBody(event()), names), JSON_TYPE, { path: '/v1/traces' });
      expect(weights().filter((weight) => weight === 1)).toHaveLength(2);
    }
  });

  it('counts a report with a stack itself if the one before has none, and not in the other order', async () => {
    const bare = { 'exception.stacktrace': '' };
    await sendLogs(log(bare));
    await sendSpans(event());
    expect(weights()).toEqual([1, 1]);
    await restart({});
    await sendSpans(event());
    await sendLogs(log(bare));
    expect(weights()).toEqual([1, 0]);
  });

  it('counts each time if one signal reports it twice in a span, as a loop of attempts does', async () => {
    await sendLogs(log({}, { timeUnixNano: at(0) }), log({}, { timeUnixNano: at(1000) }));
    await sendSpans(event({}, {}, 1001));
    await sendSpans(event({}, {}, 1));
    expect(running.payloads().map(({ extra }) => repeatsOf(extra))).toEqual([undefined, undefined, idAt(1), idAt(0)]);
  });

  it('counts twice with a window of 0', async () => {
    await restart({ settings: { join_window: '0' } });
    await sendLogs(log());
    await sendSpans(event());
    expect(weights()).toEqual([1, 1]);
  });

  it('stores a repeated request once', async () => {
    for (let time = 0; time < 3; time += 1) {
      await sendLogs(log());
      await sendSpans(event());
    }
    expect(weights()).toEqual([1, 0]);
    expect(running.account()).toMatchObject({ received: 6, stored: 2, reasons: { OTLP_DUPLICATE: 4 } });
  });

  it('waits for the first report, and is refused with it; a retry counts once', async () => {
    const held = running.consumer.holdNext();
    const first = sendLogs(log());
    await held.arrived;
    const second = sendSpans(event(), spanJson());
    await waitFor('the second to arrive', () => running.account()?.filtered === 1);
    held.refuse(new Fault('STORE_FULL', 'full', { retryable: true }));
    expect(await Promise.all([first, second])).toEqual([503, 503]);
    expect([await sendSpans(event(), spanJson()), await sendLogs(log())]).toEqual([200, 200]);
    expect(weights()).toEqual([1, 0]);
  });

  it('counts once if the second report was refused and sent again', async () => {
    await sendLogs(log());
    running.consumer.before = () => {
      throw new Fault('STORE_FULL', 'full', { retryable: true });
    };
    expect(await sendSpans(event())).toBe(503);
    running.consumer.before = () => {};
    expect(await sendSpans(event())).toBe(200);
    expect(weights()).toEqual([1, 0]);
  });

  it('counts as the second report if a filter dropped the first, and not at all if the first was sampled out', async () => {
    for (const as of ['filtered', 'sampled'] as const) {
      await restart({});
      running.consumer.outcome = ({ payload }) =>
        payload.method === null ? { kind: 'dropped', as, reason: 'TEST' } : undefined;
      await sendLogs(log());
      await sendSpans(event());
      expect(weights()).toEqual(as === 'filtered' ? [1] : []);
    }
  });

  it('counts a sender that sets the mark itself', async () => {
    const faultline = { 'faultline.hops': 1, 'faultline.notes': { repeats: idAt(7) }, 'faultline.sampled': 5 };
    await sendLogs(logJson({ ...LOG, ...faultline }, { traceId: '', spanId: '' }));
    expect(weights()).toEqual([1]);
    expect(running.payloads()[0]?.extra).toMatchObject({ faultline: { sender: { sampled: 5 } } });
    await restart({ settings: { accept_sampled_counts: true } });
    await sendLogs(logJson({ ...LOG, 'faultline.hops': 1, 'faultline.notes': { repeats: idAt(7) } }));
    expect(weights()).toEqual([0]);
  });

  it('counts as often as the signal that reports it more often, in any order and any requests', async () => {
    const report = fc.record({ signal: fc.constantFrom('log', 'event'), offset: fc.nat(1_000_000) });
    const requests = fc.array(fc.uniqueArray(report, { minLength: 1, maxLength: 4 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(requests, fc.boolean(), async (sent, isParallel) => {
        await restart({});
        const reports = new Set<string>();
        const sending = sent.map((request) => async () => {
          const logs = request.filter(({ signal }) => signal === 'log');
          const events = request.filter(({ signal }) => signal === 'event');
          for (const { signal, offset } of request) reports.add(`${signal} ${offset}`);
          const toSend = [
            () => sendLogs(...logs.map(({ offset }) => log({}, { timeUnixNano: at(offset) }))),
            () => sendSpans(...events.map(({ offset }) => event({}, {}, offset))),
          ];
          return isParallel ? Promise.all(toSend.map((one) => one())) : [await toSend[0]?.(), await toSend[1]?.()];
        });
        if (isParallel) await Promise.all(sending.map((one) => one()));
        else for (const one of sending) await one();
        const count = (signal: string) => [...reports].filter((one) => one.startsWith(signal)).length;
        expect(weights()).toHaveLength(reports.size);
        expect(weights().reduce((sum, one) => sum + one, 0)).toBe(Math.max(count('log'), count('event')));
        const payloads = running.payloads();
        const repeated = payloads.flatMap(({ extra }) => repeatsOf(extra) ?? []);
        expect(new Set(repeated).size).toBe(repeated.length);
        for (const id of repeated) expect(weightOf(payloads[Number(id.slice(-12))]?.extra ?? null)).toBe(1);
      }),
    );
  });

  it('is recognised among hostile values without an error', async () => {
    const hostile = ['__proto__', '\u0000', '\n  File "'.repeat(50_000), ' '.repeat(200_000), { a: [1] }];
    for (const value of hostile) {
      const values = { 'exception.type': value, 'exception.message': value, 'exception.stacktrace': value };
      expect(await sendLogs(logJson(values, { spanId: SPAN }))).toBe(200);
      expect(await sendSpans(spanJson({}, { events: [exceptionJson({ ...values, other: 1 })] }))).toBe(200);
    }
  });
});
