import { hostname } from 'node:os';
import { v4 } from 'uuid';
import { parsePartitions } from '../../../config/values/partitions.js';
import type { FailureActions } from '../../../core/contract/reader.js';
import { messageOf } from '../../../core/event/fault.js';
import { toEventId } from '../../../core/event/ids.js';
import { isJsonObject } from '../../../core/event/json.js';
import type { EventStore } from '../../../core/storage/event-store.js';
import type { StoreNote } from '../../../core/storage/following/store-note.js';
import type { GatewayStats } from '../../../generated/reader-answers.js';
import type { NatsReceiverSettings } from '../../../generated/settings.js';
import type { Receiver, ReceiverFactory, ReceiverInternal } from '../../component/built-in.js';
import type { IngestMemory } from '../../component/ingest-memory.js';
import { untilDone } from '../../component/until-done.js';
import { encodeResend, eventsStream, fleetNames, parseAsk } from '../../nats/fleet-messages.js';
import { openNats } from '../../nats/nats-transport.js';
import { runningActions, SharedActions, type SharingStore } from '../../nats/shared-actions.js';
import type { Consumption, NatsTransport } from '../../nats/transport.js';
import { ChunkIntake } from './chunk-intake.js';
import { MarkAnnouncer } from './mark-announcer.js';

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
const RETRY_MS = 1_000;

/** Receiver `nats`: the events of a fleet. */
export const natsReceiver: ReceiverFactory<NatsReceiverSettings> = {
  stability: 'alpha',
  create: (settings, { id, internal }) => new NatsReceiver({ ...internal, id, settings }),
};

/** A gateway, which announces what it stored. */
export class NatsReceiver implements Receiver {
  readonly urls: readonly string[];
  readonly #options: NatsReceiverOptions;
  readonly #ownedPartitions: readonly number[];
  readonly #consumptions = new Map<number, Consumption>();
  readonly #stop = new AbortController();
  readonly #ends: (() => void)[] = [];
  #gateway = '';
  #transport: NatsTransport | undefined;
  #intake: ChunkIntake | undefined;
  #announcer: MarkAnnouncer | undefined;
  #shared: SharedActions | undefined;
  #receiving: Promise<void> | undefined;

  constructor(options: NatsReceiverOptions) {
    this.urls = options.settings.servers;
    this.#options = options;
    this.#ownedPartitions = ownedPartitions(options.settings);
  }

