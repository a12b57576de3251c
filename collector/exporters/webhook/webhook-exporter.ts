import { messageOf } from '../../../core/event/fault.js';
import type { EventStore } from '../../../core/storage/event-store.js';
import { ArrivalSignal } from '../../../core/storage/following/arrival-signal.js';
import type { ExporterStats } from '../../../generated/reader-answers.js';
import type { WebhookExporterSettings } from '../../../generated/settings.js';
import type { ExporterFactory, ExporterInternal, FollowingExporter } from '../../component/built-in.js';
import { HttpClient } from '../sending/http-client.js';
import { beginBackoff } from '../sending/retrying.js';
import { RunningSender } from '../sending/running-sender.js';
import { type Alert, type Call, openingOf, totalOf } from './alert.js';
import { AlertQueue, MAX_WAITING_ALERTS } from './alert-queue.js';
import { AlertTelemetry } from './alert-telemetry.js';
import { type DeliverCallOptions, signingKey } from './deliver-call.js';
import { publicLookup, refusedLiteral } from './public-address.js';
import { CallRate, type SendCallsOptions, sendCalls } from './send-calls.js';
import { slackBody } from './slack-body.js';
import { ChangeWatcher, watchSpikes } from './watch-changes.js';

/** Alerts in one call. Slack's message names 10 and counts the others; in JSON all of a call are listed. */
const MAX_TOGETHER: Readonly<Record<WebhookExporterSettings['format'], number>> = {
  json: 100,
  slack: MAX_WAITING_ALERTS,
};

type WebhookContext = Pick<ExporterInternal, 'meters' | 'states' | 'logger' | 'store'>;

/** Exporter `webhook`: alerts about issues. */
export const webhookExporter: ExporterFactory<WebhookExporterSettings> = {
  stability: 'alpha',
  create: (settings, { id, internal }) => new WebhookExporter(id, settings, internal),
};

/** Its id names its note; `destination` leaves out what may be secret. */
class WebhookExporter implements Required<Omit<FollowingExporter, 'actions'>> {
  readonly destination: string;
  readonly #id: string;
  readonly #settings: WebhookExporterSettings;
  readonly #context: WebhookContext;
  readonly #url: URL;
  readonly #telemetry: AlertTelemetry;
  readonly #running = new RunningSender();
  #client: HttpClient | undefined;
  #queue: AlertQueue | undefined;

  constructor(id: string, settings: WebhookExporterSettings, context: WebhookContext) {
    const { meters, states, logger } = context;
    this.#id = id;
    this.#settings = settings;
    this.#context = context;
    this.#url = new URL(settings.endpoint);
    this.destination = this.#url.origin;
    const about = { id, destination: this.destination, meters, states, logger };
    this.#telemetry = new AlertTelemetry(about, () => this.#queue);
  }

  stats(): ExporterStats {
    return this.#telemetry.stats();
  }

  /** Fault `TLS_UNREADABLE`. */
  async start(): Promise<void> {
    const store = this.#context.store.opened();
    const lookup = this.#settings.allow_private_addresses ? undefined : publicLookup();
    const client = await HttpClient.open(this.#id, this.#settings, this.#url, lookup);
    this.#client = client;
    const queue = await AlertQueue.open(store.note(this.#id));
    this.#queue = queue;
    const arrivals = new ArrivalSignal();
    const watcher = this.#createWatcher(store, queue, arrivals);
    if (queue.cursor === undefined) await watcher.beginNow();
    this.#telemetry.start();
    this.#runAll(store, queue, watcher, {
      arrivals,
      rate: new CallRate(this.#settings.max_alerts_per_minute),
      deliver: this.#deliverOptions(client),
      save: () => this.#save(queue),
      maxAlertsPerCall: MAX_TOGETHER[this.#settings.format],
    });
  }

  async shutdown(): Promise<void> {
    await this.#running.end();
    this.#client?.close();
    if (this.#queue !== undefined) await this.#save(this.#queue);
    this.#telemetry.stop();
    this.#queue = undefined;
  }

  #createWatcher(store: EventStore, queue: AlertQueue, arrivals: ArrivalSignal): ChangeWatcher {
    const { on, query } = this.#settings;
    return new ChangeWatcher({
      changes: store,
      reader: store.reader,
      queue,
      kinds: new Set(on),
      query,
      logger: this.#context.logger,
      stop: this.#running.stop,
      save: () => this.#save(queue),
      onAlerts: () => arrivals.notify(1),
      onCaughtUp: () => this.#telemetry.reportHealthy('watching'),
    });
  }

  #deliverOptions(client: HttpClient): DeliverCallOptions {
    const settings = this.#settings;
    const { format, terminal_url: terminalUrl, signing_secret: secret } = settings;
    return {
      client,
      telemetry: this.#telemetry,
      stop: this.#running.stop,
      abort: this.#running.abort,
      bodyOf: (call) => (format === 'slack' ? slackBody(call, terminalUrl) : jsonBody(call, terminalUrl)),
      key: secret === undefined ? undefined : signingKey(secret),
      refused: settings.allow_private_addresses ? undefined : refusedLiteral(this.#url),
      beginBackoff: () => beginBackoff(settings.retry_on_failure),
    };
  }

  #runAll(store: EventStore, queue: AlertQueue, watcher: ChangeWatcher, sending: SendCallsOptions): void {
    const running = this.#running;
    const onSendingFailed = (reason: string): void => this.#telemetry.reportFailing(reason);
    const onWatchingFailed = (reason: string): void => this.#telemetry.reportFailing(reason, 'watching');
    running.run(() => watchSpikes(store.reader, queue, running.stop), onWatchingFailed);
    running.run(() => watcher.watch(), onWatchingFailed);
    running.run(() => sendCalls(queue, sending), onSendingFailed);
  }

  /** A note that cannot be written stops nothing: the next one makes up for it, and a crash before that tells some alerts again. */
  async #save(queue: AlertQueue): Promise<void> {
    try {
      await queue.save();
      this.#telemetry.reportHealthy('saving');
    } catch (error) {
      this.#telemetry.reportFailing(`its alerts could not be saved: ${messageOf(error)}`, 'saving');
    }
  }
}

/** Encodes a call in format `json`, after Standard Webhooks: type, timestamp, data; deterministic. */
export function jsonBody({ at, alerts, beyond }: Call, terminalUrl: string | undefined) {
  const [first, ...others] = alerts;
  if (first !== undefined && others.length + totalOf(beyond) === 0) {
    return { type: `issue.${first.kind}`, timestamp: first.at, data: dataOf(first, terminalUrl) };
  }
  const listed = alerts.map((alert) => ({
    type: `issue.${alert.kind}` as const,
    timestamp: alert.at,
    ...dataOf(alert, terminalUrl),
  }));
  return { type: 'issues.many', timestamp: at, data: { alerts: listed, beyond } };
}

/** With the command that opens the terminal, and the URL of the latest event in the reading API, null if unknown. */
function dataOf(alert: Alert, terminalUrl: string | undefined) {
  if (terminalUrl === undefined) return { issue: alert.issue };
  const { browse, issue, eventUrl } = openingOf(alert, terminalUrl);
  return { issue: alert.issue, terminal: browse, command: issue, event_url: eventUrl };
}
