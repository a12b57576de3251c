import { Fault } from '../../core/event/fault.js';
import type { RawPayload } from '../../core/event/raw-payload.js';
import { createRandom } from './random.js';
import { liveEvents, pastEvents } from './schedule.js';

/** Small, so that past events stay in order: a commit is ordered by partition. */
const BATCH = 50;
const TICK_MS = 500;

export interface TrafficOptions {
  /** URL of an events receiver. */
  eventsUrl: string;
  /** Number of events of the past day to send first. */
  pastEvents: number;
  seed: number;
  /** Called if a batch of live traffic could not be sent; traffic continues. */
  onFault: (fault: Error) => void;
}

/** Live traffic that runs until `stop`. */
export interface Traffic {
  /** Resolves after the current batch. */
  stop(): Promise<void>;
}

async function send(eventsUrl: string, payloads: readonly RawPayload[]): Promise<void> {
  const response = await fetch(eventsUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', prefer: 'return=minimal' },
    body: payloads.map((payload) => JSON.stringify(payload)).join('\n'),
  });
  const body = await response.text();
  if (!response.ok)
    throw new Fault(
      'DEMO_REFUSED',
      `the collector responded to demo traffic with ${response.status}: ${body.slice(0, 300)}`,
    );
}

/** Sends the events of the past day, then live traffic in the background. */
export async function startTraffic(options: TrafficOptions): Promise<Traffic> {
  const random = createRandom(options.seed);
  const startMs = Date.now();
  const past = pastEvents(random, startMs, options.pastEvents);
  for (let first = 0; first < past.length; first += BATCH)
    await send(options.eventsUrl, past.slice(first, first + BATCH));

  let sending: Promise<void> | undefined;
  const timer = setInterval(() => {
    if (sending !== undefined) return;
    const events = liveEvents(random, Date.now(), startMs, TICK_MS);
    if (events.length === 0) return;
    sending = send(options.eventsUrl, events)
      .catch((error: unknown) => options.onFault(error instanceof Error ? error : new Error(String(error))))
      .finally(() => {
        sending = undefined;
      });
  }, TICK_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await sending;
    },
  };
}
