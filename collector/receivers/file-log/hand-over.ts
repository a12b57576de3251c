import type { FailureReader } from '../../../core/reader.js';
import type { FileCheckpoint } from './checkpoint.js';
import type { CheckpointFile } from './checkpoint-file.js';
import { type DeliveryOptions, deliver, untilDone } from './delivery.js';
import type { PendingRecord } from './file-record.js';
import { recordsNotStored } from './stored-records.js';

/** How records are handed over so that a kill neither loses nor doubles one. */
export interface HandOverOptions extends DeliveryOptions {
  readonly checkpointFile: CheckpointFile;
  readonly reader: () => FailureReader;
}

/**
 * Hands records on, one set at a time. Before it does, the checkpoint says which, and where reading goes on after them. So what a process was about to
 * hand on when it was killed is known to the next one, which asks the store for these alone.
 */
export class HandOver {
  readonly #options: HandOverOptions;
  #pending: readonly PendingRecord[] = [];
  #running: Promise<void> | undefined;

  constructor(options: HandOverOptions) {
    this.#options = options;
  }

  /** What a checkpoint must keep, because it may or may not be stored. */
  get pending(): readonly PendingRecord[] {
    return this.#pending;
  }

  /** Resolves when the running set is taken, or was given up because of the stop; undefined when none runs. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Begins to hand on records; `files` are the places at which reading goes on after them. Only when none runs. */
  begin(records: readonly PendingRecord[], files: readonly FileCheckpoint[]): void {
    this.#run(records, async () => {
      const intent = { files, pending: records };
      if (await untilDone(this.#options, () => this.#options.checkpointFile.write(intent)))
        await this.#deliver(records);
    });
  }

  /** Begins to hand on what a killed process may not have. Only when none runs. */
  resume(records: readonly PendingRecord[]): void {
    const { intake, reader } = this.#options;
    this.#run(records, async () => {
      let missing: readonly PendingRecord[] = [];
      const isKnown = await untilDone(this.#options, async () => {
        missing = await recordsNotStored(records, intake.payloads, reader());
      });
      if (isKnown) await this.#deliver(missing);
    });
  }

  async #deliver(records: readonly PendingRecord[]): Promise<void> {
    if (await deliver(records, this.#options)) this.#pending = [];
  }

  #run(records: readonly PendingRecord[], work: () => Promise<void>): void {
    this.#pending = records;
    this.#running = work().finally(() => {
      this.#running = undefined;
    });
  }
}
