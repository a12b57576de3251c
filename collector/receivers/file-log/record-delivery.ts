import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { FailureReader } from '../../../core/contract/reader.js';
import { toFault } from '../../http/messages/problem.js';
import type { Intake } from '../intake/intake.js';
import type { RecordOutcome } from '../intake/pending-records.js';
import type { CheckpointFile, FileCheckpoint } from './checkpoint-file.js';
import { locationOf, type PendingRecord, toMappedRecord } from './file-record.js';
import { recordsNotStored } from './stored-records.js';

/** Waiting times between two tries, milliseconds. */
export interface RetryWaits {
  readonly firstMs: number;
  readonly longestMs: number;
}

interface RecordDeliveryOptions {
  readonly intake: Intake;
  readonly logger: Logger;
  readonly waits: RetryWaits;
  /** Ends the waiting between two tries. */
  readonly stop: AbortSignal;
  readonly checkpointFile: CheckpointFile;
  readonly reader: () => FailureReader;
}

/**
 * Forwards records, one set at a time. The checkpoint first names them and the offsets after them, so that after a kill the next process
 * searches the store for these records only.
 */
export class RecordDelivery {
  readonly #options: RecordDeliveryOptions;
  #pending: readonly PendingRecord[] = [];
  #running: Promise<void> | undefined;

  constructor(options: RecordDeliveryOptions) {
    this.#options = options;
  }

  /** Records that may not be stored; a checkpoint must contain them. */
  get pending(): readonly PendingRecord[] {
    return this.#pending;
  }

  /** Resolves when the current set is accepted or the stop ended it; undefined without one. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Starts to forward records; `files` are the offsets after them. Must not overlap. */
  begin(records: readonly PendingRecord[], files: readonly FileCheckpoint[]): void {
    this.#run(records, async () => {
      const intent = { files, pending: records };
      if (await retryUntilDone(this.#options, () => this.#options.checkpointFile.write(intent)))
        await this.#deliver(records);
    });
  }

  /** Starts to forward the records that a killed process did not store. Must not overlap. */
  resume(records: readonly PendingRecord[]): void {
    const { intake, reader } = this.#options;
    this.#run(records, async () => {
      let missing: readonly PendingRecord[] = [];
      const isKnown = await retryUntilDone(this.#options, async () => {
        missing = await recordsNotStored(records, intake.payloads, reader());
      });
      if (isKnown) await this.#deliver(missing);
    });
  }

  /**
   * Forwards records until the consumer has accepted all, and retries while it refuses temporarily. After a permanent refusal it sends them one by
   * one and drops a record that is refused permanently, which would block its file.
   */
  async #deliver(records: readonly PendingRecord[]): Promise<void> {
    const { intake, logger } = this.#options;
    const mapped = records.map(toMappedRecord);
    const outcomes: RecordOutcome[] = [];
    let isOneByOne = false;
    const isDone = await retryUntilDone(this.#options, async () => {
      while (outcomes.length < mapped.length) {
        const end = isOneByOne ? outcomes.length + 1 : mapped.length;
        try {
          await intake.accept(mapped.slice(0, end), outcomes);
        } catch (error) {
          const fault = toFault(error);
          if (fault.retryable) throw fault;
          if (isOneByOne) {
            logger.error(
              { err: error, place: locationOf(records[outcomes.length]?.value['extra']) },
              'a failure from a log file was refused for good',
            );
            outcomes.push({ kind: 'dropped', as: 'filtered' });
          }
          isOneByOne = true;
        }
      }
    });
    if (isDone) this.#pending = [];
  }

  #run(records: readonly PendingRecord[], work: () => Promise<void>): void {
    this.#pending = records;
    this.#running = work().finally(() => {
      this.#running = undefined;
    });
  }
}

/** Retries until the work succeeds; warns once. Returns false if `stop` came first. */
async function retryUntilDone(
  { logger, waits, stop }: RecordDeliveryOptions,
  work: () => Promise<void>,
): Promise<boolean> {
  for (let waitMs = waits.firstMs; ; waitMs = Math.min(waitMs * 2, waits.longestMs)) {
    try {
      await work();
      if (waitMs > waits.firstMs) logger.info('failures from log files are taken again');
      return true;
    } catch (error) {
      if (waitMs === waits.firstMs) logger.warn({ err: error }, 'failures from log files are refused; reading waits');
    }
    if (stop.aborted) return false;
    await sleep(waitMs, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return false;
  }
}
