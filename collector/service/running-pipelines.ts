import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Fault, messageOf } from '../../core/event/fault.js';
import type { Settings } from '../../generated/settings.js';
import type { Factories } from '../component/built-in.js';
import { ingestBytesOf } from '../component/ingest-memory.js';
import type { DrainDeadline } from '../http/server/drain-deadline.js';
import { SerialQueue } from '../receivers/intake/serial-queue.js';
import type { Counter } from '../telemetry/meters.js';
import { ComponentLifecycle } from './component-lifecycle.js';
import { Pipelines, type PipelinesOptions, type StoreInstance } from './pipelines.js';

interface RunningPipelinesOptions extends Omit<PipelinesOptions, 'onStoreLost'> {
  readonly drain: DrainDeadline;
}

/** Delay between attempts to restart failed pipelines; it doubles up to `MAX_RETRY_MS`. */
const MIN_RETRY_MS = 100;
const MAX_RETRY_MS = 5_000;

/** Runs the pipelines and replaces them on a reload, on sockets that stay open. Order: `start`, `reload` any number of times, `stop`. */
export class RunningPipelines {
  readonly #options: RunningPipelinesOptions;
  readonly #stopped = new AbortController();
  readonly #lifecycle: ComponentLifecycle;
  readonly #reloads = new SerialQueue();
  #settings: Settings;
  #plugins: Factories;
  #pipelines: Pipelines;
  /** Whether everything runs as the settings say. */
  #isUp = false;
  /** Stores whose files were removed, until the pipelines are replaced. */
  readonly #lost = new Set<StoreInstance>();
  #starting: Promise<void> | undefined;
  #retrying: Promise<void> | undefined;

  /** Builds the components of the settings. Throws `COMPONENT_UNKNOWN`, `ROUTE_TAKEN` and `ROUTE_WITHOUT_ACCESS`. */
  constructor(settings: Settings, options: RunningPipelinesOptions) {
    const { states, logger, plugins } = options;
    this.#options = options;
    this.#lifecycle = new ComponentLifecycle({ states, logger, stop: this.#stopped.signal });
    this.#settings = settings;
    this.#plugins = plugins;
    this.#pipelines = new Pipelines(settings, this.#pipelinesOptions(plugins));
    options.servers.serve(this.#pipelines.routes);
  }

  get pipelines(): Pipelines {
    return this.#pipelines;
  }

  /** Starts all components. If one fails, stops the others and throws a Fault that names it. Idempotent. */
  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  /** See `Service.reload`. */
  reload(next: Settings, plugins: Factories): Promise<boolean> {
    return this.#reloads.run(() => this.#reload(next, plugins));
  }

  /** Stops the pipelines, also during a start or reload. Resolves with the ids of components that failed to stop. */
  async stop(): Promise<string[]> {
    this.#options.drain.begin();
    this.#stopped.abort();
    // A start or change that failed was reported to its caller.
    await this.#starting?.catch(() => undefined);
    return await this.#reloads.run(() => this.#stopRunning());
  }

  #pipelinesOptions(plugins: Factories): PipelinesOptions {
    return { ...this.#options, plugins, onStoreLost: (store, reason) => this.#onStoreLost(store, reason) };
  }

  async #start(): Promise<void> {
    try {
      await this.#lifecycle.start(this.#pipelines);
      this.#isUp = this.#lost.size === 0;
    } catch (error) {
      await this.#stopRunning();
      throw error;
    }
  }

