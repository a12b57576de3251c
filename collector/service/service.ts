import type { Logger } from 'pino';
import { Fault } from '../../core/event/fault.js';
import { within } from '../../core/within.js';
import type { Settings } from '../../generated/settings.js';
import { IngestMemory, ingestBytesOf } from '../component/ingest-memory.js';
import { HttpServers } from '../http/http-servers.js';
import { createDrainDeadline } from '../http/server/drain-deadline.js';
import { hostPlugins } from '../plugins/host-plugins.js';
import type { PluginComponent } from '../plugins/load-plugins.js';
import { ComponentStates } from '../telemetry/component-states.js';
import { Ledger } from '../telemetry/ledger.js';
import { type Counter, Meters } from '../telemetry/meters.js';
import type { Pipelines } from './pipelines.js';
import { RunningPipelines } from './running-pipelines.js';

interface ServiceOptions {
  readonly logger: Logger;
  readonly plugins?: readonly PluginComponent[];
  /** Time limit of `shutdown`, default 4,500 ms: with the exit of the process 5 seconds, after which many supervisors kill. */
  readonly shutdownTimeoutMs?: number;
  /** Whether the grouping rules last used in a data folder apply instead of those of the settings. Default false. */
  readonly keepsGroupingRules?: boolean;
  /** Whether to start, with a warning, without metrics or health_check if another process uses their ports. Default false: the start fails. */
  readonly toleratesTakenPorts?: boolean;
}

/** Addresses and data folders of a running service. */
export interface ServiceDescription {
  /** URLs that accept events, in the order of the configuration. */
  readonly receivers: readonly { readonly id: string; readonly url: string }[];
  readonly extensions: readonly { readonly id: string; readonly url: string }[];
  /** URL of the collector's own metrics; absent if they are not served. */
  readonly metrics?: string;
  /** `keeps` is the retention as text. */
  readonly exporters: readonly { readonly id: string; readonly directory: string; readonly keeps: string }[];
}

const DEFAULT_SHUTDOWN_TIMEOUT_MS = 4_500;
/** The share of in-flight requests; the rest is for closing the store, which writes what the index lacks. */
const DRAIN_SHARE = 0.55;

/** The collector in one process. Nothing is opened before `start`. */
export class Service {
  readonly #running: RunningPipelines;
  readonly #plugins: readonly PluginComponent[];
  readonly #shutdownTimeoutMs: number;
  readonly #reloaded: Counter;
  readonly #refused: Counter;
  #stopping: Promise<void> | undefined;

  /** Throws `COMPONENT_UNKNOWN`, `ROUTE_TAKEN` and `ROUTE_WITHOUT_ACCESS`. */
  constructor(settings: Settings, options: ServiceOptions) {
    const { logger, plugins = [], keepsGroupingRules = false, toleratesTakenPorts = false } = options;
    this.#plugins = plugins;
    this.#shutdownTimeoutMs = options.shutdownTimeoutMs ?? DEFAULT_SHUTDOWN_TIMEOUT_MS;
    const drain = createDrainDeadline(this.#shutdownTimeoutMs * DRAIN_SHARE);
    const meters = new Meters();
    this.#running = new RunningPipelines(settings, {
      servers: new HttpServers({ drain, logger, meters }),
      drain,
      ledger: new Ledger(),
      meters,
      ingest: new IngestMemory(ingestBytesOf(settings.service.ingest), meters),
      states: new ComponentStates(),
      logger,
      keepsGroupingRules,
      toleratesTakenPorts,
      plugins: hostPlugins(plugins),
    });
    // Created up front, so that the first refusal shows as an increase.
    this.#reloaded = meters.counter('faultline_config_reloads', { outcome: 'success' });
    this.#refused = meters.counter('faultline_config_reloads', { outcome: 'refused' });
  }

  /** Starts exporters first. If a component fails, stops the others and throws a Fault that names it. */
  start(): Promise<void> {
    return this.#running.start();
  }

  /** Replaces the components on the same sockets while requests are held; resolves with whether the settings differed. Throws `RELOAD_REFUSED` after it restarted the previous ones, and `COLLECTOR_STOPPING` also before `start`. */
  async reload(changed: Settings, plugins = this.#plugins): Promise<boolean> {
    try {
      const isChange = await this.#running.reload(changed, hostPlugins(plugins));
      this.#reloaded.add();
      return isChange;
    } catch (error) {
      if (error instanceof Fault && error.code === 'RELOAD_REFUSED') this.#refused.add();
      throw error;
    }
  }

  /** Counts a reload whose settings could not be loaded. */
  countRefusedReload(): void {
    this.#refused.add();
  }

  /** Stops receivers first and the store last, also during a start or reload; idempotent. Throws `SHUTDOWN_INCOMPLETE` if a component does not stop in time: acknowledged events are durable even then. */
  shutdown(): Promise<void> {
    this.#stopping ??= this.#shutdown();
    return this.#stopping;
  }

  async #shutdown(): Promise<void> {
    const timeoutMs = this.#shutdownTimeoutMs;
    const unstopped = await within(timeoutMs, this.#running.stop());
    if (unstopped?.length === 0) return;
    const what =
      unstopped === undefined ? `not everything stopped within ${timeoutMs} ms` : `${unstopped} did not stop`;
    throw new Fault('SHUTDOWN_INCOMPLETE', `${what}: the log says more; what was acknowledged is on the disk`);
  }

  /** With bound ports after `start`. */
  describe(): ServiceDescription {
    return describe(this.#running.pipelines);
  }
}

function describe({ metrics, receivers, extensions, stores }: Pipelines): ServiceDescription {
  const url = metrics[0]?.component.url;
  return {
    ...(url !== undefined && { metrics: url }),
    receivers: receivers.flatMap(({ id, component }) => (component.urls ?? []).map((url) => ({ id, url }))),
    extensions: extensions.flatMap(({ id, component }) =>
      component.url === undefined ? [] : [{ id, url: component.url }],
    ),
    exporters: stores.map(({ id, component }) => ({ id, directory: component.directory, keeps: component.retention })),
  };
}
