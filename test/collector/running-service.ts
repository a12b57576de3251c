import { pino } from 'pino';
import { Service } from '../../collector/service/service.js';
import { loadDefaultConfig } from '../../config/default-config.js';
import { loadConfig } from '../../config/load-config.js';
import type { Stats } from '../../generated/reader-answers.js';
import type { Settings } from '../../generated/settings.js';

/** The default configuration on free ports, its data in a folder, with changes as `a.b.c=v`. */
export function settingsFor(directory: string, ...sets: string[]): Settings {
  const { settings } = loadConfig({
    files: [loadDefaultConfig()],
    sets: [
      'service.pipelines.events.receivers=[events]',
      'receivers.events.endpoint=127.0.0.1:0',
      'extensions.query.endpoint=localhost:0',
      'service.telemetry.metrics.level=none',
      'service.extensions=[query]',
      `exporters.store.directory=${directory}`,
      ...sets,
    ],
    env: {},
  });
  return settings;
}

/** A collector in this process. */
export interface RunningService {
  readonly service: Service;
  readonly eventsUrl: string;
  /** Base of the reading API. */
  readonly apiUrl: string;
  readonly logged: Record<string, unknown>[];
}

const started: RunningService[] = [];

/** Starts a collector; `stopServices` ends it after the test. */
export async function startService(settings: Settings, shutdownTimeoutMs?: number): Promise<RunningService> {
  const logged: Record<string, unknown>[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const service = new Service(settings, { logger, ...(shutdownTimeoutMs !== undefined && { shutdownTimeoutMs }) });
  await service.start();
  const { receivers, extensions } = service.describe();
  const running: RunningService = {
    service,
    eventsUrl: receivers[0]?.url ?? '',
    apiUrl: `${extensions[0]?.url ?? ''}/api/v1`,
    logged,
  };
  started.push(running);
  return running;
}

/** For `afterEach`. */
export async function stopServices(): Promise<void> {
  await Promise.all(started.splice(0).map(({ service }) => service.shutdown()));
}

/** The origin at which a receiver takes HTTP. */
export function originOf({ service }: Pick<RunningService, 'service'>, receiver: string): string {
  const { receivers } = service.describe();
  const { url = '' } = receivers.find((one) => one.id === receiver && one.url.startsWith('http')) ?? {};
  return new URL(url).origin;
}

/** The URL at which a receiver takes a protocol now. */
export function urlOf({ service }: Pick<RunningService, 'service'>, receiver: string, protocol = 'http'): string {
  return service.describe().receivers.find(({ id, url }) => id === receiver && url.startsWith(protocol))?.url ?? '';
}

export async function statsOf({ apiUrl }: Pick<RunningService, 'apiUrl'>): Promise<Stats> {
  return (await (await fetch(`${apiUrl}/stats`)).json()) as Stats;
}
