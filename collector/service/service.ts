import type { Logger } from 'pino';
import { Fault } from '../../core/event/fault.js';
import type { Settings } from '../../generated/settings.js';
import { IngestMemory, ingestBytesOf } from '../component/ingest-memory.js';
import { createDrainClock } from '../http/server/drain-deadline.js';
import { createServerPool } from '../http/server/server-pool.js';
import { createComponentStates } from '../telemetry/component-states.js';
import { createLedger } from '../telemetry/ledger.js';
import { createMeters } from '../telemetry/meters.js';
import type { Pipelines } from './pipelines.js';
import { RunningPipelines } from './running-pipelines.js';

/** How a service is run; written by code, not by operators. */
export interface ServiceOptions {
  readonly logger: Logger;
  /** Milliseconds in which `shutdown` ends, default 4,500: with the end of the process itself 5 seconds, after which many supervisors kill. */
  readonly shutdownTimeoutMs?: number;
  /** Whether new events are grouped by the rules with which a data folder was last opened, default false: by those of the settings. */
  readonly keepsGroupingRules?: boolean;
  /**
   * Whether the collector starts although another process has the port of its metrics or of a health_check: the log warns, and it goes on without them. Default false:
   * it does not start.
   */
  readonly toleratesTakenPorts?: boolean;
}

/** Where a running service is reached and where its data lies. */
export interface ServiceDescription {
  /** Addresses that take events, in the order of the configuration; a receiver may have several. */
  readonly receivers: readonly { readonly id: string; readonly url: string }[];
  readonly extensions: readonly { readonly id: string; readonly url: string }[];
  /** Where the collector's own metrics are; absent where they are not served. */
  readonly metrics?: string;
  /** `keeps` says for how long events are kept. */
  readonly exporters: readonly { readonly id: string; readonly directory: string; readonly keeps: string }[];
}

/** The whole collector in one process. */
export interface Service {
  /** Starts from the far end of the line. When a component fails, stops those that started and throws a Fault that names it. */
  start(): Promise<void>;
  /**
   * Stops the line and starts one with other settings on the same sockets, without losing or refusing an event: what is sent meanwhile waits. Resolves with whether
   * anything changed; equal settings change nothing. After `start`; while that runs it waits for it, and several run one after the other. Throws `RELOAD_REFUSED` with the
   * sentence of what was wrong when the settings do not start, and then those before run again; `COLLECTOR_STOPPING` when the collector stops, or never started.
   */
  reload(settings: Settings): Promise<boolean>;
  /** Counts a reload that was refused before there were settings to change over to. */
  countRefusedReload(): void;
  /**
   * Stops from the near end: no new requests, then what was accepted is stored, then the store is closed. Safe to call twice, and while it starts:
   * a rebuild of the index is interrupted and goes on at the next start; so is a reload.
   * Throws `SHUTDOWN_INCOMPLETE` when a component failed to stop or was not done in time; what was acknowledged is on the disk even then.
   */
  shutdown(): Promise<void>;
  /** With the real ports once started. */
  describe(): ServiceDescription;
}

const DEFAULT_SHUTDOWN_TIMEOUT_MS = 4_500;
/** The part of the time that running requests have; the rest is for closing the store, which writes what the index lacks. */
const DRAIN_SHARE = 0.55;

/** Builds the line that the settings describe; nothing is opened before `start`. Throws `COMPONENT_UNKNOWN`, `ROUTE_TAKEN`. */
export function createService(settings: Settings, options: ServiceOptions): Service {
  const { logger, shutdownTimeoutMs, keepsGroupingRules = false, toleratesTakenPorts = false } = options;
  const timeoutMs = shutdownTimeoutMs ?? DEFAULT_SHUTDOWN_TIMEOUT_MS;
  const drain = createDrainClock(timeoutMs * DRAIN_SHARE);
  const meters = createMeters();
  const running = new RunningPipelines(settings, {
    servers: createServerPool({ drain, logger, meters }),
    drain,
    ledger: createLedger(),
    meters,
    ingest: new IngestMemory(ingestBytesOf(settings.service.ingest), meters),
    states: createComponentStates(),
    logger,
    keepsGroupingRules,
    toleratesTakenPorts,
  });
  // There from the start, so that the first refusal is an increase.
  const reloaded = meters.counter('faultline_config_reloads', { outcome: 'success' });
  const refused = meters.counter('faultline_config_reloads', { outcome: 'refused' });
  let stopping: Promise<void> | undefined;

  const shutdown = async (): Promise<void> => {
    const unstopped = await within(timeoutMs, running.stop());
    if (unstopped?.length === 0) return;
    const what =
      unstopped === undefined ? `not everything stopped within ${timeoutMs} ms` : `${unstopped} did not stop`;
    throw new Fault('SHUTDOWN_INCOMPLETE', `${what}: the log says more; what was acknowledged is on the disk`);
  };

  return {
    start: () => running.start(),
    async reload(changed) {
      try {
        const isChange = await running.change(changed);
        reloaded.add();
        return isChange;
      } catch (error) {
        if (error instanceof Fault && error.code === 'RELOAD_REFUSED') refused.add();
        throw error;
      }
    },
    countRefusedReload: () => refused.add(),
    shutdown() {
      stopping ??= shutdown();
      return stopping;
    },
    describe: () => describe(running.line),
  };
}

function describe({ metrics, receivers, extensions, stores }: Pipelines): ServiceDescription {
  const url = metrics[0]?.component.url;
  return {
    ...(url !== undefined && { metrics: url }),
    receivers: receivers.flatMap(({ id, component }) => component.urls.map((one) => ({ id, url: one }))),
    extensions: extensions.flatMap(({ id, component }) =>
      component.url === undefined ? [] : [{ id, url: component.url }],
    ),
    exporters: stores.map(({ id, component }) => ({ id, directory: component.directory, keeps: component.keeps })),
  };
}

/** The result, or undefined when it takes longer; then the work goes on unwatched. */
async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
