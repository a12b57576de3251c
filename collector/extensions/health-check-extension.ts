import type { ServerResponse } from 'node:http';
import { quoted } from '../../config/values/printable.js';
import type { HealthCheckExtensionSettings } from '../../generated/settings.js';
import type { Component, ExtensionFactory, ExtensionInternal } from '../component/built-in.js';
import { RequestFault } from '../http/messages/http-fault.js';
import { sendJson } from '../http/messages/respond.js';
import type { RawHandler } from '../http/server/http-mount.js';
import { createCollectorHealth, httpStatusOf } from './collector-health.js';
import { openMonitoringMount } from './open-monitoring-mount.js';

/** Extension `health_check`: whether the collector is ready and healthy, over HTTP. */
export const healthCheckExtension: ExtensionFactory<HealthCheckExtensionSettings> = {
  stability: 'alpha',
  create: (settings, { id, internal }) => createHealthCheckExtension(id, settings, internal),
};

/** Creates extension `health_check`; `parts` returns the current components. Throws `ROUTE_TAKEN`; its start `LISTEN_FAILED`. */
export function createHealthCheckExtension(
  id: string,
  settings: HealthCheckExtensionSettings,
  context: Pick<ExtensionInternal, 'servers' | 'states' | 'logger' | 'toleratesTakenPorts' | 'parts'>,
): Component & { readonly url: string | undefined; readonly reportsHealth: true } {
  const { servers, states, parts, logger, toleratesTakenPorts } = context;
  const startedAtMs = Date.now();
  const startTime = new Date(startedAtMs).toISOString();
  const health = createCollectorHealth(states, parts, startedAtMs);
  const mount = servers.mount(settings.endpoint, {
    component: id,
    allowedHosts: settings.allowed_hosts,
    transport: { tls: settings.tls },
    reportsHealth: true,
  });

  const answerReady: RawHandler = async (_request, response) => {
    const obstacles = health.obstacles();
    const isReady = obstacles.length === 0;
    const status = isReady ? 'Server available' : 'Server not available';
    const uptime = `${Math.round((Date.now() - startedAtMs) / 1000)}s`;
    send(response, isReady ? 200 : 503, { status, upSince: startTime, uptime, ...(!isReady && { obstacles }) });
  };

  const answerLive: RawHandler = async (_request, response) => send(response, 200, { status: 'Server available' });

  const answerStatus: RawHandler = async (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const pipeline = searchParams.get('pipeline');
    // True if present, also without a value, unless it is `false`, as in the Collector.
    const isVerbose = (searchParams.get('verbose') ?? 'false') !== 'false';
    const shown = pipeline === null ? health.collector() : health.pipeline(pipeline);
    if (shown === undefined) {
      throw new RequestFault('PIPELINE_NOT_FOUND', `no pipeline ${quoted(pipeline ?? '')}`);
    }
    const { components, ...together } = shown;
    send(response, httpStatusOf(shown), { start_time: startTime, ...together, ...(isVerbose && { components }) });
  };

  const answers = [
    [settings.path, answerReady],
    [settings.live_path, answerLive],
    [settings.status_path, answerStatus],
  ] as const;
  for (const [path, answer] of answers)
    for (const method of ['GET', 'HEAD']) mount.route(method, path, { kind: 'open' }, answer);

  return {
    reportsHealth: true,
    get url() {
      return mount.isOpen ? mount.url : undefined;
    },
    start: () => openMonitoringMount(mount, `extensions.${id}.endpoint`, toleratesTakenPorts, logger),
    shutdown: () => mount.close(),
  };
}

function send(response: ServerResponse, status: number, body: object): void {
  sendJson(response, status, JSON.stringify(body));
}
