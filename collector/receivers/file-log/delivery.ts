import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { toFault } from '../../http/problem.js';
import type { Intake } from '../intake.js';
import type { RecordOutcome } from '../pending-records.js';
import { mappedRecordOf, type PendingRecord, placeOf } from './file-record.js';

/** Waiting times between two tries, milliseconds. */
export interface RetryWaits {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** How records are handed on. */
export interface DeliveryOptions {
  readonly intake: Intake;
  readonly logger: Logger;
  readonly waits: RetryWaits;
  /** Ends the waiting between two tries. */
  readonly stop: AbortSignal;
}

/**
 * Hands records on until the line has taken all of them. While it refuses for now, the same records are tried again and again. When it refuses for good,
 * they are handed on one by one, and one that is refused for good alone is given up: it would hold up its file for ever.
 * Answers false when `stop` came first.
 */
export async function deliver(records: readonly PendingRecord[], options: DeliveryOptions): Promise<boolean> {
  const { intake, logger } = options;
  const mapped = records.map(mappedRecordOf);
  const outcomes: RecordOutcome[] = [];
  let isOneByOne = false;
  return await untilDone(options, async () => {
    while (outcomes.length < mapped.length) {
      const end = isOneByOne ? outcomes.length + 1 : mapped.length;
      try {
        await intake.take(mapped.slice(0, end), outcomes);
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
export async function untilDone(
  { logger, waits, stop }: Omit<DeliveryOptions, 'intake'>,
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
