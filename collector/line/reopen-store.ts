import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Meters } from '../telemetry/meters.js';
import type { Part } from './part.js';
import type { PartRunner } from './part-runner.js';
import type { StoreSlot } from './store-slot.js';

/** What a store is opened again with. */
export interface ReopenOptions {
  readonly part: Part<StoreSlot>;
  /** What its files were found to be. */
  readonly reason: Error;
  /** Changes over to the settings as they are: what is spoilt is built anew. */
  readonly changeOver: () => Promise<unknown>;
  /** Whether the part is still one of the line. */
  readonly isCurrent: () => boolean;
  readonly runner: PartRunner;
  readonly meters: Meters;
  readonly logger: Logger;
  readonly stop: AbortSignal;
}

const FIRST_WAIT_MS = 100;
const MOST_WAIT_MS = 5_000;

/** Opens a store whose files were pulled away again at its path, as often as it takes. Until then it has a permanent error. Never rejects. */
export async function reopenStore(options: ReopenOptions): Promise<void> {
  const { part, reason, changeOver, isCurrent, runner, meters, logger, stop } = options;
  const about = { component: part.id, kind: part.kind };
  const countOf = (outcome: string) => meters.counter('faultline_store_reopenings', { exporter: part.id, outcome });
  const [successes, failures] = [countOf('success'), countOf('failure')];
  runner.fail(part, reason);
  logger.error({ ...about, err: reason }, 'the store was pulled away; it is opened again at its path');
  for (let waitMs = FIRST_WAIT_MS; isCurrent() && !stop.aborted; waitMs = Math.min(2 * waitMs, MOST_WAIT_MS)) {
    try {
      part.spoil();
      await changeOver();
      successes.add();
    } catch (error) {
      if (stop.aborted) return;
      failures.add();
      if (runner.fail(part, error)) logger.error({ ...about, err: error }, 'the store is not open again yet');
      await wait(waitMs, undefined, { signal: stop, ref: false }).catch(() => undefined);
    }
  }
}
