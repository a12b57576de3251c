import type { Logger } from 'pino';
import { MAX_HOPS } from './faultline-record.js';

/** What a warning is written with. */
export interface LoopWarningOptions {
  /** Names the receiver in its lines. */
  readonly logger: Logger;
  /** Monotonic milliseconds, default `performance.now`; handed in so that tests can let time pass. */
  readonly nowMs?: () => number;
}

/** Lines come as often at most. */
const INTERVAL_MS = 60_000;

/** Builds what says once a minute at most that records came over too many Faultlines, and what to do; it takes how many just came. */
export function createLoopWarning({
  logger,
  nowMs = () => performance.now(),
}: LoopWarningOptions): (records: number) => void {
  let nextAtMs = Number.NEGATIVE_INFINITY;
  let rejected = 0;
  return (records) => {
    rejected += records;
    if (nowMs() < nextAtMs) return;
    nextAtMs = nowMs() + INTERVAL_MS;
    logger.warn(
      { code: 'OTLP_TOO_MANY_HOPS', rejected, max_hops: MAX_HOPS },
      'log records that came over too many Faultlines were rejected: their exporters form a loop; take otlp_http out of the pipeline of one that leads back, or end the chain earlier',
    );
  };
}
