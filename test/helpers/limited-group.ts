import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const GROUPS = '/sys/fs/cgroup';

/** Creates a control group (version 1 or 2) with a memory limit and without swap; returns its folder, or undefined without the right to. */
export async function createLimitedGroup(limitBytes: number): Promise<string | undefined> {
  const isVersion1 = existsSync(`${GROUPS}/memory`);
  const folder = join(GROUPS, isVersion1 ? 'memory' : '', `faultline-test-${process.pid}-${limitBytes}`);
  const [limit, swap] = isVersion1
    ? ['memory.limit_in_bytes', 'memory.memsw.limit_in_bytes']
    : ['memory.max', 'memory.swap.max'];
  try {
    await mkdir(folder);
    await writeFile(join(folder, limit), String(limitBytes));
    // Missing if the kernel does not count swap.
    await writeFile(join(folder, swap), isVersion1 ? String(limitBytes) : '0').catch(() => undefined);
    return folder;
  } catch (error) {
    console.warn(`SKIPPED: a control group with a memory limit cannot be made here: ${String(error)}`);
    return undefined;
  }
}

/** Returns a command that starts a program in a control group. */
export const inGroup = (folder: string): string[] => ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', folder];
