import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { FailureReader } from '../../../core/contract/reader.js';
import { toFault } from '../../http/messages/problem.js';
import type { Intake } from '../intake/intake.js';
import type { RecordOutcome } from '../intake/pending-records.js';
import type { FileCheckpoint } from './checkpoint.js';
import type { CheckpointFile } from './checkpoint-file.js';
import { mappedRecordOf, type PendingRecord, placeOf } from './file-record.js';
import { recordsNotStored } from './stored-records.js';

/** Waiting times between two tries, milliseconds. */
export interface RetryWaits {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** How records are handed over so that a kill neither loses nor doubles one. */
export interface HandOverOptions {
  readonly intake: Intake;
  readonly logger: Logger;
  readonly waits: RetryWaits;
  /** Ends the waiting between two tries. */
  readonly stop: AbortSignal;
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

/**
 * Hands records on until the line has taken all of them. While it refuses for now, the same records are tried again and again. When it refuses for good,
 * they are handed on one by one, and one that is refused for good alone is given up: it would hold up its file for ever.
 * Answers false when `stop` came first.
 */
async function deliver(records: readonly PendingRecord[], options: HandOverOptions): Promise<boolean> {
  const { intake, logger } = options;
  const mapped = records.map(mappedRecordOf);
  const outcomes: RecordOutcome[] = [];
  let isOneByOne = false;
  return await untilDone(options, async () => {
    while (outcomes.length < mapped.length) {
      const end = isOneByOne ? outcomes.length + 1 : mapped.length;
      try {
        await intake.accept(mapped.slice(0, end), outcomes);
      } catch (error) {
        const fault = toFault(error);
        if (fault.retryable) throw fault;
        if (isOneByOne) {
          logger.error(
            { err: error, place: placeOf(records[outcomes.length]?.value['extra']) },
            'a failure from a log file was refused for good',
          );
          outcomes.push({ kind: 'dropped' });
        }
        isOneByOne = true;
      }
    }
  });
}

/** Tries until it works; says once that it did not. Answers false when `stop` came first. */
async function untilDone({ logger, waits, stop }: HandOverOptions, work: () => Promise<void>): Promise<boolean> {
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
