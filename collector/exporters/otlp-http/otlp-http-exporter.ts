import type { ExporterStats } from '../../../generated/reader-answers.js';
import type { OtlpHttpExporterSettings } from '../../../generated/settings.js';
import type { Component, ComponentContext } from '../../component/component.js';
import { type FollowedStore, followStore } from '../sending/follow-store.js';
import { type HttpClient, openHttpClient } from '../sending/http-client.js';
import { beginBackoff } from '../sending/retrying.js';
import { type DeliverOptions, deliverEvents } from './deliver.js';

/** Creates exporter `otlp_http`, whose id also names its cursor. Faults of `start`: `TLS_UNREADABLE`, `FOLLOWER_EXISTS`. */
export function createOtlpHttpExporter(
  id: string,
  settings: OtlpHttpExporterSettings,
  context: Pick<ComponentContext, 'meters' | 'states' | 'logger'> & { readonly store: FollowedStore },
): Component & { readonly destination: string; stats(): ExporterStats } {
  const { sending_queue: queue, retry_on_failure: retry, encoding, compression } = settings;
  const url = urlOf(settings);
  const destination = `${url.origin}${url.pathname}`;
  const following = followStore({ ...context, id, destination, queue, isDurable: true });
  const { telemetry, stop, abort } = following;
  let client: HttpClient | undefined;

  return {
    destination,
    stats: telemetry.stats,

    async start() {
      client = await openHttpClient(id, settings, url);
      const isCompressed = compression === 'gzip';
      const options: DeliverOptions = {
        ...{ client, encoding, isCompressed, telemetry, stop, abort },
        beginBackoff: () => beginBackoff(retry),
      };
      await following.start((events) => deliverEvents(events, options));
    },

    async shutdown() {
      await following.shutdown();
      client?.close();
    },
  };
}

function urlOf({ endpoint, logs_endpoint: logsEndpoint }: OtlpHttpExporterSettings): URL {
  if (logsEndpoint !== undefined) return new URL(logsEndpoint);
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/logs`;
  return url;
}
