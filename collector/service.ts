import type { Logger } from 'pino';
import { Fault } from '../core/event/fault.js';
import type { Settings } from '../generated/settings.js';
import type { Component } from './component.js';
import { createDrainClock, type DrainClock } from './http/drain-clock.js';
import { type ChangingServerPool, createServerPool } from './http/server-pool.js';
import { buildLine } from './line/build-line.js';
import { ChangeOver } from './line/change-over.js';
import { type Line, stagesOf } from './line/line.js';
import type { LineOptions } from './line/line-options.js';
import type { Part } from './line/part.js';
import { PartRunner } from './line/part-runner.js';
import { type ReloadReport, reportOf } from './line/reload-report.js';
import { reopenStore } from './line/reopen-store.js';
import { IngestMemory, ingestBytesOf } from './receivers/ingest-memory.js';
import { createComponentStates } from './telemetry/component-states.js';
import { createLedger } from './telemetry/ledger.js';
import { type Counter, createMeters } from './telemetry/meters.js';

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
   * Changes over to other settings without losing or refusing an event; resolves when what left has stopped. After `start`; while that runs it waits for it, and several
   * run one after the other. Throws `RELOAD_REFUSED` with the sentence of what was wrong, and then everything runs as before; `COLLECTOR_STOPPING` when
   * the collector stops, or never started.
   */
  reload(settings: Settings): Promise<ReloadReport>;
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
  const servers = createServerPool({ drain, logger, meters });
  const states = createComponentStates();
  const ingest = new IngestMemory(ingestBytesOf(settings.service.ingest), meters);
  const around = {
    servers,
    ledger: createLedger(),
    meters,
    ingest,
    states,
    logger,
    keepsGroupingRules,
    toleratesTakenPorts,
  };
  return new LineService(settings, { ...around, drain, timeoutMs });
}

interface LineServiceOptions extends Omit<LineOptions, 'running' | 'onStoreLost'> {
  readonly servers: ChangingServerPool;
  readonly drain: DrainClock;
  readonly timeoutMs: number;
}

class LineService implements Service {
  readonly #options: LineServiceOptions;
  readonly #runner: PartRunner;
  readonly #stop = new AbortController();
  #settings: Settings;
  #line: Line;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  /** There from the start, so that the first refusal is an increase. */
  readonly #reloadCounts: Readonly<Record<'success' | 'refused', Counter>>;
  /** Ends when the last reload that was asked for has. */
  #reloads: Promise<unknown> = Promise.resolve();

  constructor(settings: Settings, options: LineServiceOptions) {
    this.#options = options;
    const countOf = (outcome: string): Counter => options.meters.counter('faultline_config_reloads', { outcome });
    this.#reloadCounts = { success: countOf('success'), refused: countOf('refused') };
    this.#runner = new PartRunner(options);
    this.#settings = settings;
    this.#line = this.#build(settings);
  }

  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  reload(settings: Settings): Promise<ReloadReport> {
    return this.#afterReloads(() => this.#reload(settings));
  }

  countRefusedReload(): void {
    this.#reloadCounts.refused.add();
  }

  shutdown(): Promise<void> {
    this.#stopping ??= this.#shutdown();
    return this.#stopping;
  }

  describe(): ServiceDescription {
    const { receivers, extensions, exporters } = this.#line;
    const metrics = this.#line.metrics[0]?.component.url;
    return {
      ...(metrics !== undefined && { metrics }),
      receivers: receivers.flatMap(({ id, component }) => component.urls.map((url) => ({ id, url }))),
      extensions: extensions.flatMap(({ id, component: { url } }) => (url === undefined ? [] : [{ id, url }])),
      exporters: exporters.map(({ id, component }) => ({ id, directory: component.directory, keeps: component.keeps })),
    };
  }

  #build(settings: Settings, before?: Line): Line {
    const onStoreLost = (id: string, reason: Fault): void => void this.#reopen(id, reason);
    return buildLine(settings, { ...this.#options, onStoreLost, running: () => this.#line }, before);
  }

  #afterReloads<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#reloads.then(work);
    this.#reloads = done.catch(() => undefined);
    return done;
  }

  async #reopen(id: string, reason: Fault): Promise<void> {
    // It may be one that a reload has just opened.
    await this.#starting?.catch(() => undefined);
    await this.#reloads;
    const part = this.#line.exporters.find((one) => one.id === id);
    if (part === undefined || !this.#runner.isRunning(part)) return;
    await reopenStore({
      part,
      reason,
      changeOver: () => this.#afterReloads(() => this.#changeOver(this.#settings)),
      isCurrent: () => this.#line.exporters.includes(part),
      runner: this.#runner,
      stop: this.#stop.signal,
      meters: this.#options.meters,
      logger: this.#options.logger,
    });
  }

  async #start(): Promise<void> {
    try {
      for (const part of stagesOf(this.#line).flat()) await this.#runner.start(part, this.#stop.signal);
    } catch (error) {
      await this.#stopRunning();
      throw error;
    }
  }

  async #reload(settings: Settings): Promise<ReloadReport> {
    if (this.#starting === undefined || this.#stop.signal.aborted) throw stopping();
    await this.#starting;
    try {
      const report = await this.#changeOver(settings);
      this.#reloadCounts.success.add();
      return report;
    } catch (error) {
      if (this.#stop.signal.aborted) throw stopping();
      this.countRefusedReload();
      throw refused(error);
    }
  }

  async #changeOver(settings: Settings): Promise<ReloadReport> {
    const { servers, ingest, logger } = this.#options;
    const [before, stop, runner] = [this.#line, this.#stop.signal, this.#runner];
    const change = servers.beginChange();
    let after: Line;
    let changeOver: ChangeOver;
    try {
      after = this.#build(settings, before);
      changeOver = new ChangeOver({ before, after, runner, stop, logger });
      change.settle(changeOver.leaving);
      await changeOver.prepare();
    } catch (error) {
      await change.abort();
      throw error;
    }
    change.commit();
    changeOver.connect();
    this.#line = after;
    ingest.maxBytes = ingestBytesOf(settings.service.ingest);
    this.#settings = settings;
    await Promise.all([changeOver.retire(), servers.certificates.reload()]);
    return reportOf(before, after);
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
    // A start or reload that failed was answered to whoever asked for it.
    await this.#starting?.catch(() => undefined);
    await this.#reloads;
    return await this.#stopRunning();
  }

  /** Stops the stages from the near end, whatever each of them says. Resolves with the ids of those that failed. */
  async #stopRunning(): Promise<string[]> {
    const failed: Part<Component>[] = [];
    for (const stage of stagesOf(this.#line).toReversed()) {
      await Promise.all(
        stage.map(async (part) => {
          if (!(await this.#runner.stop(part))) failed.push(part);
        }),
      );
    }
    return failed.map(({ id }) => id);
  }
}

function stopping(): Fault {
  return new Fault('COLLECTOR_STOPPING', 'the collector is being stopped, or has not been started');
}

function refused(error: unknown): Fault {
  const reason = error instanceof Error ? error.message : String(error);
  const sentence = `the configuration was not reloaded, the one before goes on: ${reason}`;
  return new Fault('RELOAD_REFUSED', sentence, { cause: error });
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
