import { readdirSync, readFileSync } from 'node:fs';

/** Ticks per second of the times in `/proc/<pid>/stat`, 100 on all Linux platforms of Node. */
const TICKS_PER_SECOND = 100;
const CALM_INTERVAL_MS = 200;
const CALM_SHARE = 0.01;
const MAX_CALM_WAIT_MS = 10_000;

interface ProcessStat {
  readonly parent: number;
  readonly cpuTicks: number;
}

/** Returns undefined for a process that ended. */
function readStat(pid: number): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name is in parentheses and may hold spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const cpuTicks = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
    return { parent: Number(fields[1]), cpuTicks };
  } catch {
    return undefined;
  }
}

/** Returns the CPU seconds of a process, its threads, its descendants, and the children that they waited for. */
export function treeCpuSeconds(root: number): number {
  const stats = new Map<number, ProcessStat>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : undefined;
    if (stat !== undefined) stats.set(Number(name), stat);
  }
  const isInTree = (pid: number): boolean => {
    if (pid === root) return true;
    const parent = stats.get(pid)?.parent;
    return parent !== undefined && parent !== 0 && isInTree(parent);
  };
  let ticks = 0;
  for (const [pid, stat] of stats) if (isInTree(pid)) ticks += stat.cpuTicks;
  return ticks / TICKS_PER_SECOND;
}

/** Waits until the tree of a process uses under 1 % of a core for 200 ms, at most 10 s. */
export async function untilCalm(root: number): Promise<void> {
  const deadline = performance.now() + MAX_CALM_WAIT_MS;
  let before = treeCpuSeconds(root);
  while (performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, CALM_INTERVAL_MS));
    const now = treeCpuSeconds(root);
    if (now - before < (CALM_SHARE * CALM_INTERVAL_MS) / 1000) return;
    before = now;
  }
}
