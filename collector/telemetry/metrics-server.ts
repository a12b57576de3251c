import type { Logger } from 'pino';
import type { MetricsSettings } from '../../config/settings.js';
import type { Component } from '../component.js';
import type { HotHandler } from '../http/http-door.js';
import { sendJson } from '../http/respond.js';
import type { ServerPool } from '../http/server-pool.js';
import type { ComponentStates } from './component-states.js';
import { createEventLoopDelay } from './event-loop-delay.js';
import { createExposition } from './exposition.js';
import { expositionFormatFor } from './exposition-format.js';
import type { Ledger } from './ledger.js';
import { ledgerSamples } from './ledger-samples.js';
import type { Meters } from './meters.js';
import { openWatchingDoor } from './open-watching-door.js';
import { processSamples } from './process-samples.js';
import { stateSamples } from './state-samples.js';

/** What a metrics server is built from. */
export interface MetricsServerOptions {
  readonly settings: MetricsSettings;
  readonly servers: ServerPool;
  readonly ledger: Ledger;
  readonly meters: Meters;
  readonly states: ComponentStates;
  readonly logger: Logger;
  /** As of the service; default false. */
  readonly toleratesTakenPorts?: boolean;
}

/** Serves `GET /metrics` for Prometheus. */
export interface MetricsServer extends Component {
  /** Address of the metrics, with the real port; undefined while they are not served. */
  readonly url: string | undefined;
}

const PATH = '/metrics';
const NAME = 'service.telemetry.metrics';

/**
 * Builds the server and takes its path; undefined where the level is `none`. It answers while components start and stop, with what there is.
 * Throws `ROUTE_TAKEN`; its start `LISTEN_FAILED`.
 */
export function createMetricsServer(options: MetricsServerOptions): MetricsServer | undefined {
  const { settings, servers, ledger, meters, states, logger, toleratesTakenPorts = false } = options;
  if (settings.level === 'none') return undefined;
  const door = servers.door(settings.address, { component: NAME, allowedHosts: settings.allowed_hosts });
  const eventLoop = createEventLoopDelay();
  const write = createExposition({
    meters,
    others: { ...ledgerSamples(ledger), ...stateSamples(states), ...processSamples(eventLoop) },
  });
  const answer: HotHandler = async (request, response) => {
    const { contentType, text } = await write(expositionFormatFor(request.headers.accept));
    sendJson(response, 200, text, { 'content-type': contentType });
  };
  door.route('GET', PATH, answer);
  door.route('HEAD', PATH, answer);
  return {
    get url() {
      return door.isOpen ? door.url + PATH : undefined;
    },
    async start() {
      eventLoop.start();
      try {
        await openWatchingDoor(door, { setting: `${NAME}.address`, toleratesTakenPorts, logger });
      } catch (error) {
        eventLoop.stop();
        throw error;
      }
    },
    async shutdown() {
      eventLoop.stop();
      await door.close();
    },
  };
}
