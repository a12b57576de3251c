// Envelopes of Sentry: errors, log entries and sessions.
import { payloadOf } from './journal.js';

const PATH = '/api/1/envelope/?sentry_key=565626d49d522e34de49f2b5665fdf31';
const SESSION_RELEASES = ['shop@2.0.0', 'shop@2.1.0'];

const hexOf = (uid) => uid.replaceAll('-', '');
const itemOf = (type, content, more) => `${JSON.stringify({ type, ...more })}\n${JSON.stringify(content)}`;

function errorItem({ uid, event: { payload } }, contexts) {
  const { error_name: type, message: value, env: environment, app, service, release } = payload;
  const exception = { values: [{ type, value }] };
  return itemOf('event', { event_id: hexOf(uid), environment, release, tags: { app, service }, exception, contexts });
}

function logItem(events, trace) {
  const items = events.map(({ uid, event: { payload } }) => ({
    timestamp: Date.now() / 1000,
    trace_id: trace ?? hexOf(uid),
    level: 'error',
    body: payload.message,
    attributes: {
      'service.name': { value: payload.service, type: 'string' },
      'sentry.environment': { value: payload.env, type: 'string' },
    },
  }));
  return itemOf('log', { items }, { item_count: items.length, content_type: 'application/vnd.sentry.items.log+json' });
}

/** The ways to send. */
export function sentryRequests({ journal, life, batch, acknowledgeAll, post }) {
  const { random } = journal;
  /** Sessions that this process of the collector knows and that did not crash. */
  const open = [];

  const send = async (header, items) => {
    const body = [JSON.stringify(header), ...items].join('\n');
    const response = await post(PATH, body, { 'content-type': 'application/x-sentry-envelope' });
    await response.arrayBuffer();
    return response.status;
  };
  const sendEvents = (events, header, items) => async () => {
    const status = await send(header, items);
    if (status === 200) acknowledgeAll('sentry', events);
    return status;
  };

  return {
    sentry() {
      const events = batch('sentry', 1);
      const request = sendEvents(events, { event_id: hexOf(events[0].uid) }, [errorItem(events[0])]);
      return { events, request, isRepeatable: true };
    },
    logs() {
      const events = batch('sentry', 4);
      return { events, request: sendEvents(events, {}, [logItem(events)]), isRepeatable: false };
    },
    /** Begins a session, or ends one that was acknowledged by a crash. */
    sessions() {
      const crashing = random.chance(0.3) ? open.pop() : undefined;
      const { sid, release } = crashing ?? { sid: random.uid(), release: random.pick(SESSION_RELEASES) };
      const counts = journal.sessions.get(release) ?? { sent: 0, acknowledged: 0, crashSent: 0, crashAcknowledged: 0 };
      journal.sessions.set(release, counts);
      const status = crashing ? { init: false, status: 'crashed', errors: 1 } : { init: true, status: 'ok', errors: 0 };
      const started = new Date().toISOString();
      const attrs = { release, environment: 'production' };
      const session = { sid, did: `user-${random.below(50)}`, started, timestamp: started, attrs, ...status };
      const request = async () => {
        counts[crashing ? 'crashSent' : 'sent'] += 1;
        const answer = await send({}, [itemOf('session', session)]);
        if (answer === 200) counts[crashing ? 'crashAcknowledged' : 'acknowledged'] += 1;
        if (answer === 200 && !crashing && !life.isStopped) open.push({ sid, release });
        return answer;
      };
      return { events: [], request, isRepeatable: false };
    },
    /** A failure that an SDK sends as a log entry and as an error, in either order: the error counts where the entry does. */
    sentryPair() {
      const payload = payloadOf(random);
      const event = journal.add('sentry', payload, { mostTimes: 2 });
      const trace = hexOf(random.uid());
      const error = errorItem(event, { trace: { trace_id: trace, span_id: trace.slice(16) } });
      const log = logItem([event], trace);
      const requests = [sendEvents([event], {}, [log]), sendEvents([event], { event_id: hexOf(event.uid) }, [error])];
      const request = async () => {
        if (random.chance(0.3)) return await sendEvents([event], { event_id: hexOf(event.uid) }, [error, log])();
        const [first, second] = random.chance(0.7) ? requests : requests.toReversed();
        return Math.max(await first(), await second());
      };
      return { events: [event], request, isRepeatable: false };
    },
  };
}
