import type { Logger } from 'pino';
import type { Component } from '../component.js';
import { type Line, type Refit, stagesOf } from './line.js';
import type { Part } from './part.js';
import type { PartRunner } from './part-runner.js';
import { partsOf } from './reload-report.js';

/** What a change-over works with. */
export interface ChangeOverOptions {
  readonly before: Line;
  readonly after: Line;
  readonly runner: PartRunner;
  /** Ends it as if a part had not started. */
  readonly stop: AbortSignal;
  readonly logger: Logger;
}

/**
 * The change from one running line to another. Order: `prepare`, then, in one turn with whatever else changes over, `connect`, then `retire`. A
 * `prepare` that throws has undone what it did, and the line before goes on.
 */
export class ChangeOver {
  readonly #options: ChangeOverOptions;
  /** Built for the line after, in the order of their start. */
  readonly #fresh: readonly Part<Component>[];
  /** Of the line before alone. */
  readonly #gone: ReadonlySet<Part<Component>>;
  /** What takes back the steps so far. */
  readonly #undo: (() => Promise<void>)[] = [];

  constructor(options: ChangeOverOptions) {
    const [earlier, later] = [partsOf(options.before), partsOf(options.after)];
    const refitted = new Set(options.after.refits.map(({ part }) => part.key));
    this.#options = options;
    this.#fresh = later.filter((part) => !earlier.includes(part) && !refitted.has(part.key));
    this.#gone = new Set(earlier.filter((part) => !later.includes(part) && !refitted.has(part.key)));
  }

  /** Names under which parts that leave have asked for doors and sockets. */
  get leaving(): ReadonlySet<string> {
    return new Set([...this.#gone].map(({ owner }) => owner));
  }

  /** Starts what is new. What must not run twice changes last, because the line before lacks it meanwhile. */
  async prepare(): Promise<void> {
    try {
      for (const part of this.#fresh) if (!part.isAlone) await this.#start(part);
      for (const part of this.#gone) if (part.isAlone) await this.#stopForNow(part);
      await this.#refitHeld();
    } catch (error) {
      for (const step of this.#undo.splice(0).reverse()) await step();
      throw error;
    }
  }

  /** From here on batches go through the line after. */
  connect(): void {
    this.#options.after.connect();
  }

  /** Stops what leaves, from the near end, each when nothing runs in it any more. */
  async retire(): Promise<void> {
    const { before, after, runner } = this.#options;
    const names = new Set(partsOf(after).map(nameOf));
    for (const stage of stagesOf(before).toReversed()) {
      const leaving = stage.filter((part) => this.#gone.has(part));
      await Promise.all(
        leaving.map(async (part) => {
          await part.entry?.idle();
          if (names.has(nameOf(part))) {
            await runner.stopBeside(part, 'stopped: it was the one with the settings before');
            return;
          }
          await runner.stop(part);
          runner.forget(part);
        }),
      );
    }
  }

  async #start(part: Part<Component>): Promise<void> {
    const { before, runner, stop } = this.#options;
    const isBeside = partsOf(before).some((other) => nameOf(other) === nameOf(part));
    const state = runner.stateOf(part);
    try {
      await (isBeside ? runner.startBeside(part, stop) : runner.start(part, stop));
    } catch (error) {
      if (!isBeside) runner.forget(part);
      throw error;
    }
    this.#undo.push(async () => {
      await (isBeside ? runner.stopBeside(part, 'stopped: it was the one with the new settings') : runner.stop(part));
      if (isBeside) runner.restoreState(state);
      else runner.forget(part);
    });
  }

  async #stopForNow(part: Part<Component>): Promise<void> {
    const { runner, stop } = this.#options;
    if (!runner.isRunning(part)) return;
    await runner.stopBeside(part, 'stopped');
    this.#undo.push(async () => {
      if (stop.aborted) return;
      part.rebuild();
      await runner.start(part, stop).catch((error: unknown) => this.#spoilt(part, error));
    });
  }

  /** What follows a store is there before the next batch: one that begins in a new folder would miss it. */
  async #refitHeld(): Promise<void> {
    const { refits } = this.#options.after;
    const releases = refits.map(({ part }) => part.component.entry.hold());
    try {
      for (const refit of refits) await this.#refit(refit);
      for (const part of this.#fresh) if (part.isAlone) await this.#start(part);
    } finally {
      for (const release of releases) release();
    }
  }

  async #refit({ part, build }: Refit): Promise<void> {
    const { before, runner, stop, logger } = this.#options;
    const old = before.exporters.find(({ key }) => key === part.key);
    if (old === undefined) return;
    let back: () => Promise<void>;
    try {
      back = await part.component.refit(build, stop);
    } catch (error) {
      if (!part.component.isOpen && !stop.aborted) this.#spoilt(old, error);
      throw error;
    }
    runner.replace(old, part);
    logger.info({ component: part.id, kind: part.kind }, 'the store was opened again');
    this.#undo.push(async () => {
      // Also in a stop: it is the line before that is stopped.
      runner.replace(part, old);
      if (stop.aborted) return;
      try {
        await back();
        logger.info({ component: old.id, kind: old.kind }, 'the store was opened again, as it was before');
      } catch (error) {
        this.#spoilt(old, error);
      }
    });
  }

  #spoilt(part: Part<Component>, error: unknown): void {
    part.spoil();
    if (!this.#options.runner.fail(part, error)) return;
    this.#options.logger.error({ component: part.id, kind: part.kind, err: error }, 'does not run as before');
  }
}

function nameOf({ kind, id }: Part<Component>): string {
  return `${kind} ${id}`;
}
