import { pino } from 'pino';
import { IngestMemory } from '../../collector/component/ingest-memory.js';
import { EventsReceiver } from '../../collector/receivers/events/events-receiver.js';
import { Ledger } from '../../collector/telemetry/ledger.js';
import type { EventsReceiverSettings } from '../../generated/settings.js';
import { OPEN_ENDPOINT } from '../helpers/endpoint-settings.js';
import { DEFAULT_LIMITS } from '../helpers/event-limits.js';
import { createMemoryConsumer, type MemoryConsumer } from './memory-consumer.js';
import { createServers, serveComponents } from './serve-components.js';

/** An events receiver on a free port, with a consumer in memory behind it. */
export interface RunningReceiver {
  readonly receiver: EventsReceiver;
  readonly url: string;
  readonly port: number;
  readonly consumer: MemoryConsumer;
  readonly ledger: Ledger;
  /** What the collector logged, one object per line. */
  readonly logged: Record<string, unknown>[];
  close(): Promise<void>;
}

/** Short, because nothing is under way when most tests end, and `fetch` keeps its connections open. */
const DRAIN_MS = 20;

/** How a receiver differs from the default one. */
export interface ReceiverVariant {
  readonly settings?: Partial<EventsReceiverSettings>;
  readonly maxEventSize?: string;
  readonly stallTimeoutMs?: number;
  readonly drainMs?: number;
  /** Most decompressed bytes of requests at a time; default: no bound. */
  readonly maxMemory?: number;
}

function eventsSettings(variant: ReceiverVariant = {}): EventsReceiverSettings {
  return {
    endpoint: '127.0.0.1:0',
    defaults: {},
    max_request_body_size: '64MiB',
    max_events_per_request: 100_000,
    allowed_hosts: [],
    cors: { allowed_origins: [], allowed_headers: [], max_age: '2h' },
    ...OPEN_ENDPOINT,
    idempotency_window: '10m',
    limits: { ...DEFAULT_LIMITS, ...(variant.maxEventSize !== undefined && { max_event_size: variant.maxEventSize }) },
    ...variant.settings,
  };
}

export async function startReceiver(variant: ReceiverVariant = {}): Promise<RunningReceiver> {
  const logged: Record<string, unknown>[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const servers = createServers({ logger }, variant.drainMs ?? DRAIN_MS);
  const consumer = createMemoryConsumer();
  const ledger = new Ledger();
  const receiver = new EventsReceiver({
    id: 'events',
    settings: eventsSettings(variant),
    consumer,
    servers,
    authenticatorOf: () => undefined,
    keepAcrossReloads: (_, make) => make(),
    account: ledger.account('events'),
    ingest: new IngestMemory(variant.maxMemory),
    ...(variant.stallTimeoutMs !== undefined && { stallTimeoutMs: variant.stallTimeoutMs }),
  });
  const served = await serveComponents(servers, { events: receiver });
  const [url = ''] = receiver.urls;
  const { port } = new URL(url);
  return {
    receiver,
    url,
    port: Number(port),
    consumer,
    ledger,
    logged,
    close: () => served.stop(),
  };
}
