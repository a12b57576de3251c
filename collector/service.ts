import type { Logger } from 'pino';
import type { Settings } from '../config/settings.js';
import { Fault } from '../core/event/fault.js';
import { buildLine, type Line, type Named } from './build-line.js';
import type { Component } from './component.js';
import { createDrainClock, type DrainClock } from './http/drain-clock.js';
import { createServerPool } from './http/server-pool.js';
import { createLedger } from './telemetry/ledger.js';

/** How a service is run; written by code, not by operators. */
export interface ServiceOptions {
  readonly logger: Logger;
  /** Milliseconds in which `shutdown` ends, default 4,500: with the end of the process itself 5 seconds, after which many supervisors kill. */
  readonly shutdownTimeoutMs?: number;
  /** Whether new events are grouped by the rules with which a data folder was last opened, default false: by those of the settings. */
  readonly keepsGroupingRules?: boolean;
}

/** Where a running service is reached and where its data lies. */
export interface ServiceDescription {
  /** Addresses that take events, in the order of the configuration; a receiver may have several. */
  readonly receivers: readonly { readonly id: string; readonly url: string }[];
  readonly extensions: readonly { readonly id: string; readonly url: string }[];
  /** `keeps` says for how long events are kept. */
  readonly exporters: readonly { readonly id: string; readonly directory: string; readonly keeps: string }[];
}

/** The whole collector in one process. */
export interface Service {
  /** Starts from the far end of the line. When a component fails, stops those that started and throws a Fault that names it. */
  start(): Promise<void>;
  /**
   * Stops from the near end: no new requests, then what was accepted is stored, then the store is closed. Safe to call twice, and while it starts:
   * a rebuild of the index is interrupted and goes on at the next start.
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
  const { logger, shutdownTimeoutMs, keepsGroupingRules = false } = options;
  const timeoutMs = shutdownTimeoutMs ?? DEFAULT_SHUTDOWN_TIMEOUT_MS;
  const drain = createDrainClock(timeoutMs * DRAIN_SHARE);
  const servers = createServerPool({ drain, logger });
  const line = buildLine(settings, { servers, ledger: createLedger(), logger, keepsGroupingRules });
  return new LineService(line, { logger, drain, timeoutMs });
}

interface LineServiceOptions {
  readonly logger: Logger;
  readonly drain: DrainClock;
  readonly timeoutMs: number;
}

class LineService implements Service {
  readonly #line: Line;
  readonly #options: LineServiceOptions;
  /** What runs, in the order in which it was started: one list for each stage. */
  readonly #running: Named<Component>[][] = [];
  readonly #stop = new AbortController();
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(line: Line, options: LineServiceOptions) {
    this.#line = line;
    this.#options = options;
  }

  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  shutdown(): Promise<void> {
    this.#stopping ??= this.#shutdown();
    return this.#stopping;
  }

  describe(): ServiceDescription {
    const { receivers, extensions, exporters } = this.#line;
    return {
      receivers: receivers.flatMap(({ id, component }) => component.urls.map((url) => ({ id, url }))),
      extensions: extensions.map(({ id, component }) => ({ id, url: component.url })),
      exporters: exporters.map(({ id, component }) => ({ id, directory: component.directory, keeps: component.keeps })),
    };
  }

  async #start(): Promise<void> {
    const { exporters, processors, extensions, receivers } = this.#line;
    // Whoever is told that events are taken may look at them at once: reading opens before receiving.
    for (const stage of [exporters, processors, extensions, receivers]) {
      const started: Named<Component>[] = [];
      this.#running.push(started);
      for (const one of stage) {
        await this.#startOne(one);
        started.push(one);
      }
    }
  }

  async #startOne(one: Named<Component>): Promise<void> {
    const { id, kind, component } = one;
    try {
      if (this.#stopping !== undefined) throw new Fault('COLLECTOR_STOPPING', 'the collector is being stopped');
      await component.start(this.#stop.signal);
    } catch (error) {
      await this.#stopRunning();
      throw notStarted(one, error);
    }
    this.#options.logger.info({ component: id, kind }, 'started');
  }

  async #shutdown(): Promise<void> {
    const { drain, timeoutMs } = this.#options;
    drain.begin();
    this.#stop.abort();
    const unstopped = await within(timeoutMs, this.#stopAll());
    if (unstopped?.length === 0) return;
    const what =
      unstopped === undefined ? `not everything stopped within ${timeoutMs} ms` : `${unstopped} did not stop`;
    throw new Fault('SHUTDOWN_INCOMPLETE', `${what}: the log says more; what was acknowledged is on the disk`);
  }

  async #stopAll(): Promise<string[]> {
    // A start that failed was answered to whoever asked for it.
    await this.#starting?.catch(() => undefined);
    return await this.#stopRunning();
  }

  /** Stops the stages from the near end, whatever each of them says. Resolves with the ids of those that failed. */
  async #stopRunning(): Promise<string[]> {
    const failed: string[] = [];
    for (let stage = this.#running.pop(); stage !== undefined; stage = this.#running.pop()) {
      await Promise.all(
        stage.map(async ({ id, kind, component }) => {
          try {
            await component.shutdown();
            this.#options.logger.info({ component: id, kind }, 'stopped');
          } catch (error) {
            failed.push(id);
            this.#options.logger.error({ component: id, kind, err: error }, 'did not stop');
          }
        }),
      );
    }
    return failed;
  }
}

function notStarted({ id, kind, component }: Named<Component>, error: unknown): Fault {
  const sentence = `${kind} ${id} did not start: ${error instanceof Error ? error.message : String(error)}`;
  if (error instanceof Fault) return new Fault(error.code, sentence, { cause: error });
  // What the system says of a full disk names no folder.
  const where =
    'directory' in component ? `. Look at ${component.directory}: it must be whole, writable and have room` : '';
  return new Fault('COMPONENT_FAILED', `${sentence}${where}`, { cause: error });
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
