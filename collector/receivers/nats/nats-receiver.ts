import { hostname } from 'node:os';
import { v4 } from 'uuid';
import { parsePartitions } from '../../../config/values/partitions.js';
import type { FailureActions } from '../../../core/contract/reader.js';
import { messageOf } from '../../../core/event/fault.js';
import { toEventId } from '../../../core/event/ids.js';
import { isJsonObject } from '../../../core/event/json.js';
import type { EventStore } from '../../../core/storage/event-store.js';
import type { OriginLog } from '../../../core/storage/origins/origin-log.js';
import type { GatewayStats } from '../../../generated/reader-answers.js';
import type { NatsReceiverSettings } from '../../../generated/settings.js';
import type { Component, ReceiverFactory, ReceiverInternal } from '../../component/built-in.js';
import type { IngestMemory } from '../../component/ingest-memory.js';
import { untilDone, wait } from '../../component/until-done.js';
import { parsePosition } from '../../nats/chunk.js';
import {
  type AppliedMarks,
  encodeMarks,
  encodeResend,
  eventsStream,
  fleetNames,
  parseAsk,
} from '../../nats/fleet-messages.js';
import { openNats } from '../../nats/nats-transport.js';
import { runningActions, SharedActions, type SharingStore } from '../../nats/shared-actions.js';
import type { Consumption, NatsTransport } from '../../nats/transport.js';
import { type ChunkIntake, createChunkIntake } from './chunk-intake.js';

/** Options of a receiver `nats`. */
export interface NatsReceiverOptions
  extends Pick<ReceiverInternal, 'ingest' | 'logger' | 'meters' | 'states' | 'consumer' | 'account'> {
  /** Component id, `nats` or `nats/name`. */
  readonly id: string;
  readonly settings: NatsReceiverSettings;
  /** `opened` is called between `start` and `shutdown`. */
  readonly store: { opened(): Pick<EventStore, 'note' | 'origins'> & SharingStore };
  /** Default: a connection to the servers. */
  readonly connect?: () => Promise<NatsTransport>;
}

/** Messages of a partition that are handled at once. */
const MAX_IN_FLIGHT = 32;
/** Also in little memory: with one alone, each message waits for the servers. */
const MIN_BUFFERED = 2;
/** The default `max_payload` of the servers. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** What is stored is announced this often. */
const MARK_INTERVAL_MS = 200;
/** Shortest time between two requests for the progress of the consumers. */
const PROGRESS_INTERVAL_MS = 500;
const RETRY_MS = 1_000;

/** Receiver `nats`: the events of a fleet. */
export const natsReceiver: ReceiverFactory<NatsReceiverSettings> = {
  stability: 'alpha',
  create: (settings, { id, internal }) => createNatsReceiver({ ...internal, id, settings }),
};

