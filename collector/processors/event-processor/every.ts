/** Runs work every `intervalMs`; returns a function that stops it. Tests replace it. */
export type Every = (intervalMs: number, work: () => void) => () => void;

/** A timer that does not keep the process alive. */
export const everyInterval: Every = (intervalMs, work) => {
  const timer = setInterval(work, intervalMs).unref();
  return () => clearInterval(timer);
};
