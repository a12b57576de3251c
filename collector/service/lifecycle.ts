import type { Logger } from 'pino';
import { Fault } from '../../core/event/fault.js';
import type { ComponentState, ComponentStates } from '../telemetry/component-states.js';
import type { ComponentInstance, Pipelines } from './pipelines.js';

/** What a runner works with. */
export interface LifecycleOptions {
  readonly states: ComponentStates;
  readonly logger: Logger;
  /** Aborted when the collector stops. */
  readonly stop: AbortSignal;
}

/**
 * Starts and stops lines, logs it, and reports the states of their components. A component that ran before keeps its state until it is up again: a probe
 * that asks whether events are taken is to see no start where senders only wait.
 */
export class Lifecycle {
  readonly #options: LifecycleOptions;
  readonly #running = new Set<ComponentInstance>();

  constructor(options: LifecycleOptions) {
    this.#options = options;
  }

  isRunning(part: ComponentInstance): boolean {
    return this.#running.has(part);
  }

  /** Starts what does not run yet, from the far end. Throws what the first component throws that does not start, in a sentence that names it; the others run on. */
  async start(line: Pipelines): Promise<void> {
    const { states } = this.#options;
    const parts = line.stages.flat();
    for (const part of parts) if (!this.#running.has(part)) await this.#start(part);
    for (const { kind, id } of states.snapshot()) {
      if (!parts.some((part) => part.kind === kind && part.id === id)) states.forget(kind, id);
    }
  }

  /** Stops what runs of a line and is no part of the next one, from the near end. Resolves with the ids of those that failed. Never throws. */
  async stop(line: Pipelines, next?: Pipelines): Promise<string[]> {
    const failed: string[] = [];
    const kept = new Set(next?.stages.flat());
    for (const stage of line.stages.toReversed()) {
      const ending = stage.filter((part) => !kept.has(part) && this.#running.delete(part));
      await Promise.all(
        ending.map(async (part) => {
          if (!(await this.#stop(part))) failed.push(part.id);
        }),
      );
    }
    return failed;
  }

  async #start(part: ComponentInstance): Promise<void> {
    const { states, logger, stop } = this.#options;
    const { kind, id, component } = part;
    const ranBefore = this.#stateOf(part) !== undefined;
    if (!ranBefore) states.report(kind, id, 'StatusStarting');
    const before = this.#stateOf(part);
    try {
      if (stop.aborted) throw new Fault('COLLECTOR_STOPPING', 'the collector is being stopped');
      await component.start(stop);
    } catch (error) {
      const fault = notStarted(part, error);
      states.report(kind, id, ranBefore ? 'StatusPermanentError' : 'StatusFatalError', fault.message);
      throw fault;
    }
    // One that came up with an error of its own keeps that.
    if (this.#stateOf(part) === before) states.report(kind, id, 'StatusOK');
    this.#running.add(part);
    logger.info({ component: id, kind }, 'started');
  }

  async #stop({ kind, id, component }: ComponentInstance): Promise<boolean> {
    const { states, logger, stop } = this.#options;
    try {
      if (stop.aborted) states.report(kind, id, 'StatusStopping');
      await component.shutdown();
      if (stop.aborted) states.report(kind, id, 'StatusStopped');
      logger.info({ component: id, kind }, 'stopped');
      return true;
    } catch (error) {
      logger.error({ component: id, kind, err: error }, 'did not stop');
      return false;
    }
  }

  #stateOf({ kind, id }: ComponentInstance): ComponentState | undefined {
    return this.#options.states.snapshot().find((one) => one.kind === kind && one.id === id);
  }
}

function notStarted({ id, kind, component }: ComponentInstance, error: unknown): Fault {
  const sentence = `${kind} ${id} did not start: ${error instanceof Error ? error.message : String(error)}`;
  if (error instanceof Fault) return new Fault(error.code, sentence, { cause: error });
  // What the system says of a full disk names no folder.
  const where =
    'directory' in component ? `. Look at ${component.directory}: it must be whole, writable and have room` : '';
  return new Fault('COMPONENT_FAILED', `${sentence}${where}`, { cause: error });
}
