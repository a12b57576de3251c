import { parseDuration } from '../../../config/values/duration.js';
import type { RecordFollower } from '../../../core/storage/following/record-follower.js';
import type { ExporterStats } from '../../../generated/reader-answers.js';
import type { OtlpHttpExporterSettings } from '../../../generated/settings.js';
import type { Component, ComponentContext } from '../../component/component.js';
import { ExportTelemetry } from '../sending/export-telemetry.js';
import { type HttpClient, openHttpClient } from '../sending/http-client.js';
import { RecordSender } from '../sending/record-sender.js';
import { beginBackoff } from '../sending/retrying.js';
import { type FollowedStore, RunningSender } from '../sending/running-sender.js';
import { type DeliverOptions, deliverEvents } from './deliver.js';

/** Creates exporter `otlp_http`, whose id also names its cursor. Faults of `start`: `TLS_UNREADABLE`, `FOLLOWER_EXISTS`. */
export function createOtlpHttpExporter(
  id: string,
  settings: OtlpHttpExporterSettings,
  context: Pick<ComponentContext, 'meters' | 'states' | 'logger'> & { readonly store: FollowedStore },
): Component & { readonly destination: string; stats(): ExporterStats } {
  const { store, meters, states, logger } = context;
  const { sending_queue: queue, retry_on_failure: retry, encoding, compression } = settings;
  const url = urlOf(settings);
  const destination = `${url.origin}${url.pathname}`;
  let follower: RecordFollower | undefined;
  let client: HttpClient | undefined;
  let sender: RecordSender | undefined;
  const telemetry = new ExportTelemetry({ id, destination, meters, states, logger }, () => follower?.status());
  const running = new RunningSender();
  const { stop, abort } = running;

  return {
    destination,
    stats: () => telemetry.stats(),

    async start() {
      client = await openHttpClient(id, settings, url);
      const holdMs = parseDuration(queue.retention_hold);
      const opened = await store.following().follow({ name: id, startAt: queue.start_at, holdMs });
      follower = opened;
      telemetry.start();
      const isCompressed = compression === 'gzip';
      const options: DeliverOptions = {
        ...{ client, encoding, isCompressed, telemetry, stop, abort },
        beginBackoff: () => beginBackoff(retry),
      };
      const bounds = { maxEvents: queue.max_batch_events, waitMs: parseDuration(queue.flush_interval) };
      const sending = new RecordSender({
        ...{ follower: opened, ...bounds, telemetry, stop },
        deliver: (events) => deliverEvents(events, options),
      });
      sender = sending;
      running.run(
        () => sending.sendAll(),
        (reason) => telemetry.reportFailing(reason),
      );
    },

    async shutdown() {
      await running.end();
      client?.close();
      await sender?.saveCursor();
      telemetry.stop();
      await follower?.close();
      follower = undefined;
    },
  };
}

function urlOf({ endpoint, logs_endpoint: logsEndpoint }: OtlpHttpExporterSettings): URL {
  if (logsEndpoint !== undefined) return new URL(logsEndpoint);
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/logs`;
  return url;
}
