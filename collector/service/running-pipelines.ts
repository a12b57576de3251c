import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Fault, messageOf } from '../../core/event/fault.js';
import type { Settings } from '../../generated/settings.js';
import type { Factories } from '../component/built-in.js';
import { ingestBytesOf } from '../component/ingest-memory.js';
import type { DrainDeadline } from '../http/server/drain-deadline.js';
import type { ReloadableServerPool } from '../http/server/server-pool.js';
import { SerialQueue } from '../receivers/intake/serial-queue.js';
import type { Counter } from '../telemetry/meters.js';
import { createLifecycle } from './component-lifecycle.js';
import { Pipelines, type PipelinesOptions, type StoreInstance } from './pipelines.js';

interface RunningPipelinesOptions extends Omit<PipelinesOptions, 'onStoreLost'> {
  readonly servers: ReloadableServerPool;
  readonly drain: DrainDeadline;
}

/** Delay between attempts to restart failed pipelines; it doubles up to `MAX_RETRY_MS`. */
const MIN_RETRY_MS = 100;
const MAX_RETRY_MS = 5_000;

/** Creates functions that run the pipelines and replace them on a reload, on sockets that stay open. Order: `start`, `reload` any number of times, `stop`. */
export function createRunningPipelines(initial: Settings, options: RunningPipelinesOptions) {
  const { servers, drain, ingest, states, logger, meters } = options;
  const pipelinesOptions = { ...options, onStoreLost };
  const stopped = new AbortController();
  const lifecycle = createLifecycle({ states, logger, stop: stopped.signal });
  let settings = initial;
  let { plugins } = options;
  let pipelines = new Pipelines(settings, pipelinesOptions);
  let isUp = false;
  /** Stores whose files were removed, until the pipelines are replaced. */
  const lost = new Set<StoreInstance>();
  let starting: Promise<void> | undefined;
  let restoring: Promise<void> | undefined;
  const reloads = new SerialQueue();

  async function start(): Promise<void> {
    try {
      await lifecycle.start(pipelines);
      isUp = lost.size === 0;
    } catch (error) {
      await stopRunning();
      throw error;
    }
  }

  async function reload(next: Settings, nextPlugins: Factories): Promise<boolean> {
    if (starting === undefined || stopped.signal.aborted) throw stopping();
    await starting;
    const isChange = !isUp || !isDeepStrictEqual(next, settings);
    try {
      if (isChange) await replace(next, nextPlugins);
    } catch (error) {
      if (stopped.signal.aborted) throw stopping();
      throw refused(error, await restorePrevious());
    } finally {
      await endReload();
    }
    [settings, plugins] = [next, nextPlugins];
    await servers.certificates.reload();
    return isChange;
  }

  /** Replaces the pipelines on the same sockets. If the new ones cannot be built, the current ones continue. */
  async function replace(next: Settings, nextPlugins: Factories): Promise<void> {
    const before = pipelines;
    const open = before.stores.filter((store) => lifecycle.isRunning(store) && !lost.has(store));
    servers.begin();
    try {
      pipelines = new Pipelines(
        next,
        { ...pipelinesOptions, plugins: nextPlugins },
        { openStores: open, states: before.keptStates },
      );
    } catch (error) {
      await servers.abandon();
      throw error;
    }
    isUp = false;
    drain.begin();
    servers.cutOver();
    await lifecycle.stop(before, pipelines);
    ingest.maxBytes = ingestBytesOf(next.service.ingest);
    await lifecycle.start(pipelines);
    for (const store of lost) {
      if (pipelines.stores.includes(store)) continue;
      lost.delete(store);
      reopenings(store).success.add();
    }
    isUp = lost.size === 0;
  }

  /** Restarts the previous settings. Resolves with the error if that fails; then it is retried in the background. */
  async function restorePrevious(): Promise<unknown> {
    if (isUp) return undefined;
    try {
      await replace(settings, plugins);
      return undefined;
    } catch (error) {
      void keepRetrying();
      return error;
    }
  }

  /** Serves held requests. */
  async function endReload(): Promise<void> {
    // Endpoints that are no longer used drain now.
    if (!stopped.signal.aborted) drain.begin();
    await servers.release();
  }

  function onStoreLost(store: StoreInstance, reason: Fault): void {
    if (!pipelines.stores.includes(store)) return;
    lost.add(store);
    isUp = false;
    reopenings(store);
    states.report(store.kind, store.id, 'StatusPermanentError', reason.message);
    logger.error({ component: store.id, err: reason }, 'the files of the store were removed; reopening it at its path');
    void keepRetrying();
  }

  function keepRetrying(): Promise<void> {
    restoring ??= retryStart().finally(() => {
      restoring = undefined;
    });
    return restoring;
  }

  /** Retries the current settings until they start. Never rejects. */
  async function retryStart(): Promise<void> {
    const { signal } = stopped;
    await starting?.catch(() => undefined);
    let lastLogged = '';
    for (let waitMs = MIN_RETRY_MS; !isUp && !signal.aborted; waitMs = Math.min(2 * waitMs, MAX_RETRY_MS)) {
      try {
        await reloads.run(async () => {
          if (!isUp && !signal.aborted) await replace(settings, plugins).finally(endReload);
        });
      } catch (error) {
        if (signal.aborted) return;
        for (const store of lost) reopenings(store).failure.add();
        const sentence = messageOf(error);
        if (sentence !== lastLogged) logger.error({ err: error }, 'the collector does not run as before yet');
        lastLogged = sentence;
        await wait(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  function reopenings({ id }: StoreInstance): Readonly<Record<'success' | 'failure', Counter>> {
    const countOf = (outcome: string) => meters.counter('faultline_store_reopenings', { exporter: id, outcome });
    return { success: countOf('success'), failure: countOf('failure') };
  }

  async function stopRunning(): Promise<string[]> {
    const failed = await lifecycle.stop(pipelines);
    await servers.close();
    return failed;
  }

  return {
    get pipelines() {
      return pipelines;
    },
    /** Starts all components. If one fails, stops the others and throws a Fault that names it. Idempotent. */
    start(): Promise<void> {
      starting ??= start();
      return starting;
    },
    /** See `Service.reload`. */
    reload: (next: Settings, plugins: Factories): Promise<boolean> => reloads.run(() => reload(next, plugins)),
    /** Stops the pipelines, also during a start or reload. Resolves with the ids of components that failed to stop. */
    async stop(): Promise<string[]> {
      drain.begin();
      stopped.abort();
      // A start or change that failed was reported to its caller.
      await starting?.catch(() => undefined);
      return await reloads.run(stopRunning);
    },
  };
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
