import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Fault, messageOf } from '../../core/event/fault.js';
import type { Settings } from '../../generated/settings.js';
import { ingestBytesOf } from '../component/ingest-memory.js';
import type { DrainDeadline } from '../http/server/drain-deadline.js';
import type { ReloadableServerPool } from '../http/server/server-pool.js';
import { SerialQueue } from '../receivers/intake/serial-queue.js';
import type { Counter } from '../telemetry/meters.js';
import { ComponentLifecycle } from './component-lifecycle.js';
import { Pipelines, type PipelinesOptions, type StoreInstance } from './pipelines.js';

interface RunningPipelinesOptions extends Omit<PipelinesOptions, 'onStoreLost'> {
  readonly servers: ReloadableServerPool;
  readonly drain: DrainDeadline;
}

/** Delay between attempts to restart failed pipelines; it doubles up to `MAX_RETRY_MS`. */
const MIN_RETRY_MS = 100;
const MAX_RETRY_MS = 5_000;

/** Runs the pipelines and replaces them on a reload, on sockets that stay open. Order: `start`, `reload` any number of times, `stop`. */
export class RunningPipelines {
  /** The latest pipelines. */
  pipelines: Pipelines;
  readonly #options: RunningPipelinesOptions;
  readonly #pipelinesOptions: PipelinesOptions;
  readonly #lifecycle: ComponentLifecycle;
  readonly #stopped = new AbortController();
  /** Settings of the last pipelines that started. */
  #settings: Settings;
  /** Whether all components run. */
  #isUp = false;
  /** Stores whose files were removed, until the pipelines are replaced. */
  readonly #lost = new Set<StoreInstance>();
  #starting: Promise<void> | undefined;
  #restoring: Promise<void> | undefined;
  readonly #reloads = new SerialQueue();

  /** Throws what `Pipelines` throws. */
  constructor(settings: Settings, options: RunningPipelinesOptions) {
    this.#options = options;
    this.#pipelinesOptions = { ...options, onStoreLost: (store, reason) => this.#onStoreLost(store, reason) };
    this.#lifecycle = new ComponentLifecycle({ ...options, stop: this.#stopped.signal });
    this.#settings = settings;
    this.pipelines = new Pipelines(settings, this.#pipelinesOptions);
  }

  /** Starts all components. If one fails, stops the others and throws a Fault that names it. Idempotent. */
  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  /** See `Service.reload`. */
  reload(settings: Settings): Promise<boolean> {
    return this.#reloads.run(() => this.#reload(settings));
  }

  /** Stops the pipelines, also during a start or reload. Resolves with the ids of components that failed to stop. */
  async stop(): Promise<string[]> {
    this.#options.drain.begin();
    this.#stopped.abort();
    // A start or change that failed was reported to its caller.
    await this.#starting?.catch(() => undefined);
    return await this.#reloads.run(() => this.#stopRunning());
  }

  async #start(): Promise<void> {
    try {
      await this.#lifecycle.start(this.pipelines);
      this.#isUp = this.#lost.size === 0;
    } catch (error) {
      await this.#stopRunning();
      throw error;
    }
  }

