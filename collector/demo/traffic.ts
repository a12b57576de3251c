import { Fault } from '../../core/event/fault.js';
import type { RawPayload } from '../../core/event/raw-payload.js';
import { createRandom } from './random.js';
import { liveEvents, pastEvents } from './schedule.js';

/** Small, so that the past arrives in its order: one commit is ordered by partition. */
const BATCH = 50;
const TICK_MS = 500;

/** Where and with what chances the shop's failures are sent. */
export interface TrafficOptions {
  /** Where the events receiver takes events. */
  eventsUrl: string;
  /** Events of the past day to begin with. */
  pastEvents: number;
  seed: number;
  /** Called when a batch of live traffic could not be sent; traffic goes on. */
  onFault: (fault: Error) => void;
}

/** Live traffic that runs until it is stopped. */
export interface Traffic {
  /** Lets the batch on its way finish; nothing is sent afterwards. */
  stop(): Promise<void>;
}

async function send(eventsUrl: string, payloads: readonly RawPayload[]): Promise<void> {
  const response = await fetch(eventsUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', prefer: 'return=minimal' },
    body: payloads.map((payload) => JSON.stringify(payload)).join('\n'),
  });
  const answer = await response.text();
  if (!response.ok)
    throw new Fault(
      'DEMO_REFUSED',
      `the collector answered ${response.status} to the demo's traffic: ${answer.slice(0, 300)}`,
    );
}

/** Sends the past day, then goes on with live traffic in the background. */
export async function startTraffic(options: TrafficOptions): Promise<Traffic> {
  const random = createRandom(options.seed);
  const startMs = Date.now();
  const past = pastEvents(random, startMs, options.pastEvents);
  for (let first = 0; first < past.length; first += BATCH)
    await send(options.eventsUrl, past.slice(first, first + BATCH));

  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    if (running !== undefined) return;
    const events = liveEvents(random, Date.now(), startMs, TICK_MS);
    if (events.length === 0) return;
    running = send(options.eventsUrl, events)
      .catch((error: unknown) => options.onFault(error instanceof Error ? error : new Error(String(error))))
      .finally(() => {
        running = undefined;
      });
  }, TICK_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
