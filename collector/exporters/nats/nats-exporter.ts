import { v4 } from 'uuid';
import { parseDuration } from '../../../config/values/duration.js';
import type { FailureActions } from '../../../core/contract/reader.js';
import { toEventId } from '../../../core/event/ids.js';
import { isJsonObject } from '../../../core/event/json.js';
import type { EventStore } from '../../../core/storage/event-store.js';
import type { RecordFollower } from '../../../core/storage/following/record-follower.js';
import type { StoreNote } from '../../../core/storage/following/store-note.js';
import type { ExporterStats } from '../../../generated/reader-answers.js';
import type { NatsExporterSettings } from '../../../generated/settings.js';
import type { ExporterFactory, FollowingExporter, Internal } from '../../component/built-in.js';
import { fleetNames, parseMarks, parseResend } from '../../nats/fleet-messages.js';
import { openNats } from '../../nats/nats-transport.js';
import { runningActions, SharedActions, type SharingStore } from '../../nats/shared-actions.js';
import type { NatsTransport } from '../../nats/transport.js';
import type { Counter } from '../../telemetry/meters.js';
import { ExportTelemetry } from '../sending/export-telemetry.js';
import { RunningSender } from '../sending/running-sender.js';
import { AppliedPositions } from './applied-positions.js';
import { FleetSender, type SearchTimes } from './fleet-sender.js';

const SEARCH_TIMES: SearchTimes = { askMs: 10_000, stalledMs: 30_000, rewindMs: 2_000 };

interface NatsExporterContext extends Pick<Internal, 'meters' | 'states' | 'logger'> {
  /** `opened` is called between its `start` and `shutdown`. */
  readonly store: { opened(): Pick<EventStore, 'follow' | 'note' | 'grouper'> & SharingStore };
  /** Default: a connection to the servers. */
  readonly connect?: () => Promise<NatsTransport>;
  /** Default: 10, 30 and 2 seconds. */
  readonly times?: SearchTimes;
}

/** Exporter `nats`: events for the gateways of a fleet. */
export const natsExporter: ExporterFactory<NatsExporterSettings> = {
  stability: 'alpha',
  create: (settings, { id, internal }) => new NatsExporter(id, settings, internal),
};

/** Its cursor is behind what all gateways of its fleet have stored. Faults of `start`: also `FOLLOWER_EXISTS`. */
export class NatsExporter implements Required<FollowingExporter> {
  readonly destination: string;
  /** Undefined unless the settings share actions. */
  readonly actions: (() => FailureActions) | undefined;
  readonly #id: string;
  readonly #settings: NatsExporterSettings;
  readonly #context: NatsExporterContext;
  readonly #telemetry: ExportTelemetry;
  readonly #rewinds: Counter;
  readonly #applied = new AppliedPositions();
  readonly #running = new RunningSender();
  #follower: RecordFollower | undefined;
  #transport: NatsTransport | undefined;
  #sender: FleetSender | undefined;
  #shared: SharedActions | undefined;
  readonly #unsubscribe: (() => void)[] = [];

  constructor(id: string, settings: NatsExporterSettings, context: NatsExporterContext) {
    const { meters, states, logger } = context;
    this.#id = id;
    this.#settings = settings;
    this.#context = context;
    this.destination = settings.servers.join(', ');
    this.actions = settings.share_actions ? () => runningActions(this.#shared) : undefined;
    this.#rewinds = meters.counter('faultline_exporter_rewinds', { exporter: id });
    const about = { id, destination: this.destination, meters, states, logger };
    this.#telemetry = new ExportTelemetry(about, () => this.#follower?.status());
  }

  stats(): ExporterStats {
    return this.#telemetry.stats();
  }

  async start(): Promise<void> {
    const { connect = () => this.#connect(), logger, times = SEARCH_TIMES } = this.#context;
    const store = this.#context.store.opened();
    const { sending_queue: queue, share_actions: sharesActions } = this.#settings;
    const holdMs = parseDuration(queue.retention_hold);
    this.#follower = await store.follow({ name: this.#id, startAt: queue.start_at, holdMs });
    const note = store.note(`${this.#id} fleet`);
    const source = await this.#loadSource(note);
    this.#transport = await connect();
    this.#sender = new FleetSender({
      settings: this.#settings,
      source,
      follower: this.#follower,
      transport: this.#transport,
      applied: this.#applied,
      telemetry: this.#telemetry,
      times,
      groupingKey: () => this.#context.store.opened().grouper.key,
      rewinds: this.#rewinds,
      logger,
      stop: this.#running.stop,
    });
    this.#subscribe(this.#sender, this.#transport, source, note);
    this.#run(this.#sender);
    if (!sharesActions) return;
    this.#shared = new SharedActions({ ...this.#settings, transport: this.#transport, store, logger });
    await this.#shared.start();
  }

  async shutdown(): Promise<void> {
    await this.#running.end();
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    await this.#sender?.saveCursor();
    await this.#shared?.shutdown();
    await this.#transport?.close();
    this.#telemetry.stop();
    await this.#follower?.close();
    this.#follower = undefined;
  }

  #connect(): Promise<NatsTransport> {
    return openNats(this.#settings, { key: `exporters.${this.#id}`, logger: this.#context.logger });
  }

  #run(sender: FleetSender): void {
    const onFailure = (reason: string): void => this.#telemetry.reportFailing(reason);
    this.#telemetry.start();
    this.#running.run(() => sender.send(), onFailure);
    this.#running.run(() => sender.watch(), onFailure);
  }

  #subscribe(sender: FleetSender, transport: NatsTransport, source: string, note: StoreNote): void {
    const names = fleetNames(this.#settings.prefix);
    this.#unsubscribe.push(
      transport.subscribe(names.applied(source), (body) => {
        const marks = parseMarks(body);
        if (marks === undefined) return;
        if (this.#applied.mark(marks)) {
          const { gateway, own } = marks;
          this.#context.logger.info({ gateway, own }, 'a gateway stores events of this collector');
          void this.#saveSource(note, source).catch(() => undefined);
        }
        sender.saveCursorSometimes();
      }),
      transport.subscribe(names.resend(source), (body) => {
        const request = parseResend(body);
        if (request !== undefined) sender.requestRewind(request.after);
      }),
    );
  }

  /** Returns the UUID under which this collector sends, a new one at the first start, and restores the gateways that it knew. */
  async #loadSource(note: StoreNote): Promise<string> {
    const content = (await note.read()) ?? null;
    const saved = isJsonObject(content) ? content : {};
    const source = toEventId(String(saved['source'])) ?? v4();
    this.#applied.restore(saved['gateways']);
    await this.#saveSource(note, source);
    return source;
  }

  async #saveSource(note: StoreNote, source: string): Promise<void> {
    await note.write(JSON.stringify({ source, gateways: this.#applied.toJson() }));
  }
}
