import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dirname } from 'node:path';

/** Memory of a process without pages of files, which the kernel takes back under pressure; bytes. */
export interface ProcessMemory {
  readonly resident: number;
  /** Resident memory without freed memory that the allocator keeps. */
  readonly used: number;
}

/** Memory of Node besides heap, buffers and code: stacks, threads, parsers (Node 20.20, x64). */
const RUNTIME_BYTES = 10 * 1024 * 1024;
/** A line of /proc/self/cgroup: version 2 names no controller, version 1 names `memory`. */
const GROUP = /^\d+:(|(?:[^:]*,)?memory(?:,[^:]*)?):(\/.*)$/gm;

/** Bytes that this process may use: the smallest limit of its control group and the enclosing ones, at most the machine's. */
export function availableBytes(): number {
  // process.constrainedMemory() ignores the limits of enclosing groups (libuv 1.46).
  return Math.min(totalmem(), ...limitsOfGroups());
}

/** Measures this process; outside Linux, `resident` includes pages of files. */
export function memoryOfProcess(): ProcessMemory {
  const { rss, heapTotal, external } = process.memoryUsage();
  const resident = anonymousBytes() ?? rss;
  return { resident, used: Math.min(resident, RUNTIME_BYTES + heapTotal + external) };
}

/** Resident memory of this process that no file backs, in bytes; undefined outside Linux. */
export function anonymousBytes(): number | undefined {
  const kib = /^RssAnon:\s+(\d+) kB$/m.exec(readText('/proc/self/status'))?.[1];
  return kib === undefined ? undefined : Number(kib) * 1024;
}

function limitsOfGroups(): number[] {
  const limits: number[] = [];
  for (const [, controllers, group = '/'] of readText('/proc/self/cgroup').matchAll(GROUP)) {
    const [root, file] = controllers === '' ? ['', 'memory.max'] : ['/memory', 'memory.limit_in_bytes'];
    // In a container the path may be the host's; the root is then the group of the container.
    for (let path = group; ; path = dirname(path)) {
      const limit = Number.parseInt(readText(`/sys/fs/cgroup${root}${path}/${file}`), 10);
      if (limit > 0) limits.push(limit);
      if (path === '/') break;
    }
  }
  return limits;
}

/** Empty if the file does not exist. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
