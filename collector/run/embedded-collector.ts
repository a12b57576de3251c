import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { loadConfig } from '../../config/load-config.js';
import { Fault } from '../../core/event/fault.js';
import { within } from '../../core/within.js';
import { Service } from '../service/service.js';
import type { CollectorEndpoints } from './child-environment.js';
import { type RunSource, runNamesOf } from './run-source.js';

/** A collector that a program sends to. */
export interface RunCollector {
  readonly endpoints: CollectorEndpoints;
  /** Stops the collector if it is in this process. */
  close(): Promise<void>;
}

const START_TIMEOUT_MS = 10_000;

/** Starts a collector on free ports, with the reading API if `isReadable`. Faults: its components', and `START_TOO_SLOW` after 10 s. */
export async function openEmbeddedCollector(
  directory: string,
  source: RunSource,
  { isReadable = false }: { readonly isReadable?: boolean } = {},
): Promise<RunCollector> {
  const file = { name: 'faultline run', text: configText(directory, source, isReadable) };
  const { settings } = loadConfig({ files: [file], sets: [], env: {} });
  const service = new Service(settings, { logger: pino({ level: 'silent' }), keepsGroupingRules: true });
  try {
    const started = service.start().then(() => true);
    if (!(await within(START_TIMEOUT_MS, started)))
      throw new Fault('START_TOO_SLOW', 'the collector was not ready within 10 s');
    return { endpoints: endpointsOf(service), close: () => service.shutdown() };
  } catch (error) {
    // The fault of the start is the cause; a fault of the shutdown adds nothing.
    await service.shutdown().catch(() => undefined);
    throw error;
  }
}

/** JSON, which is valid YAML, with escaped `$`. Without gRPC, which is slow to start: programs get the endpoint for OTLP over HTTP. */
function configText(directory: string, source: RunSource, isReadable: boolean): string {
  const { app, service, env } = runNamesOf(source);
  const endpoint = 'localhost:0';
  const project = { public_key: randomBytes(16).toString('hex'), app, service, env };
  const config = {
    receivers: {
      events: { endpoint },
      otlp: { protocols: { http: { endpoint } } },
      sentry: { endpoint, projects: { '1': project } },
    },
    exporters: { store: { directory } },
    ...(isReadable && { extensions: { query: { endpoint } } }),
    service: {
      ...(isReadable && { extensions: ['query'] }),
      pipelines: { events: { receivers: ['events', 'otlp', 'sentry'], exporters: ['store'] } },
      telemetry: { metrics: { level: 'none' } },
    },
  };
  return JSON.stringify(config).replaceAll('$', '$$$$');
}

function endpointsOf(service: Service): CollectorEndpoints {
  const { receivers } = service.describe();
  const urlOf = (receiverId: string): string | undefined => receivers.find(({ id }) => id === receiverId)?.url;
  const eventsUrl = urlOf('events');
  if (eventsUrl === undefined) throw new Fault('RUN_INCOMPLETE', 'the embedded collector has no events receiver');
  return { url: new URL(eventsUrl).origin, otlpUrl: urlOf('otlp'), sentryDsn: urlOf('sentry') };
}
