import { Fault } from '../../core/event/fault.js';
import type { StoreExporter } from '../exporters/store-exporter.js';
import type { Batch, Outcome } from '../pipeline.js';
import { Passage } from './passage.js';

/**
 * A data folder's place in the line. A folder has one writer, so a store whose settings change is closed and opened again in its place: batches that
 * come meanwhile wait, reading is refused for that moment, and whoever holds the slot need not know.
 */
export class StoreSlot implements StoreExporter {
  #build: () => StoreExporter;
  #store: StoreExporter;
  /** Where batches come in. */
  readonly entry: Passage;
  #isOpen = true;
  /** Of the store that is being replaced: grouping needs no open store. */
  #regroupingBefore: ReturnType<StoreExporter['regrouping']> | undefined;

  constructor(build: () => StoreExporter) {
    this.#build = build;
    this.#store = build();
    this.entry = new Passage(this.#store);
  }

  get directory(): string {
    return this.#store.directory;
  }

  get keeps(): string {
    return this.#store.keeps;
  }

  reader(): ReturnType<StoreExporter['reader']> {
    return this.#store.reader();
  }

  actions(): ReturnType<StoreExporter['actions']> {
    return this.#store.actions();
  }

  changes(): ReturnType<StoreExporter['changes']> {
    return this.#store.changes();
  }

  regrouping(): ReturnType<StoreExporter['regrouping']> {
    return this.#regroupingBefore ?? this.#store.regrouping();
  }

  following(): ReturnType<StoreExporter['following']> {
    return this.#store.following();
  }

  start(stop?: AbortSignal): Promise<void> {
    return this.#store.start(stop);
  }

  shutdown(): Promise<void> {
    return this.#store.shutdown();
  }

  consume(batch: Batch): Promise<readonly Outcome[]> {
    return this.entry.consume(batch);
  }

  /** False where a `refit` left nothing that could be opened. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Closes the store and opens the one that `build` gives, on the same folder. Where either fails, the one before is opened again and the fault is thrown;
   * where that does not open, `STORE_UNAVAILABLE` is. Answers what changes it back.
   */
  async refit(build: () => StoreExporter, stop: AbortSignal): Promise<() => Promise<void>> {
    const before = this.#build;
    const release = this.entry.hold();
    try {
      await this.entry.idle();
      try {
        await this.#close();
        await this.#open(build, stop);
      } catch (error) {
        await this.#openAgain(before, stop, error);
      }
    } finally {
      this.#regroupingBefore = undefined;
      release();
    }
    return async () => {
      await this.refit(before, stop);
    };
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#regroupingBefore = this.#store.regrouping();
    this.#isOpen = false;
    await this.#store.shutdown();
  }

  async #open(build: () => StoreExporter, stop: AbortSignal): Promise<void> {
    const store = build();
    await store.start(stop);
    this.#build = build;
    this.#store = store;
    this.#isOpen = true;
    this.entry.turn(store);
  }

  async #openAgain(before: () => StoreExporter, stop: AbortSignal, reason: unknown): Promise<never> {
    if (stop.aborted) throw reason;
    try {
      await this.#open(before, stop);
    } catch (error) {
      const sentence = `the store in ${this.directory} cannot be opened again: ${sentenceOf(error)}`;
      throw new Fault('STORE_UNAVAILABLE', sentence, { cause: reason, retryable: true });
    }
    throw reason;
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
