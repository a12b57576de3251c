import { pino } from 'pino';
import { IngestMemory } from '../../../collector/component/ingest-memory.js';
import { createNatsExporter } from '../../../collector/exporters/nats/nats-exporter.js';
import { createStoreExporter, type StoreExporter } from '../../../collector/exporters/store-exporter.js';
import { createNatsReceiver } from '../../../collector/receivers/nats/nats-receiver.js';
import { createComponentStates } from '../../../collector/telemetry/component-states.js';
import { createLedger } from '../../../collector/telemetry/ledger.js';
import { createMeters } from '../../../collector/telemetry/meters.js';
import type { CounterName, GaugeName } from '../../../collector/telemetry/metric-catalogue.js';
import type { ReceivedEvent, StoredEvent } from '../../../core/contract/stages.js';
import type { EventId } from '../../../core/event/ids.js';
import { openEventStore } from '../../../core/storage/event-store.js';
import type { MemoryNats, MemoryTransport } from '../../helpers/nats/memory-transport.js';
import { settingsFor } from '../running-service.js';

const logger = pino({ level: process.env['FLEET_LOG'] ?? 'silent' });
/** The ingest memory of a gateway. */
export const GATEWAY_INGEST_BYTES = 8 * 1024 * 1024;
/** Short, so that losses are noticed soon; a busy machine stores events more slowly than `stalledMs`, and they are sent twice. */
const TIMES = { askMs: 30, stalledMs: 60, rewindMs: 10 };

async function startStore(directory: string): Promise<StoreExporter> {
  const exporter = createStoreExporter({
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
export async function startSidecar(
  nats: MemoryNats,
  directory: string,
  sets: readonly string[] = [],
  times: Partial<typeof TIMES> = {},
) {
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
  const exporter = createNatsExporter('nats', settings, {
    store,
    meters: createMeters(),
    states: createComponentStates(),
    logger,
    connect: async () => {
      transport = nats.connect();
      return transport;
    },
    times: { ...TIMES, ...times },
  });
  await exporter.start();
  return {
    store,
    exporter,
    transport: () => transport as MemoryTransport,
    async send(events: readonly ReceivedEvent['payload'][]): Promise<StoredEvent[]> {
      const batch = { receiver: 'events', events: events.map((payload) => ({ payload })) };
      return (await store.consume(batch)).flatMap((one) => (one.kind === 'stored' ? one.stored : []));
    },
    async stop() {
      await exporter.shutdown();
      await store.shutdown();
    },
  };
}

/** A collector that stores what others send. */
export async function startGateway(nats: MemoryNats, directory: string, ...sets: string[]) {
  const store = await startStore(directory);
  const settings = settingsFor(
    directory,
    'receivers.nats.servers=["nats://localhost"]',
    'receivers.nats.replicas=1',
    ...sets.map((set) => `receivers.nats.${set}`),
  ).receivers['nats'];
  if (settings === undefined || !('own' in settings)) throw new Error('bad fixture');
  const ledger = createLedger();
  const meters = createMeters();
  const ingest = new IngestMemory(GATEWAY_INGEST_BYTES, meters);
  let transport: MemoryTransport | undefined;
  /** Called before and after a batch is stored; may throw. */
  const hooks = { before: () => {}, after: async () => {} };
  const receiver = createNatsReceiver({
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
    states: createComponentStates(),
    store,
    connect: async () => {
      transport = nats.connect();
      return transport;
    },
  });
  await receiver.start();
  return {
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
      await receiver.shutdown();
      await store.shutdown();
    },
  };
}

export type Sidecar = Awaited<ReturnType<typeof startSidecar>>;
export type Gateway = Awaited<ReturnType<typeof startGateway>>;
