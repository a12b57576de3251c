import type { ServerResponse } from 'node:http';
import express, { type RequestHandler } from 'express';
import { quoted } from '../../config/values/printable.js';
import type { HealthCheckExtensionSettings } from '../../generated/settings.js';
import type { Extension, ExtensionFactory, ExtensionInternal } from '../component/built-in.js';
import { literalPath } from '../http/endpoints/served-path.js';
import { RequestFault } from '../http/messages/http-fault.js';
import { sendJson } from '../http/messages/respond.js';
import { allow } from '../http/middleware/allow.js';
import { createCollectorHealth, httpStatusOf } from './collector-health.js';

/** Extension `health_check`: whether the collector is ready and healthy, over HTTP. */
export const healthCheckExtension: ExtensionFactory<HealthCheckExtensionSettings> = {
  stability: 'alpha',
  create: (settings, { id, internal }) => createHealthCheckExtension(id, settings, internal),
};

/** Creates extension `health_check`; `parts` returns the current components. Its `url` is undefined unless its endpoint listens. */
export function createHealthCheckExtension(
  id: string,
  settings: HealthCheckExtensionSettings,
  context: Pick<ExtensionInternal, 'servers' | 'states' | 'toleratesTakenPorts' | 'parts'>,
): Extension {
  const { servers, states, parts, toleratesTakenPorts } = context;
  const startedAtMs = Date.now();
  const startTime = new Date(startedAtMs).toISOString();
  const health = createCollectorHealth(states, parts, startedAtMs);

  const answerReady: RequestHandler = (_request, response) => {
    const obstacles = health.obstacles();
    const isReady = obstacles.length === 0;
    const status = isReady ? 'Server available' : 'Server not available';
    const uptime = `${Math.round((Date.now() - startedAtMs) / 1000)}s`;
    send(response, isReady ? 200 : 503, { status, upSince: startTime, uptime, ...(!isReady && { obstacles }) });
  };

  const answerLive: RequestHandler = (_request, response) => send(response, 200, { status: 'Server available' });

  const answerStatus: RequestHandler = (request, response) => {
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

  const router = express.Router({ caseSensitive: true, strict: true });
  router.get(literalPath(settings.path), ...allow({ kind: 'open' }), answerReady);
  router.get(literalPath(settings.live_path), ...allow({ kind: 'open' }), answerLive);
  router.get(literalPath(settings.status_path), ...allow({ kind: 'open' }), answerStatus);

  return {
    reportsHealth: true,
    routes: [
      {
        endpoint: settings.endpoint,
        router,
        allowedHosts: settings.allowed_hosts,
        transport: { tls: settings.tls },
        reportsHealth: true,
        setting: `extensions.${id}.endpoint`,
        toleratesTakenPort: toleratesTakenPorts,
      },
    ],
    get url() {
      return servers.urlOf(settings.endpoint);
    },
  };
}

function send(response: ServerResponse, status: number, body: object): void {
  sendJson(response, status, JSON.stringify(body));
}
