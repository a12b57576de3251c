import { Fault, messageOf } from '../../core/event/fault.js';
import type { Internal } from '../component/built-in.js';
import type { ComponentState } from '../telemetry/component-states.js';
import type { ComponentInstance, Pipelines } from './pipelines.js';

interface ComponentLifecycleOptions extends Pick<Internal, 'states' | 'logger'> {
  /** Aborted when the collector stops. */
  readonly stop: AbortSignal;
}

/** Starts, stops and logs components. One that ran before keeps its state until it is up, so that a reload does not fail readiness probes. */
export class ComponentLifecycle {
  readonly #options: ComponentLifecycleOptions;
  readonly #running = new Set<ComponentInstance>();

  constructor(options: ComponentLifecycleOptions) {
    this.#options = options;
  }

  isRunning(instance: ComponentInstance): boolean {
    return this.#running.has(instance);
  }

  /** Starts what does not run, exporters first. Throws the first error, with the component's name; what started keeps running. */
  async start(pipelines: Pipelines): Promise<void> {
    const { states } = this.#options;
    const instances = pipelines.stages.flat();
    for (const instance of instances) if (!this.#running.has(instance)) await this.#startOne(instance);
    for (const { kind, id } of states.snapshot()) {
      if (!instances.some((instance) => instance.kind === kind && instance.id === id)) states.remove(kind, id);
    }
  }

  /** Stops the running components that `next` does not reuse, receivers first. Resolves with the ids of those that failed. Never throws. */
  async stop(pipelines: Pipelines, next?: Pipelines): Promise<string[]> {
    const failed: string[] = [];
    const reused = new Set(next?.stages.flat());
    for (const stage of pipelines.stages.toReversed()) {
      const ending = stage.filter((instance) => !reused.has(instance) && this.#running.delete(instance));
      await Promise.all(
        ending.map(async (instance) => {
          if (!(await this.#stopOne(instance))) failed.push(instance.id);
        }),
      );
    }
    return failed;
  }

  async #startOne(instance: ComponentInstance): Promise<void> {
    const { states, logger, stop } = this.#options;
    const { kind, id, component } = instance;
    const ranBefore = this.#stateOf(instance) !== undefined;
    if (!ranBefore) states.report(kind, id, 'StatusStarting');
    const before = this.#stateOf(instance);
    try {
      if (stop.aborted) throw new Fault('COLLECTOR_STOPPING', 'the collector is being stopped');
      await component.start?.(stop);
      await openRoutes(instance);
    } catch (error) {
      const fault = notStarted(instance, error);
      states.report(kind, id, ranBefore ? 'StatusPermanentError' : 'StatusFatalError', fault.message);
      throw fault;
    }
    // A component that reported an error while it started keeps that state.
    if (this.#stateOf(instance) === before) states.report(kind, id, 'StatusOK');
    this.#running.add(instance);
    logger.info({ component: id, kind }, 'started');
  }

  /** Resolves with whether it succeeded. */
  async #stopOne(instance: ComponentInstance): Promise<boolean> {
    const { kind, id } = instance;
    const { states, logger, stop } = this.#options;
    try {
      if (stop.aborted) states.report(kind, id, 'StatusStopping');
      await endComponent(instance);
      if (stop.aborted) states.report(kind, id, 'StatusStopped');
      logger.info({ component: id, kind }, 'stopped');
      return true;
    } catch (error) {
      logger.error({ component: id, kind, err: error }, 'did not stop');
      return false;
    }
  }

  #stateOf({ kind, id }: ComponentInstance): ComponentState | undefined {
    return this.#options.states.snapshot().find((state) => state.kind === kind && state.id === id);
  }
}

/** Opens what a component that started serves; if that fails, it is stopped. */
async function openRoutes(instance: ComponentInstance): Promise<void> {
  try {
    for (const served of instance.routes) await served.open();
  } catch (error) {
    await endComponent(instance);
    throw error;
  }
}

async function endComponent({ component, routes }: ComponentInstance): Promise<void> {
  const closed = routes.map((served) => served.close());
  await Promise.all([...closed, component.drain?.()]);
  await component.shutdown?.();
}

function notStarted({ id, kind, component }: ComponentInstance, error: unknown): Fault {
  // Every command prints the same sentence for a data folder.
  if (error instanceof Fault && error.code.startsWith('STORE_')) return error;
  const sentence = `${kind} ${id} did not start: ${messageOf(error)}`;
  if (error instanceof Fault) return new Fault(error.code, sentence, { cause: error });
  // A system error for a full disk names no folder.
  const where =
    'directory' in component ? `. Look at ${component.directory}: it must be whole, writable and have room` : '';
  return new Fault('COMPONENT_FAILED', `${sentence}${where}`, { cause: error });
}
