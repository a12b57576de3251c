import type { Logger } from 'pino';
import { Fault } from '../../core/event/fault.js';
import type { Component } from '../component.js';
import type { ComponentState, ComponentStates } from '../telemetry/component-states.js';
import { startWatched, stopWatched } from '../telemetry/lifecycle-states.js';
import type { Part } from './part.js';

/** Starts and stops parts, logs it, and tells their states; it knows which of them run. */
export class PartRunner {
  readonly #states: ComponentStates;
  readonly #logger: Logger;
  readonly #running = new Set<Part<Component>>();

  constructor({ states, logger }: { states: ComponentStates; logger: Logger }) {
    this.#states = states;
    this.#logger = logger;
  }

  isRunning(part: Part<Component>): boolean {
    return this.#running.has(part);
  }

  /** Throws what the part throws, in a sentence that names it. */
  async start(part: Part<Component>, stop: AbortSignal): Promise<void> {
    const { id, kind } = part;
    try {
      if (stop.aborted) throw new Fault('COLLECTOR_STOPPING', 'the collector is being stopped');
      await startWatched(this.#states, part, stop);
    } catch (error) {
      throw notStarted(part, error);
    }
    this.#running.add(part);
    this.#logger.info({ component: id, kind }, 'started');
  }

  /**
   * Starts a part beside the one that it replaces, whose state stands until the new one is up: nobody who waits for the collector to be ready is to see
   * a start where events are taken all the time. Throws as `start`; then the state is what it was.
   */
  async startBeside(part: Part<Component>, stop: AbortSignal): Promise<void> {
    const before = this.#stateOf(part);
    try {
      if (stop.aborted) throw new Fault('COLLECTOR_STOPPING', 'the collector is being stopped');
      await part.component.start(stop);
    } catch (error) {
      this.restoreState(before);
      throw notStarted(part, error);
    }
    if (this.#stateOf(part) === before) this.#states.report(part.kind, part.id, 'StatusOK');
    this.#running.add(part);
    this.#logger.info({ component: part.id, kind: part.kind }, 'started with its new settings');
  }

  /** Stops a part that runs; answers whether it stopped as it should. Never throws. */
  async stop(part: Part<Component>): Promise<boolean> {
    return await this.#stopped(part, 'stopped', () => stopWatched(this.#states, part));
  }

  /** The same, where another part of the same name goes on: the state is that one's. What the log says should tell which of them stopped. */
  async stopBeside(part: Part<Component>, sentence: string): Promise<boolean> {
    return await this.#stopped(part, sentence, () => part.component.shutdown());
  }

  /** A part took another one's place without a start, as a store does that gets other settings. */
  replace(before: Part<Component>, after: Part<Component>): void {
    if (this.#running.delete(before)) this.#running.add(after);
    if (before.id !== after.id) this.forget(before);
    this.#states.report(after.kind, after.id, 'StatusOK');
  }

  /** What is known of a part's state, to be handed to `restoreState`. */
  stateOf(part: Part<Component>): ComponentState | undefined {
    return this.#stateOf(part);
  }

  restoreState(state: ComponentState | undefined): void {
    if (state !== undefined) this.#states.report(state.kind, state.id, state.status, state.error);
  }

  /** It does not run although it is to; answers whether that is news. */
  fail(part: Part<Component>, error: unknown): boolean {
    const sentence = error instanceof Error ? error.message : String(error);
    const isNews = this.#stateOf(part)?.error !== sentence;
    this.#states.report(part.kind, part.id, 'StatusPermanentError', sentence);
    return isNews;
  }

  /** It is no part of the line any more. */
  forget({ kind, id }: Part<Component>): void {
    this.#states.forget(kind, id);
  }

  async #stopped(part: Part<Component>, sentence: string, shutdown: () => Promise<void>): Promise<boolean> {
    const { id, kind } = part;
    if (!this.#running.delete(part)) return true;
    try {
      await shutdown();
      this.#logger.info({ component: id, kind }, sentence);
      return true;
    } catch (error) {
      this.#logger.error({ component: id, kind, err: error }, 'did not stop');
      return false;
    }
  }

  #stateOf({ kind, id }: Part<Component>): ComponentState | undefined {
    return this.#states.snapshot().find((one) => one.kind === kind && one.id === id);
  }
}

function notStarted({ id, kind, component }: Part<Component>, error: unknown): Fault {
  const sentence = `${kind} ${id} did not start: ${error instanceof Error ? error.message : String(error)}`;
  if (error instanceof Fault) return new Fault(error.code, sentence, { cause: error });
  // What the system says of a full disk names no folder.
  const where =
    'directory' in component ? `. Look at ${component.directory}: it must be whole, writable and have room` : '';
  return new Fault('COMPONENT_FAILED', `${sentence}${where}`, { cause: error });
}
