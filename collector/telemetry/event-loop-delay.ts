import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

/** How late the event loop was for at most this share of its looks at a timer. */
export interface DelayQuantile {
  readonly quantile: number;
  readonly seconds: number;
}

/** Watches how late the event loop is. Costs nothing before `start` and after `stop`; both are safe to call twice. */
export interface EventLoopDelay {
  start(): void;
  stop(): void;
  /** The quantiles 0.5, 0.9, 0.99 and 1 since the last look; none while nothing was measured. */
  look(): readonly DelayQuantile[];
}

/** Milliseconds between two looks. With 20 they cost 0.25 % of a core where nothing else happens, with 10 twice that (Node 20). */
const RESOLUTION_MS = 20;
const QUANTILES = [0.5, 0.9, 0.99, 1];

/** Builds a watch that does not run yet. */
export function createEventLoopDelay(): EventLoopDelay {
  let histogram: IntervalHistogram | undefined;
  return {
    start() {
      histogram ??= monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      histogram.enable();
    },
    stop() {
      histogram?.disable();
      histogram = undefined;
    },
    look() {
      if (histogram === undefined || histogram.count === 0) return [];
      const { max } = histogram;
      // Node counts the whole time between two looks.
      const lateBy = (ns: number) => Math.max(0, ns / 1e9 - RESOLUTION_MS / 1e3);
      const quantiles = QUANTILES.map((quantile) => ({
        quantile,
        seconds: lateBy(quantile === 1 ? max : (histogram?.percentile(quantile * 100) ?? 0)),
      }));
      histogram.reset();
      return quantiles;
    },
  };
}
