import { isJsonObject, parseJson } from '../../event/json.js';
import type { ProcessTable } from '../files/process-table.js';

/** The content of `LOCK`: the process that writes the folder. Stored as JSON. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** RFC 3339. */
  readonly started_at: string;
  /** Boot id and start in ticks, to distinguish processes with one pid; null if the system does not report it. */
  readonly process_start: string | null;
  /** Null if the system does not report it. */
  readonly pid_namespace: string | null;
  /** Whether the holder also has the kernel's lock, which ends with its process. */
  readonly kernel_lock: boolean;
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Undefined if the text is not a lock. */
export function parseLockHolder(text: string): LockHolder | undefined {
  const value = parseJson(text);
  if (!isJsonObject(value)) return undefined;
  const { pid, host, started_at, process_start, pid_namespace, kernel_lock } = value;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1) return undefined;
  if (typeof host !== 'string' || typeof started_at !== 'string') return undefined;
  return {
    pid,
    host,
    started_at,
    process_start: textOrNull(process_start),
    pid_namespace: textOrNull(pid_namespace),
    kernel_lock: kernel_lock === true,
  };
}

/** Describes the holder in a sentence. */
export function describeHolder(holder: LockHolder | undefined): string {
  return holder === undefined
    ? 'another process'
    : `process ${holder.pid} on ${holder.host} since ${holder.started_at}`;
}

const bootOf = (start: string | null | undefined): string | undefined => start?.split(':')[0] || undefined;

/**
 * Whether the holder has certainly ended. `isFree`: the kernel reports its lock as free, which decides it for a holder of that lock under
 * the same kernel. Otherwise the process must be visible from here.
 */
export function isGone(holder: LockHolder, isFree: boolean, processes: ProcessTable): boolean {
  const isSameHost = holder.host === processes.host;
  const boots = [bootOf(holder.process_start), bootOf(processes.startOf(processes.pid))];
  if (boots[0] !== boots[1]) return isSameHost && !boots.includes(undefined);
  if (isFree && holder.kernel_lock) return isSameHost || boots[0] !== undefined;
  if (!isSameHost || holder.pid_namespace === null || holder.pid_namespace !== processes.pidNamespace) return false;
  return !processes.isAlive(holder.pid) || processes.startOf(holder.pid) !== holder.process_start;
}
