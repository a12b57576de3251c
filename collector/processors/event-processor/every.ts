/** Runs work again and again, so many milliseconds apart; answers what ends it. Handed in so that tests can let time pass. */
export type Every = (intervalMs: number, work: () => void) => () => void;

/** By the clock of the process, which it does not keep running. */
export const everyInterval: Every = (intervalMs, work) => {
  const timer = setInterval(work, intervalMs).unref();
  return () => clearInterval(timer);
};
