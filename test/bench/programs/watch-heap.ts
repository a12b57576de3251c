import { appendFileSync } from 'node:fs';

/** Loaded with `node --expose-gc --import` into a terminal: on SIGUSR2 it writes what its heap holds, in bytes, once nothing is left to collect. */
const file = process.env['FAULTLINE_BENCH_WATCH'];
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  if (file !== undefined) appendFileSync(file, `${process.memoryUsage().heapUsed}\n`);
});
