import { messageOf } from '../../../core/event/fault.js';
import { ArrivalSignal } from '../../../core/storage/following/arrival-signal.js';
import type { WebhookExporterSettings } from '../../../generated/settings.js';
import type { ExporterFactory, ExporterInternal, FollowingExporter } from '../../component/built-in.js';
import { type HttpClient, openHttpClient } from '../sending/http-client.js';
import { beginBackoff } from '../sending/retrying.js';
import { createRunningSender } from '../sending/running-sender.js';
import { type Alert, type Call, openingOf, totalOf } from './alert.js';
import { AlertQueue, MAX_WAITING_ALERTS } from './alert-queue.js';
import { type AlertTelemetry, createAlertTelemetry } from './alert-telemetry.js';
import { type DeliverCallOptions, signingKey } from './deliver-call.js';
import { publicLookup, refusedLiteral } from './public-address.js';
import { createCallRate, sendCalls } from './send-calls.js';
import { slackBody } from './slack-body.js';
import { beginNow, type WatchChangesOptions, watchChanges, watchSpikes } from './watch-changes.js';

/** Alerts in one call. Slack's message names 10 and counts the others; in JSON all of a call are listed. */
const MAX_TOGETHER: Readonly<Record<WebhookExporterSettings['format'], number>> = {
  json: 100,
  slack: MAX_WAITING_ALERTS,
};

/** Exporter `webhook`: alerts about issues. */
export const webhookExporter: ExporterFactory<WebhookExporterSettings> = {
  stability: 'alpha',
  create: (settings, { id, internal }) => createWebhookExporter(id, settings, internal),
};

/** Creates exporter `webhook`. Its id names its note; `destination` leaves out what may be secret. Fault of `start`: `TLS_UNREADABLE`. */
function createWebhookExporter(
  id: string,
  settings: WebhookExporterSettings,
  context: Pick<ExporterInternal, 'meters' | 'states' | 'logger' | 'store'>,
): Required<Omit<FollowingExporter, 'actions'>> {
  const { store, meters, states, logger } = context;
  const url = new URL(settings.endpoint);
  let client: HttpClient | undefined;
  let queue: AlertQueue | undefined;
  const telemetry = createAlertTelemetry({ id, destination: url.origin, meters, states, logger }, () => queue);
  const running = createRunningSender();
  const { stop, abort } = running;

  return {
    destination: url.origin,
    stats: telemetry.stats,

    async start() {
      client = await openHttpClient(id, settings, url, settings.allow_private_addresses ? undefined : publicLookup());
      const opened = await AlertQueue.open(store.opened().note(id));
      queue = opened;
      const arrivals = new ArrivalSignal();
      const save = (): Promise<void> => saved(opened, telemetry);
      const watched = { changes: store.opened(), reader: store.opened().reader, queue: opened };
      const { query } = settings;
      const kinds = new Set(settings.on);
      const watch: WatchChangesOptions = {
        ...{ ...watched, kinds, query, logger, stop, save },
        onAlerts: () => arrivals.notify(1),
        onCaughtUp: () => telemetry.reportHealthy('watching'),
      };
      if (opened.cursor === undefined) await beginNow(watch);
      telemetry.start();
      const { format, terminal_url: terminalUrl, signing_secret: secret } = settings;
      const deliver: DeliverCallOptions = {
        ...{ client, telemetry, stop, abort },
        bodyOf: (call) => (format === 'slack' ? slackBody(call, terminalUrl) : jsonBody(call, terminalUrl)),
        key: secret === undefined ? undefined : signingKey(secret),
        refused: settings.allow_private_addresses ? undefined : refusedLiteral(url),
        beginBackoff: () => beginBackoff(settings.retry_on_failure),
      };
      const rate = createCallRate(settings.max_alerts_per_minute);
      const deaf = (reason: string): void => telemetry.reportFailing(reason, 'watching');
      running.run(() => watchSpikes(watched.reader, opened, stop), deaf);
      running.run(() => watchChanges(watch), deaf);
      const sending = { arrivals, rate, deliver, save, maxAlertsPerCall: MAX_TOGETHER[settings.format] };
      running.run(() => sendCalls(opened, sending), telemetry.reportFailing);
    },

    async shutdown() {
      await running.end();
      client?.close();
      if (queue !== undefined) await saved(queue, telemetry);
      telemetry.stop();
      queue = undefined;
    },
  };
}

/** A note that cannot be kept stops nothing: the next one makes up for it, and a crash before that tells some alerts again. */
async function saved(queue: AlertQueue, telemetry: AlertTelemetry): Promise<void> {
  try {
    await queue.save();
    telemetry.reportHealthy('saving');
  } catch (error) {
    telemetry.reportFailing(`its alerts could not be saved: ${messageOf(error)}`, 'saving');
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
