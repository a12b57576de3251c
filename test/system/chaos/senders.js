// Clients of the receivers over HTTP and gRPC.
import { pause } from './collector.js';
import { payloadOf } from './journal.js';
import { nativeRequests } from './native-sender.js';
import { otlpRequests } from './otlp-sender.js';
import { sentryRequests } from './sentry-sender.js';

const LOAD = ['native', 'native', 'native', 'otlp', 'traces', 'sentry', 'logs', 'sessions'];

/**
 * Sends with small pauses until `life.isStopped`. A way to send returns the events of one request, the request, which resolves to a status as of
 * HTTP, and whether a repetition of it stores nothing. With sampling only events with an address are acknowledged.
 */
export function startSenders({ journal, urls, life }) {
  const { random } = journal;
  const tools = {
    journal,
    urls,
    life,
    batch: (by, most) => Array.from({ length: 1 + random.below(most) }, () => journal.add(by, payloadOf(random))),
    acknowledgeAll(receiver, events) {
      if (!life.isSampling) for (const { event } of events) journal.acknowledge(receiver, event);
    },
    post: (path, body, headers) => fetch(urls.ingest + path, { method: 'POST', body, headers }),
  };
  const otlp = otlpRequests(tools);
  const ways = { ...nativeRequests(tools), ...otlp.ways, ...sentryRequests(tools) };

  const attempt = async (sending, isFirst) => {
    const { name, events, request, isRepeatable } = sending;
    let status;
    try {
      status = await request();
    } catch {
      life.unanswered += 1;
      // Receivers remember requests in memory, so a request that is repeated to another process may be stored twice.
      if (isFirst && isRepeatable) journal.unanswered.push(sending);
      return;
    }
    life.statuses[status] = (life.statuses[status] ?? 0) + 1;
    if (![200, 503].includes(status)) journal.report('responses', events[0]?.uid ?? name, `${name} returned ${status}`);
    if (!isFirst || !isRepeatable || life.isStopped || !random.chance(0.15)) return;
    // If the disk also failed to roll back, a start may adopt refused events.
    if (status !== 200 && life.hasFaults) for (const { event } of events) event.mostTimes = 2;
    await attempt(sending, false);
  };
  const sender = async (name) => {
    while (!life.isStopped) {
      const again = random.chance(0.1) ? journal.unanswered.pop() : undefined;
      if (again === undefined) await attempt({ name, ...ways[name]() }, true);
      else {
        for (const { event } of again.events) event.mostTimes = 2;
        await attempt(again, false);
      }
      await pause(random.below(30));
    }
  };
  Object.assign(life, { unanswered: 0, statuses: {}, isStopped: false });
  const load = life.hasRepetitions ? [...LOAD, 'exceptionPair', 'sentryPair'] : LOAD;
  const running = Promise.all(load.map(sender));
  return {
    async finish() {
      life.isStopped = true;
      await running;
      otlp.close();
    },
  };
}