  async #stopRunning(): Promise<string[]> {
    const failed = await this.#lifecycle.stop(this.#pipelines);
    await this.#options.servers.close();
    return failed;
  }

  async #reload(next: Settings, plugins: Factories): Promise<boolean> {
    if (this.#starting === undefined || this.#stopped.signal.aborted) throw stopping();
    await this.#starting;
    const isChange = !this.#isUp || !isDeepStrictEqual(next, this.#settings);
    try {
      if (isChange) await this.#replace(next, plugins);
    } catch (error) {
      if (this.#stopped.signal.aborted) throw stopping();
      throw refused(error, await this.#restorePrevious());
    } finally {
      await this.#endReload();
    }
    this.#settings = next;
    this.#plugins = plugins;
    await this.#options.servers.certificates.reload();
    return isChange;
  }

  /** Replaces the pipelines on the same sockets. If the new ones cannot be built, the current ones continue. */
  async #replace(settings: Settings, plugins: Factories): Promise<void> {
    const { servers, drain, ingest } = this.#options;
    const before = this.#pipelines;
    const openStores = before.stores.filter((store) => this.#lifecycle.isRunning(store) && !this.#lost.has(store));
    const previous = { openStores, states: before.keptStates };
    const next = new Pipelines(settings, this.#pipelinesOptions(plugins), previous);
    servers.replace(next.routes);
    this.#pipelines = next;
    this.#isUp = false;
    drain.begin();
    await this.#lifecycle.stop(before, this.#pipelines);
    ingest.maxBytes = ingestBytesOf(settings.service.ingest);
    await this.#lifecycle.start(this.#pipelines);
    this.#forgetReplacedStores();
    this.#isUp = this.#lost.size === 0;
  }

  #forgetReplacedStores(): void {
    for (const store of this.#lost) {
      if (this.#pipelines.stores.includes(store)) continue;
      this.#lost.delete(store);
      this.#reopenings(store).success.add();
    }
  }

  /** Restarts the previous settings. Resolves with the error if that fails; then it is retried in the background. */
  async #restorePrevious(): Promise<unknown> {
    if (this.#isUp) return undefined;
    try {
      await this.#replace(this.#settings, this.#plugins);
      return undefined;
    } catch (error) {
      this.#retryInBackground();
      return error;
    }
  }

  /** Serves held requests. */
  async #endReload(): Promise<void> {
    // Endpoints that are no longer used drain now.
    if (!this.#stopped.signal.aborted) this.#options.drain.begin();
    await this.#options.servers.release();
  }

  #onStoreLost(store: StoreInstance, reason: Fault): void {
    const { states, logger } = this.#options;
    if (!this.#pipelines.stores.includes(store)) return;
    this.#lost.add(store);
    this.#isUp = false;
    this.#reopenings(store);
    states.report(store.kind, store.id, 'StatusPermanentError', reason.message);
    logger.error({ component: store.id, err: reason }, 'the files of the store were removed; reopening it at its path');
    this.#retryInBackground();
  }

  #retryInBackground(): void {
    this.#retrying ??= this.#retryUntilUp().finally(() => {
      this.#retrying = undefined;
    });
  }

  /** Retries the current settings until they start. Never rejects. */
  async #retryUntilUp(): Promise<void> {
    const { signal } = this.#stopped;
    await this.#starting?.catch(() => undefined);
    let lastLogged = '';
    for (let waitMs = MIN_RETRY_MS; !this.#isUp && !signal.aborted; waitMs = Math.min(2 * waitMs, MAX_RETRY_MS)) {
      const error = await this.#retry();
      if (error === undefined) continue;
      if (signal.aborted) return;
      for (const store of this.#lost) this.#reopenings(store).failure.add();
      const sentence = messageOf(error);
      if (sentence !== lastLogged) {
        this.#options.logger.error({ err: error }, 'the collector does not run as before yet');
      }
      lastLogged = sentence;
      await wait(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Resolves with the error if the current settings do not start. */
  async #retry(): Promise<unknown> {
    try {
      await this.#reloads.run(async () => {
        if (this.#isUp || this.#stopped.signal.aborted) return;
        await this.#replace(this.#settings, this.#plugins).finally(() => this.#endReload());
      });
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #reopenings({ id }: StoreInstance): Readonly<Record<'success' | 'failure', Counter>> {
    const countOf = (outcome: string) =>
      this.#options.meters.counter('faultline_store_reopenings', { exporter: id, outcome });
    return { success: countOf('success'), failure: countOf('failure') };
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
