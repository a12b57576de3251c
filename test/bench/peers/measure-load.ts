import type { ChildProcess } from 'node:child_process';
import { type CollectorProcess, residentMb, startCollectorProcess } from '../collector-process.js';
import { median } from '../row.js';
import { type ClosedLoop, runClosedLoop } from './closed-loop.js';
import { treeCpuSeconds, untilCalm } from './process-tree.js';

/** A server in a child process. */
export interface Subject {
  readonly child: ChildProcess;
  readonly url: string;
  stop(): Promise<void>;
}

/** What a load cost the process that received it. */
export interface Cost {
  readonly perSecond: number;
  /** CPU seconds of the process tree per 100,000 records, from before the first request until calm. */
  readonly cpuSeconds: number;
  readonly residentMb: number;
}

/** Seconds of one load: FAULTLINE_BENCH_SECONDS, default 5. */
export const LOAD_SECONDS = Number(process.env['FAULTLINE_BENCH_SECONDS'] ?? 5);
/** Turns of which the median counts: FAULTLINE_BENCH_TURNS, default 3. */
export const TURNS = Number(process.env['FAULTLINE_BENCH_TURNS'] ?? 3);

/** Loads a server that was just started, and stops it. */
export async function measureLoad<S extends Subject>(
  start: () => Promise<S>,
  load: (subject: S) => ClosedLoop,
): Promise<Cost> {
  const subject = await start();
  const pid = subject.child.pid ?? Number.NaN;
  await untilCalm(pid);
  const before = treeCpuSeconds(pid);
  const { records, perSecond } = await runClosedLoop(load(subject), LOAD_SECONDS);
  await untilCalm(pid);
  const cpuSeconds = ((treeCpuSeconds(pid) - before) * 100_000) / records;
  const resident = residentMb(pid);
  await subject.stop();
  return { perSecond, cpuSeconds, residentMb: resident };
}

/** Loads a collector over an empty folder, and stops it. */
export function measureOurs(folder: string, load: (collector: CollectorProcess) => ClosedLoop): Promise<Cost> {
  return measureLoad(async () => {
    const collector = await startCollectorProcess(folder);
    return { ...collector, url: collector.ingestUrl };
  }, load);
}

/** Returns the median of each figure. */
export function medianCost(costs: readonly Cost[]): Cost {
  return {
    perSecond: median(costs.map((cost) => cost.perSecond)),
    cpuSeconds: median(costs.map((cost) => cost.cpuSeconds)),
    residentMb: median(costs.map((cost) => cost.residentMb)),
  };
}
