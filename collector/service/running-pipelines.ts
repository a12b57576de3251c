import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Fault } from '../../core/event/fault.js';
import type { Settings } from '../../generated/settings.js';
import { ingestBytesOf } from '../component/ingest-memory.js';
import type { DrainDeadline } from '../http/server/drain-deadline.js';
import type { ChangingServerPool } from '../http/server/server-pool.js';
import type { Counter } from '../telemetry/meters.js';
import { Lifecycle } from './lifecycle.js';
import { Pipelines, type PipelinesOptions, type StoreInstance } from './pipelines.js';

/** What lines run on, one after the other. */
export interface RunningPipelinesOptions extends Omit<PipelinesOptions, 'onStoreLost'> {
  readonly servers: ChangingServerPool;
  readonly drain: DrainDeadline;
}

/** Between two attempts to start a line again that does not start. */
const FIRST_WAIT_MS = 100;
const MOST_WAIT_MS = 5_000;

/** The line that runs, and how another one takes its place: a stop and a start on sockets that stay open. Order: `start`, `change` any number of times, `stop`. */
export class RunningPipelines {
  /** The latest. */
  line: Pipelines;
  readonly #options: RunningPipelinesOptions;
  readonly #lineOptions: PipelinesOptions;
  readonly #runner: Lifecycle;
  readonly #stopped = new AbortController();
  /** That run, or ran last. */
  #settings: Settings;
  /** Whether all of the line runs. */
  #isUp = false;
  /** Stores whose files were pulled away, until the line goes on without them. */
  readonly #lost = new Set<StoreInstance>();
  #starting: Promise<void> | undefined;
  #restoring: Promise<void> | undefined;
  /** Ends when the last change that was asked for has. */
  #changes: Promise<unknown> = Promise.resolve();

  /** Throws as a line does. */
  constructor(settings: Settings, options: RunningPipelinesOptions) {
    this.#options = options;
    this.#lineOptions = { ...options, onStoreLost: (part, reason) => this.#lose(part, reason) };
    this.#runner = new Lifecycle({ ...options, stop: this.#stopped.signal });
    this.#settings = settings;
    this.line = new Pipelines(settings, this.#lineOptions);
  }

  /** When a component fails, stops those that started and throws a Fault that names it. Safe twice. */
  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  /** As `reload` of a service. */
  change(settings: Settings): Promise<boolean> {
    return this.#afterChanges(() => this.#change(settings));
  }

  /** Stops the line, and what starts or changes just now. Resolves with the ids of the components that did not stop. */
  async stop(): Promise<string[]> {
    this.#options.drain.begin();
    this.#stopped.abort();
    // A start or change that failed was reported to its caller.
    await this.#starting?.catch(() => undefined);
    await this.#changes;
    return await this.#stopRunning();
  }

  #afterChanges<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#changes.then(work);
    this.#changes = done.catch(() => undefined);
    return done;
  }

  async #start(): Promise<void> {
    try {
      await this.#runner.start(this.line);
      this.#isUp = this.#lost.size === 0;
    } catch (error) {
      await this.#stopRunning();
      throw error;
    }
  }

  async #change(settings: Settings): Promise<boolean> {
    if (this.#starting === undefined || this.#stopped.signal.aborted) throw stopping();
    await this.#starting;
    const isChange = !this.#isUp || !isDeepStrictEqual(settings, this.#settings);
    try {
      if (isChange) await this.#replace(settings);
    } catch (error) {
      if (this.#stopped.signal.aborted) throw stopping();
      throw refused(error, await this.#goBack());
    } finally {
      await this.#endChange();
    }
    this.#settings = settings;
    await this.#options.servers.certificates.reload();
    return isChange;
  }

  /** Stops the line and starts another one on the same sockets. Where the other one cannot even be built, the line runs on. */
  async #replace(settings: Settings): Promise<void> {
    const { servers, drain, ingest } = this.#options;
    const before = this.line;
    const open = before.stores.filter((part) => this.#runner.isRunning(part) && !this.#lost.has(part));
    servers.begin();
    try {
      this.line = new Pipelines(settings, this.#lineOptions, open, before);
    } catch (error) {
      await servers.abandon();
      throw error;
    }
    this.#isUp = false;
    drain.begin();
    servers.turn();
    await this.#runner.stop(before, this.line);
    ingest.maxBytes = ingestBytesOf(settings.service.ingest);
    await this.#runner.start(this.line);
    for (const part of this.#lost) {
      if (this.line.stores.includes(part)) continue;
      this.#lost.delete(part);
      this.#reopenings(part).success.add();
    }
    this.#isUp = this.#lost.size === 0;
  }

  /** Starts the settings that ran before. Resolves with why that failed; then it is tried until it works. */
  async #goBack(): Promise<unknown> {
    if (this.#isUp) return undefined;
    try {
      await this.#replace(this.#settings);
      return undefined;
    } catch (error) {
      void this.#restore();
      return error;
    }
  }

  /** Lets nobody wait any longer for a line. */
  async #endChange(): Promise<void> {
    const { servers, drain } = this.#options;
    // Endpoints that the line has given up drain now.
    if (!this.#stopped.signal.aborted) drain.begin();
    await servers.release();
  }

  #lose(part: StoreInstance, reason: Fault): void {
    const { states, logger } = this.#options;
    if (!this.line.stores.includes(part)) return;
    this.#lost.add(part);
    this.#isUp = false;
    this.#reopenings(part);
    states.report(part.kind, part.id, 'StatusPermanentError', reason.message);
    logger.error({ component: part.id, err: reason }, 'the store was pulled away; it is opened again at its path');
    void this.#restore();
  }

  #restore(): Promise<void> {
    this.#restoring ??= this.#startAgain().finally(() => {
      this.#restoring = undefined;
    });
    return this.#restoring;
  }

  /** Starts the settings as they are, as often as it takes. Never rejects. */
  async #startAgain(): Promise<void> {
    const { signal } = this.#stopped;
    await this.#starting?.catch(() => undefined);
    let told = '';
    for (let waitMs = FIRST_WAIT_MS; !this.#isUp && !signal.aborted; waitMs = Math.min(2 * waitMs, MOST_WAIT_MS)) {
      try {
        await this.#afterChanges(async () => {
          if (!this.#isUp && !signal.aborted) await this.#replace(this.#settings).finally(() => this.#endChange());
        });
      } catch (error) {
        if (signal.aborted) return;
        for (const part of this.#lost) this.#reopenings(part).failure.add();
        const sentence = sentenceOf(error);
        if (sentence !== told) this.#options.logger.error({ err: error }, 'the collector does not run as before yet');
        told = sentence;
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
    const failed = await this.#runner.stop(this.line);
    await this.#options.servers.close();
    return failed;
  }
}

function stopping(): Fault {
  return new Fault('COLLECTOR_STOPPING', 'the collector is being stopped, or has not been started');
}

/** `second` is why the settings before do not start again; undefined: they run. */
function refused(error: unknown, second: unknown): Fault {
  const sentence =
    second === undefined
      ? `the configuration was not reloaded, the one before goes on: ${sentenceOf(error)}`
      : `the configuration was not reloaded: ${sentenceOf(error)}; and the one before does not start again: ${sentenceOf(second)}`;
  return new Fault('RELOAD_REFUSED', sentence, { cause: error });
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
