import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { hasCode } from './system-error.js';

/** What the system says about processes, as far as the writer lock needs it. */
export interface ProcessTable {
  /** This process. */
  readonly pid: number;
  readonly host: string;
  /** In which this process sees the others, and numbers count; null where the system does not say. */
  readonly pidNamespace: string | null;
  /** True while a process of this number runs, as far as this process can see. */
  isAlive(pid: number): boolean;
  /** Tells a process from a later one of the same number, also across reboots; undefined where the system does not say. */
  startOf(pid: number): string | undefined;
}

/** Fields of `/proc/<pid>/stat` behind the name, which may hold spaces and brackets: the state is field 3, the start time field 22 (proc(5)). */
const STATE = 0;
const START_TIME = 19;

function readText(
  path: string,
  read: (path: string) => string = (file) => readFileSync(file, 'utf8'),
): string | undefined {
  try {
    return read(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ESRCH', 'EACCES', 'EPERM')) return undefined;
    throw error;
  }
}

function statOf(pid: number): readonly string[] | undefined {
  const text = readText(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Names the start of this machine; undefined where the system does not say. */
export function bootId(): string | undefined {
  return readText('/proc/sys/kernel/random/boot_id')?.trim();
}

function takesSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as somebody else.
    return !hasCode(error, 'ESRCH');
  }
}

/** The processes of this host, as this process sees them. */
export const systemProcesses: ProcessTable = {
  pid: process.pid,
  host: hostname(),
  pidNamespace: readText('/proc/self/ns/pid', readlinkSync) ?? null,
  // A dead process that nobody has waited for (state Z) still takes signals, but holds nothing any more.
  isAlive: (pid) => takesSignals(pid) && statOf(pid)?.[STATE] !== 'Z',
  startOf(pid) {
    const start = statOf(pid)?.[START_TIME];
    return start && `${bootId() ?? ''}:${start}`;
  },
};
