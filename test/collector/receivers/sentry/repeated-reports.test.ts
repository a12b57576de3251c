import { Fault } from '../../../../core/event/fault.js';
import type { JsonObject } from '../../../../core/event/json.js';
import { weightOf } from '../../../../core/event/raw-payload.js';
import type { HeldBatch } from '../../memory-consumer.js';
import { ENVELOPE_PATH, envelope, type RunningSentry, startSentry } from './running-sentry.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const TIME = 1_795_442_527;

function eventItem(members: JsonObject, trace: JsonObject = {}): object[] {
  const contexts = { trace: { trace_id: TRACE, span_id: SPAN, ...trace } };
  return [{ type: 'event' }, { timestamp: TIME, platform: 'python', contexts, ...members }];
}

function logItem(...entries: readonly JsonObject[]): object[] {
  const items = entries.map((entry) => ({
    timestamp: TIME + 0.01,
    trace_id: TRACE,
    span_id: SPAN,
    level: 'error',
    ...entry,
  }));
  return [
    { type: 'log', item_count: items.length },
    { version: 2, items },
  ];
}

const raised = (value: string, mechanism: JsonObject = {}): JsonObject => ({
  exception: { values: [{ type: 'PayError', value, mechanism }] },
});
const logged = (message: string): JsonObject => ({ logentry: { message } });
const fromLogger = (body: string, members: JsonObject = {}): JsonObject => ({
  body,
  attributes: { 'sentry.origin': { value: 'auto.log.stdlib', type: 'string' } },
  ...members,
});

let running: RunningSentry;
const messages = () => running.consumer.events.map(({ payload }) => payload.message);
const weights = () => running.consumer.events.map(({ payload }) => weightOf(payload.extra));
const account = () => running.ledger.snapshot()['sentry'];
const post = (...items: readonly object[]) => running.post(envelope({}, ...items));

beforeEach(async () => {
  running = await startSentry();
});
afterEach(() => running.close());