  readonly actions = (): FailureActions => runningActions(this.#shared);

  stats(): GatewayStats {
    // The answer shows what the servers said before.
    void this.#announcer?.readProgress();
    return {
      gateway: this.#gateway,
      own: [...this.#ownedPartitions],
      pending: Object.fromEntries(this.#announcer?.waiting ?? []),
      ...(this.#intake?.stats() ?? { lag_ms: 0, gaps: 0, redelivered: 0, sources: [] }),
    };
  }

  /** Faults: as `openNats`, and `STORE_UNAVAILABLE`. */
  async start(): Promise<void> {
    const { id, settings, logger, connect } = this.#options;
    const store = this.#options.store.opened();
    this.#gateway = await loadGatewayId(store.note(`${id} gateway`));
    const origins = await store.origins();
    const transport = await (connect?.() ?? openNats(settings, { key: `receivers.${id}`, logger }));
    this.#transport = transport;
    const announcer = new MarkAnnouncer({
      gateway: this.#gateway,
      ownedPartitions: this.#ownedPartitions,
      prefix: settings.prefix,
      transport,
      origins,
      consumptions: this.#consumptions,
      stop: this.#stop.signal,
    });
    this.#announcer = announcer;
    const names = fleetNames(settings.prefix);
    const intake = new ChunkIntake({
      ...this.#options,
      origins,
      onStored: (source) => announcer.noteChange(source),
      onGap: (source, request) => transport.send(names.resend(source), encodeResend(request)),
    });
    this.#intake = intake;
    this.#announceMarks(announcer, transport);
    this.#measure(announcer, intake);
    this.#receiving = this.#receiveAll(transport, intake);
    this.#shared = new SharedActions({ ...settings, transport, store, logger });
    await this.#shared.start();
  }

  async shutdown(): Promise<void> {
    this.#stop.abort();
    await this.#receiving;
    await Promise.all([...this.#consumptions.values()].map((consumption) => consumption.stop()));
    await this.#intake?.idle();
    for (const end of this.#ends.splice(0)) end();
    await this.#shared?.shutdown();
    await this.#transport?.close();
  }

  #announceMarks(announcer: MarkAnnouncer, transport: NatsTransport): void {
    const timer = setInterval(() => announcer.announceChanges(), MARK_INTERVAL_MS);
    this.#ends.push(
      transport.subscribe(fleetNames(this.#options.settings.prefix).ask, (body) => {
        const source = parseAsk(body);
        if (source !== undefined) void announcer.answer(source);
      }),
      () => clearInterval(timer),
    );
  }

  #measure(announcer: MarkAnnouncer, intake: ChunkIntake): void {
    const { id, meters } = this.#options;
    const labels = { receiver: id };
    const pending = () => [...announcer.waiting.values()].reduce((sum, messages) => sum + messages, 0);
    this.#ends.push(
      meters.gauge('faultline_receiver_pending_messages', labels, pending),
      meters.gauge('faultline_receiver_lag_seconds', labels, () => intake.stats().lag_ms / 1000),
      meters.beforeScrape(async () => void announcer.readProgress()),
    );
  }

  /** Begins to receive; retries until the servers and the stream are there. */
  async #receiveAll(transport: NatsTransport, intake: ChunkIntake): Promise<void> {
    const { id, logger, states } = this.#options;
    let reported = '';
    const onFailure = (error: unknown): void => {
      const reason = messageOf(error);
      states.report('receiver', id, 'StatusRecoverableError', reason);
      if (reason !== reported) logger.warn({ reason }, 'the events of the fleet cannot be received yet');
      reported = reason;
    };
    const consume = () => this.#consumePartitions(transport, intake);
    await untilDone(consume, { stop: this.#stop.signal, firstMs: RETRY_MS, onFailure });
  }

  async #consumePartitions(transport: NatsTransport, intake: ChunkIntake): Promise<void> {
    const { id, settings, ingest, states } = this.#options;
    const names = fleetNames(settings.prefix);
    const stream = names.eventsStream;
    const consumerName = (partition: number) => `${this.#gateway}-${partition}`;
    await transport.ensureStream(eventsStream(settings));
    // Messages of partitions that it gave up must not wait for it.
    for (let partition = 0; partition < settings.partitions; partition += 1) {
      if (!this.#ownedPartitions.includes(partition)) {
        await transport.removeConsumer(stream, consumerName(partition));
      }
    }
    for (const partition of this.#ownedPartitions) {
      if (this.#consumptions.has(partition) || this.#stop.signal.aborted) continue;
      const consumer = {
        stream,
        durable: consumerName(partition),
        subject: names.events(partition),
        maxInFlight: MAX_IN_FLIGHT,
        maxBuffered: bufferedMessages(ingest, this.#ownedPartitions.length),
      };
      const consumption = await transport.consume(consumer, (message) => intake.receive(partition, message));
      this.#consumptions.set(partition, consumption);
    }
    states.report('receiver', id, 'StatusOK');
  }
}

/** Returns the UUID of the gateway, a new one at the first start. */
async function loadGatewayId(note: StoreNote): Promise<string> {
  const saved = (await note.read()) ?? null;
  const gateway = (isJsonObject(saved) ? toEventId(String(saved['gateway'])) : undefined) ?? v4();
  await note.write(JSON.stringify({ gateway }));
  return gateway;
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
  return Array.from({ length: partitions }, (_, partition) => partition).filter((partition) =>
    owns(partition, ordinal),
  );
}