/** Creates the receiver `nats`, a gateway, which announces what it stored. Faults of `start`: as `openNats`, and `STORE_UNAVAILABLE`. */
export function createNatsReceiver(
  options: NatsReceiverOptions,
): Component & { readonly urls: readonly string[]; actions(): FailureActions; stats(): GatewayStats } {
  const { id, settings, ingest, logger, meters, states } = options;
  const { connect = () => openNats(settings, { key: `receivers.${id}`, logger }) } = options;
  const names = fleetNames(settings.prefix);
  const own = ownedPartitions(settings);
  const consumptions = new Map<number, Consumption>();
  const stop = new AbortController();
  /** Sources whose positions changed since they were announced. */
  const changed = new Set<string>();
  const ends: (() => void)[] = [];
  let gateway = '';
  let transport: NatsTransport | undefined;
  let intake: ChunkIntake | undefined;
  let shared: SharedActions | undefined;
  /** Where the consumers will be; not read yet. */
  let nextDone: Promise<ReadonlyMap<number, number>> | undefined;
  let readAtMs = Number.NEGATIVE_INFINITY;

  function announce(origins: OriginLog, source: string, values?: ReadonlyMap<number, number>): void {
    const positions = [...(origins.applied.get(source) ?? [])].flatMap(([partition, to]) => {
      const position = parsePosition(to);
      return position === undefined || !own.includes(partition) ? [] : [[partition, position] as const];
    });
    const marks: AppliedMarks = { gateway, own, applied: new Map(positions), done: values };
    transport?.send(names.applied(source), encodeMarks(marks));
  }

  async function answer(origins: OriginLog, source: string): Promise<void> {
    // At once: before its first event, a source must know all gateways.
    announce(origins, source);
    announce(origins, source, await laterDone());
  }

  /** An answer must be newer than its question: what was sent in between would seem lost. */
  function laterDone(): Promise<ReadonlyMap<number, number>> {
    nextDone ??= wait(Math.max(0, readAtMs + PROGRESS_INTERVAL_MS - performance.now()), stop.signal).then(() => {
      nextDone = undefined;
      readAtMs = performance.now();
      return readDone();
    });
    return nextDone;
  }

  /** See `AppliedMarks.done`; partitions whose progress is unknown are left out. */
  async function readDone(): Promise<ReadonlyMap<number, number>> {
    const values = new Map<number, number>();
    await Promise.all(
      [...consumptions].map(async ([partition, consumption]) => {
        const progress = await consumption.progress().catch(() => undefined);
        if (progress === undefined) return;
        waiting.set(partition, progress.pending);
        values.set(partition, progress.pending === 0 ? Number.POSITIVE_INFINITY : progress.ackedSequence);
      }),
    );
    return values;
  }

  /** Messages that waited for this gateway when it last looked, by partition. */
  const waiting = new Map<number, number>();

  /** Begins to receive; retries until the servers and the stream are there. */
  async function receiveAll(connection: NatsTransport, target: ChunkIntake): Promise<void> {
    let reported = '';
    const receive = async (): Promise<void> => {
      await connection.ensureStream(eventsStream(settings));
      // Messages of partitions that it gave up must not wait for it.
      for (let partition = 0; partition < settings.partitions; partition += 1) {
        if (!own.includes(partition)) await connection.removeConsumer(names.eventsStream, `${gateway}-${partition}`);
      }
      for (const partition of own) {
        if (consumptions.has(partition) || stop.signal.aborted) continue;
        const subject = names.events(partition);
        const consumer = { stream: names.eventsStream, durable: `${gateway}-${partition}`, subject };
        const flow = { maxInFlight: MAX_IN_FLIGHT, maxBuffered: bufferedMessages(ingest, own.length) };
        consumptions.set(partition, await connection.consume({ ...consumer, ...flow }, target.receiver(partition)));
      }
      states.report('receiver', id, 'StatusOK');
    };
    const onFailure = (error: unknown): void => {
      const reason = messageOf(error);
      states.report('receiver', id, 'StatusRecoverableError', reason);
      if (reason !== reported) logger.warn({ reason }, 'the events of the fleet cannot be received yet');
      reported = reason;
    };
    await untilDone(receive, { stop: stop.signal, firstMs: RETRY_MS, onFailure });
  }

  let receiving: Promise<void> | undefined;
  return {
    urls: settings.servers,
    actions: () => runningActions(shared),
    stats() {
      // The answer shows what the servers said before.
      void laterDone();
      const none = { lag_ms: 0, gaps: 0, redelivered: 0, sources: [] };
      return { gateway, own, pending: Object.fromEntries(waiting), ...(intake?.stats() ?? none) };
    },

    async start() {
      const store = options.store.opened();
      const note = store.note(`${id} gateway`);
      const known = (await note.read()) ?? null;
      gateway = (isJsonObject(known) ? toEventId(String(known['gateway'])) : undefined) ?? v4();
      await note.write(JSON.stringify({ gateway }));
      const origins = await store.origins();
      const connection = await connect();
      transport = connection;
      const target = createChunkIntake({
        ...options,
        origins,
        onStored: (source) => changed.add(source),
        onGap: (source, request) => connection.send(names.resend(source), encodeResend(request)),
      });
      intake = target;
      ends.push(
        connection.subscribe(names.ask, (body) => {
          const source = parseAsk(body);
          if (source !== undefined) void answer(origins, source);
        }),
        repeat(MARK_INTERVAL_MS, () => {
          for (const source of changed) announce(origins, source);
          changed.clear();
        }),
        meters.gauge('faultline_receiver_pending_messages', { receiver: id }, () =>
          [...waiting.values()].reduce((sum, one) => sum + one, 0),
        ),
        meters.gauge('faultline_receiver_lag_seconds', { receiver: id }, () => target.stats().lag_ms / 1000),
        meters.beforeScrape(async () => void laterDone()),
      );
      receiving = receiveAll(connection, target);
      shared = new SharedActions({ ...settings, transport: connection, store, logger });
      await shared.start();
    },

    async shutdown() {
      stop.abort();
      await receiving;
      await Promise.all([...consumptions.values()].map((consumption) => consumption.stop()));
      await intake?.idle();
      for (const end of ends.splice(0)) end();
      await shared?.shutdown();
      await transport?.close();
    },
  };
}

/** Messages that the servers send ahead for each partition, so that all of them fit into the ingest memory. */
function bufferedMessages({ maxBytes }: IngestMemory, partitions: number): number {
  const fitting = Math.floor(maxBytes / (partitions * MAX_MESSAGE_BYTES));
  return Math.min(MAX_IN_FLIGHT, Math.max(MIN_BUFFERED, fitting));
}

/** The partitions that the settings name. */
function ownedPartitions({ own, partitions }: Pick<NatsReceiverSettings, 'own' | 'partitions'>): number[] {
  const owns = parsePartitions(own);
  const ordinal = Number(/-(\d+)$/.exec(hostname())?.[1] ?? 0);
  return Array.from({ length: partitions }, (_, partition) => partition).filter((one) => owns(one, ordinal));
}

function repeat(intervalMs: number, work: () => void): () => void {
  const timer = setInterval(work, intervalMs);
  return () => clearInterval(timer);
}
