import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { hasCode } from './system-error.js';

/** What the writer lock needs to know about processes. */
export interface ProcessTable {
  readonly pid: number;
  readonly host: string;
  /** Namespace of the pids that this process sees; null if the system does not report it. */
  readonly pidNamespace: string | null;
  /** Whether a process with this pid runs, as far as this process can see. */
  isAlive(pid: number): boolean;
  /** Distinguishes a process from a later one with its pid, also across reboots; undefined if the system does not report it. */
  startOf(pid: number): string | undefined;
}

/** Indexes in `/proc/<pid>/stat` after the name, which may contain spaces and brackets: fields 3 and 22 of proc(5). */
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

/** Identifies the boot of this machine; undefined if the system does not report it. */
export function bootId(): string | undefined {
  return readText('/proc/sys/kernel/random/boot_id')?.trim();
}

function acceptsSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs as another user.
    return !hasCode(error, 'ESRCH');
  }
}

/** The processes of this host that are visible to this process. */
export const systemProcesses: ProcessTable = {
  pid: process.pid,
  host: hostname(),
  pidNamespace: readText('/proc/self/ns/pid', readlinkSync) ?? null,
  // A zombie (state Z) accepts signals but holds nothing.
  isAlive: (pid) => acceptsSignals(pid) && statOf(pid)?.[STATE] !== 'Z',
  startOf(pid) {
    const start = statOf(pid)?.[START_TIME];
    return start && `${bootId() ?? ''}:${start}`;
  },
};
