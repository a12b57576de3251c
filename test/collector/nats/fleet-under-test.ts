import { pino } from 'pino';
import type { StoreExporter } from '../../../collector/component/built-in.js';
import { IngestMemory } from '../../../collector/component/ingest-memory.js';
import { NatsExporter } from '../../../collector/exporters/nats/nats-exporter.js';
import { EventStoreExporter } from '../../../collector/exporters/store-exporter.js';
import { NatsReceiver } from '../../../collector/receivers/nats/nats-receiver.js';
import { ComponentStates } from '../../../collector/telemetry/component-states.js';
import { Ledger } from '../../../collector/telemetry/ledger.js';
import { Meters } from '../../../collector/telemetry/meters.js';
import type { CounterName, GaugeName } from '../../../collector/telemetry/metric-catalogue.js';
import type { ReceivedEvent, StoredEvent } from '../../../core/contract/stages.js';
import type { EventId } from '../../../core/event/ids.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { openEventStore } from '../../../core/storage/event-store.js';
import type { MemoryNats, MemoryTransport } from '../../helpers/nats/memory-transport.js';
import { kindOfFailure } from '../../helpers/payloads.js';
import { temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { settingsFor } from '../running-service.js';

const logger = pino({ level: process.env['FLEET_LOG'] ?? 'silent' });
/** The ingest memory of a gateway. */
export const GATEWAY_INGEST_BYTES = 8 * 1024 * 1024;
/** Short, so that losses are noticed soon; a busy machine stores events more slowly than `stalledMs`, and they are sent twice. */
const TIMES = { askMs: 30, stalledMs: 60, rewindMs: 10 };

/** Differences from a collector with a new folder and the default settings. */
interface MemberOptions {
  readonly directory?: string;
  /** Settings of its component `nats`, as `key=value`. */
  readonly sets?: readonly string[];
  readonly times?: Partial<typeof TIMES>;
}

const running = new Set<{ stop(): Promise<void> }>();

/** For `afterEach`: stops the members that still run, the last one first. */
export async function stopFleet(): Promise<void> {
  for (const member of [...running].reverse()) await member.stop();
}

async function startStore(directory: string): Promise<StoreExporter> {
  const exporter = new EventStoreExporter({
    settings: {
      directory,
      durability: 'os',
      checkpoint_interval: '5s',
      retention: { max_age: '0', max_size: '0' },
      rejected: { max_age: '0', max_size: '10MiB' },
    },
    logger,
    openStore: openEventStore,
  });
  await exporter.start();
  return exporter;
}

/** A collector that sends to the fleet. */
export async function startSidecar(nats: MemoryNats, { sets = [], times, ...options }: MemberOptions = {}) {
  const directory = options.directory ?? (await temporaryFolder());
  const store = await startStore(directory);
  const settings = settingsFor(
    directory,
    'exporters.nats.servers=["nats://localhost"]',
    'exporters.nats.replicas=1',
    'exporters.nats.sending_queue.flush_interval=1ms',
    'exporters.nats.sending_queue.start_at=beginning',
    ...sets.map((set) => `exporters.nats.${set}`),
  ).exporters['nats'];
  if (settings === undefined || !('partitions' in settings) || 'own' in settings) throw new Error('bad fixture');
  let transport: MemoryTransport | undefined;
  const exporter = new NatsExporter('nats', settings, {
    store,
    meters: new Meters(),
    states: new ComponentStates(),
    logger,
    connect: async () => {
      transport = nats.connect();
      return transport;
    },
    times: { ...TIMES, ...times },
  });
  await exporter.start();
  const sidecar = {
    store,
    exporter,
    transport: () => transport as MemoryTransport,
    async send(events: readonly ReceivedEvent['payload'][]): Promise<StoredEvent[]> {
      const batch = { receiver: 'events', events: events.map((payload) => ({ payload })) };
      return (await store.consume(batch)).flatMap((one) => (one.kind === 'stored' ? one.stored : []));
    },
    async stop() {
      running.delete(sidecar);
      await exporter.shutdown();
      await store.shutdown();
    },
  };
  running.add(sidecar);
  return sidecar;
}

/** A collector that stores what others send. */
export async function startGateway(nats: MemoryNats, { sets = [], ...options }: Omit<MemberOptions, 'times'> = {}) {
  const directory = options.directory ?? (await temporaryFolder());
  const store = await startStore(directory);
  const settings = settingsFor(
    directory,
    'receivers.nats.servers=["nats://localhost"]',
    'receivers.nats.replicas=1',
    ...sets.map((set) => `receivers.nats.${set}`),
  ).receivers['nats'];
  if (settings === undefined || !('own' in settings)) throw new Error('bad fixture');
  const ledger = new Ledger();
  const meters = new Meters();
  const ingest = new IngestMemory(GATEWAY_INGEST_BYTES, meters);
  let transport: MemoryTransport | undefined;
  /** Called before and after a batch is stored; may throw. */
  const hooks = { before: () => {}, after: async () => {} };
  const receiver = new NatsReceiver({
    id: 'nats',
    settings,
    consumer: {
      async consume(batch) {
        hooks.before();
        const outcomes = await store.consume(batch);
        await hooks.after();
        return outcomes;
      },
    },
    account: ledger.account('nats'),
    logger,
    meters,
    ingest,
    states: new ComponentStates(),
    store,
    connect: async () => {
      transport = nats.connect();
      return transport;
    },
  });
  await receiver.start();
  const gateway = {
    store,
    actions: () => receiver.actions(),
    stats: () => receiver.stats(),
    ledger,
    ingest,
    directory,
    /** The sum of a metric over its labels. */
    metric: (name: CounterName | GaugeName) => meters.samples(name).reduce((sum, { value }) => sum + value, 0),
    hooks,
    transport: () => transport as MemoryTransport,
    /** Number of stored events. */
    events: async () => (await store.opened().reader.stats()).events,
    find: (eventId: EventId) => store.opened().reader.getEvent(eventId),
    async stop() {
      running.delete(gateway);
      await receiver.shutdown();
      await store.shutdown();
    },
  };
  running.add(gateway);
  return gateway;
}

export type Sidecar = Awaited<ReturnType<typeof startSidecar>>;
export type Gateway = Awaited<ReturnType<typeof startGateway>>;

let serial = 0;

/** New events of some kinds of failure. */
export function failures(count: number, kinds = 5): RawPayload[] {
  return Array.from({ length: count }, () => {
    serial += 1;
    return kindOfFailure(serial % kinds, { request_id: `r${serial}` });
  });
}

/** Waits until a gateway has as many events as a sidecar stored; each must be there once, found by its id at the sidecar, with the same payload. */
export async function expectAll(gateway: Gateway, sidecar: Sidecar, stored: readonly StoredEvent[]): Promise<void> {
  await waitFor('all events', async () => (await gateway.events()) >= stored.length);
  await waitFor('the marks', () => sidecar.exporter.stats().waiting === 0);
  expect(await gateway.events()).toBe(stored.length);
  const ids = new Set<string>();
  for (const { event_id } of stored) {
    const [there, here] = [await sidecar.store.opened().reader.getEvent(event_id), await gateway.find(event_id)];
    expect(here?.raw.payload).toEqual(there?.raw.payload);
    expect(here?.issue_id).toBe(there?.issue_id);
    ids.add(here?.event_id ?? '');
  }
  expect(ids.size).toBe(stored.length);
}