  async #reload(settings: Settings): Promise<boolean> {
    if (this.#starting === undefined || this.#stopped.signal.aborted) throw stopping();
    await this.#starting;
    const isChange = !this.#isUp || !isDeepStrictEqual(settings, this.#settings);
    try {
      if (isChange) await this.#replace(settings);
    } catch (error) {
      if (this.#stopped.signal.aborted) throw stopping();
      throw refused(error, await this.#restorePrevious());
    } finally {
      await this.#endReload();
    }
    this.#settings = settings;
    await this.#options.servers.certificates.reload();
    return isChange;
  }

  /** Replaces the pipelines on the same sockets. If the new ones cannot be built, the current ones continue. */
  async #replace(settings: Settings): Promise<void> {
    const { servers, drain, ingest } = this.#options;
    const before = this.pipelines;
    const open = before.stores.filter((store) => this.#lifecycle.isRunning(store) && !this.#lost.has(store));
    servers.begin();
    try {
      this.pipelines = new Pipelines(settings, this.#pipelinesOptions, open, before);
    } catch (error) {
      await servers.abandon();
      throw error;
    }
    this.#isUp = false;
    drain.begin();
    servers.cutOver();
    await this.#lifecycle.stop(before, this.pipelines);
    ingest.maxBytes = ingestBytesOf(settings.service.ingest);
    await this.#lifecycle.start(this.pipelines);
    for (const store of this.#lost) {
      if (this.pipelines.stores.includes(store)) continue;
      this.#lost.delete(store);
      this.#reopenings(store).success.add();
    }
    this.#isUp = this.#lost.size === 0;
  }

  /** Restarts the previous settings. Resolves with the error if that fails; then it is retried in the background. */
  async #restorePrevious(): Promise<unknown> {
    if (this.#isUp) return undefined;
    try {
      await this.#replace(this.#settings);
      return undefined;
    } catch (error) {
      void this.#keepRetrying();
      return error;
    }
  }

  /** Serves held requests. */
  async #endReload(): Promise<void> {
    const { servers, drain } = this.#options;
    // Endpoints that are no longer used drain now.
    if (!this.#stopped.signal.aborted) drain.begin();
    await servers.release();
  }

  #onStoreLost(store: StoreInstance, reason: Fault): void {
    const { states, logger } = this.#options;
    if (!this.pipelines.stores.includes(store)) return;
    this.#lost.add(store);
    this.#isUp = false;
    this.#reopenings(store);
    states.report(store.kind, store.id, 'StatusPermanentError', reason.message);
    logger.error({ component: store.id, err: reason }, 'the files of the store were removed; reopening it at its path');
    void this.#keepRetrying();
  }

  #keepRetrying(): Promise<void> {
    this.#restoring ??= this.#retryStart().finally(() => {
      this.#restoring = undefined;
    });
    return this.#restoring;
  }

  /** Retries the current settings until they start. Never rejects. */
  async #retryStart(): Promise<void> {
    const { signal } = this.#stopped;
    await this.#starting?.catch(() => undefined);
    let lastLogged = '';
    for (let waitMs = MIN_RETRY_MS; !this.#isUp && !signal.aborted; waitMs = Math.min(2 * waitMs, MAX_RETRY_MS)) {
      try {
        await this.#reloads.run(async () => {
          if (!this.#isUp && !signal.aborted) await this.#replace(this.#settings).finally(() => this.#endReload());
        });
      } catch (error) {
        if (signal.aborted) return;
        for (const store of this.#lost) this.#reopenings(store).failure.add();
        const sentence = messageOf(error);
        if (sentence !== lastLogged)
          this.#options.logger.error({ err: error }, 'the collector does not run as before yet');
        lastLogged = sentence;
        await wait(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  #reopenings({ id }: StoreInstance): Readonly<Record<'success' | 'failure', Counter>> {
    const { meters } = this.#options;
    const countOf = (outcome: string) => meters.counter('faultline_store_reopenings', { exporter: id, outcome });
    return { success: countOf('success'), failure: countOf('failure') };
  }

  async #stopRunning(): Promise<string[]> {
    const failed = await this.#lifecycle.stop(this.pipelines);
    await this.#options.servers.close();
    return failed;
  }
}

function stopping(): Fault {
  return new Fault('COLLECTOR_STOPPING', 'the collector is being stopped, or has not been started');
}

/** `second` is why the previous settings failed to restart; undefined: they run. */
function refused(error: unknown, second: unknown): Fault {
  const sentence =
    second === undefined
      ? `configuration not reloaded, still using the previous one: ${messageOf(error)}`
      : `configuration not reloaded: ${messageOf(error)}; and the previous one does not start again: ${messageOf(second)}`;
  return new Fault('RELOAD_REFUSED', sentence, { cause: error });
}
