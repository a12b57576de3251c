import { readFileSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Loaded into a measured process with `node --import`: measures delays of the event loop. SIGUSR2 resets the measurement, which is
 * written at exit to the file that FAULTLINE_BENCH_WATCH names.
 */
const file = process.env['FAULTLINE_BENCH_WATCH'];
if (file !== undefined) {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  process.on('SIGUSR2', () => delays.reset());
  process.on('exit', () => {
    const wchar = Number(/wchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
    writeFileSync(file, JSON.stringify({ maxMs: delays.max / 1e6, p99Ms: delays.percentile(99) / 1e6, wchar }));
  });
}