describe('a failure that an SDK sends as an event and as a log entry', () => {
  it.each<[string, JsonObject, string]>([
    ['of the logged message', { logentry: { message: 'pump %s', params: ['7'], formatted: 'pump 7' } }, 'pump 7'],
    ['of the exception', raised('card refused'), 'card refused'],
    [
      'of the exception with its type and stack',
      raised('card refused'),
      'PayError: card refused\n    at pay (a.js:1:2)',
    ],
  ])('is one event by the text %s, in one envelope or two, the entry first or last', async (_, members, body) => {
    const eventFirst = [[[...eventItem(members), ...logItem({ body })]], [eventItem(members), logItem({ body })]];
    const entryFirst = [[[...logItem({ body }), ...eventItem(members)]], [logItem({ body }), eventItem(members)]];
    for (const envelopes of [...eventFirst, ...entryFirst]) {
      await running.close();
      running = await startSentry();
      for (const items of envelopes) expect((await post(...items)).status).toBe(200);
      // An exception that comes in a later envelope is an issue of its own, unless the log entry names it too.
      const isLater = entryFirst.includes(envelopes) && envelopes.length > 1;
      const isStored = members['exception'] !== undefined && isLater;
      expect(weights()).toEqual(isStored ? [1, body.includes('\n') ? 0 : 1] : [1]);
      expect(account()).toMatchObject({ received: 2, filtered: isStored ? 0 : 1 });
    }
  });

  it('counts as an exception of its own after its entry; the entry of its framework is repeated', async () => {
    await post(...logItem({ body: 'card refused' }));
    await post(...eventItem(raised('card refused', { handled: false })));
    await post(...logItem(fromLogger('Exception on /pay [GET]', { timestamp: TIME + 0.5 })));
    expect(weights()).toEqual([1, 1]);
    expect(running.consumer.events.map(({ payload }) => payload.error_name)).toEqual(['', 'PayError']);
    expect(account()).toMatchObject({ received: 3, stored: 2, filtered: 1 });
  });

  it.each<[string, (held: HeldBatch) => void, object]>([
    ['is stored', (held) => held.release(), { stored: 1, filtered: 1, refused: 0 }],
    [
      'the pipeline refuses',
      (held) => held.refuse(new Fault('STORE_UNAVAILABLE', 'the disk is full', { retryable: true })),
      { stored: 1, filtered: 0, refused: 1 },
    ],
  ])('waits as a message for its entry, which then %s', async (_, end, counts) => {
    const held = running.consumer.holdNext();
    const entry = post(...logItem({ body: 'pump 7' }));
    await held.arrived;
    const event = post(...eventItem(logged('pump 7')));
    end(held);
    await entry;
    expect((await event).status).toBe(200);
    expect(account()).toMatchObject(counts);
  });

  it.each([
    ['filtered', 'message', logged, 1],
    ['sampled', 'message', logged, 0],
    ['filtered', 'exception', raised, 1],
    ['sampled', 'exception', raised, 1],
  ] as const)('with an entry that a processor %s, before a %s', async (as, _, members, stored) => {
    running.consumer.outcome = () => ({ kind: 'dropped', as, reason: 'X' });
    await post(...logItem({ body: 'card refused' }));
    running.consumer.outcome = () => undefined;
    await post(...eventItem(members('card refused')));
    expect(weights()).toEqual(Array<number>(stored).fill(1));
    expect(account()).toMatchObject({ received: 2, stored });
  });

  it('pairs an entry again if the exception after it was refused', async () => {
    await post(...logItem({ body: 'card refused' }));
    running.consumer.before = () => {
      throw new Fault('STORE_UNAVAILABLE', 'the disk is full', { retryable: true });
    };
    expect((await post(...eventItem(raised('card refused')))).status).toBe(503);
    running.consumer.before = () => {};
    await post(...eventItem(raised('card refused')));
    // It belongs to another exception, because the first has its entry.
    await post(...logItem({ body: 'card refused' }));
    expect(weights()).toEqual([1, 1, 1]);
  });

  it('is as many events as happened: each event covers one entry', async () => {
    await post(...eventItem(raised('card refused')));
    await post(...logItem({ body: 'card refused' }, { body: 'card refused' }));
    expect(messages()).toEqual(['card refused', 'card refused']);
  });

  it.each<[string, JsonObject, string]>([
    ['another message', { body: 'card expired' }, ENVELOPE_PATH],
    ['another trace', { body: 'card refused', trace_id: 'f'.repeat(32) }, ENVELOPE_PATH],
    ['another span', { body: 'card refused', span_id: 'f'.repeat(16) }, ENVELOPE_PATH],
    ['another project', { body: 'card refused' }, '/api/2/envelope/?sentry_key=a'],
    ['a message that is not text', { body: { __proto__: 1 } }, ENVELOPE_PATH],
  ])('is not confused with an entry of %s', async (_, entry, path) => {
    await post(...eventItem(raised('card refused')));
    await running.post(envelope({}, ...logItem(entry)), { path });
    expect(account()).toMatchObject({ stored: 2, filtered: 0 });
  });

  it('is one event if the entry has no span, as SDKs without tracing send it', async () => {
    await post(...eventItem(raised('card refused')), ...logItem({ body: 'card refused', span_id: '' }));
    expect(account()).toMatchObject({ stored: 1, filtered: 1 });
  });

  it.each<[string, JsonObject, JsonObject, number]>([
    ['its framework logs next, once', { handled: false }, fromLogger('Exception on /pay [GET]'), 1],
    ['was logged before it', { handled: false }, fromLogger('low on ink', { timestamp: TIME - 1 }), 2],
    ['was logged much later', { handled: false }, fromLogger('low on ink', { timestamp: TIME + 60 }), 2],
    ['the application sent to Sentry itself', { handled: false }, { body: 'low on ink' }, 2],
    ['follows a handled exception', { handled: true }, fromLogger('low on ink'), 2],
  ])('with an unhandled exception and an entry that %s', async (_, mechanism, entry, stored) => {
    await post(...eventItem(raised('card refused', mechanism)));
    await post(...logItem(entry));
    expect(account()).toMatchObject({ received: 2, stored });
    await post(...logItem(fromLogger('something else', { timestamp: TIME + 0.5 })));
    expect(account()?.stored).toBe(stored + (mechanism['handled'] === false && stored === 2 ? 0 : 1));
  });

  const HOST = 'shop-1';
  const REQUEST = { server_name: HOST, request: { url: 'https://shop.test/pay/7' } };
  const unhandled = (members: JsonObject = {}) => ({
    ...raised('card refused', { handled: false }),
    ...REQUEST,
    ...members,
  });
  const line = (body: string, members: JsonObject = {}, host = HOST) => ({
    ...fromLogger(body, members),
    attributes: { 'sentry.origin': { value: 'auto.log.stdlib' }, 'server.address': { value: host } },
  });
  const OUTSIDE = { trace_id: 'f'.repeat(32), span_id: '' };
  const servletLine = (quoted: string) =>
    `Servlet.service() for servlet [dispatcherServlet] in context with path [/shop] threw exception [Request processing failed: ${quoted}] with root cause`;

  it.each<[string, object[], JsonObject]>([
    [
      'Django, in the span above that of the exception',
      eventItem(unhandled(), { parent_span_id: 'a'.repeat(16) }),
      line('Internal Server Error: /pay/7', { span_id: 'a'.repeat(16) }),
    ],
    [
      'Django, after the application logged the exception',
      eventItem({ ...raised('card refused', { handled: true }), ...logged('no payment') }),
      line('Internal Server Error: /pay/7'),
    ],
    ['Uvicorn, outside of the trace', eventItem(unhandled()), line('Exception in ASGI application\n', OUTSIDE)],
    ['Tomcat, outside of the trace', eventItem(unhandled()), line(servletLine('PayError: card refused'), OUTSIDE)],
    [
      'Tomcat after an asynchronous request',
      eventItem({ ...raised('card refused', { handled: false }), server_name: HOST, transaction: 'GET /pay/{id}' }),
      line('Servlet.service() for servlet [dispatcherServlet] threw exception', OUTSIDE),
    ],
    ['Undertow', eventItem(unhandled()), line('UT005023: Exception handling request to /pay/7', OUTSIDE)],
    ['Gunicorn', eventItem(unhandled()), line('Error handling request /pay/7', OUTSIDE)],
  ])('is one event with the line that a server logs next, and counts one such line: %s', async (_, event, entry) => {
    await post(...event);
    await post(...logItem(entry));
    expect(account()).toMatchObject({ stored: 1, filtered: 1 });
    await post(...logItem(entry));
    expect(account()).toMatchObject({ stored: 2, filtered: 1 });
  });

  it.each<[string, object[], JsonObject]>([
    ['of another host', eventItem(unhandled()), line('Exception in ASGI application', OUTSIDE, 'shop-2')],
    ['that quotes another exception', eventItem(unhandled()), line(servletLine('PayError: card expired'), OUTSIDE)],
    [
      'that is late',
      eventItem(unhandled()),
      line('Exception in ASGI application', { ...OUTSIDE, timestamp: TIME + 6 }),
    ],
    ['of the application', eventItem(unhandled()), line('Servlet failed: PayError: card refused', OUTSIDE)],
    [
      'outside of the trace of a handled exception',
      eventItem({ ...raised('x', { handled: true }), ...REQUEST }),
      line('Exception in ASGI application', OUTSIDE),
    ],
    [
      'after an exception outside of a request',
      eventItem(unhandled({ request: null })),
      line('Exception in ASGI application', OUTSIDE),
    ],
    [
      'on a host without a name',
      eventItem(unhandled({ server_name: null })),
      fromLogger('Exception in ASGI application', OUTSIDE),
    ],
  ])('is not one event with a line %s', async (_, event, entry) => {
    await post(...event);
    await post(...logItem(entry));
    expect(account()).toMatchObject({ stored: 2, filtered: 0 });
  });

  it('is stored by the entry if the pipeline refused the event', async () => {
    running.consumer.before = () => {
      throw new Fault('STORE_UNAVAILABLE', 'the disk is full', { retryable: true });
    };
    expect((await post(...eventItem(raised('card refused')))).status).toBe(503);
    running.consumer.before = () => {};
    await post(...logItem({ body: 'card refused' }));
    expect(account()).toMatchObject({ stored: 1, refused: 1, filtered: 0 });
  });
});
