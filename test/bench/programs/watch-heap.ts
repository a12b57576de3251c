import { appendFileSync } from 'node:fs';

/** Loaded into a terminal with `node --expose-gc --import`: on SIGUSR2 it writes the bytes of its heap after a garbage collection. */
const file = process.env['FAULTLINE_BENCH_WATCH'];
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  if (file !== undefined) appendFileSync(file, `${process.memoryUsage().heapUsed}\n`);
});
