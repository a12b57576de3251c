import type { ProcessTable } from './process-table.js';

/** What a `LOCK` says: who writes into the folder. Stored as JSON. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** Start of the collector, RFC 3339. */
  readonly started_at: string;
  /** Tells the process from a later one of the same number; null where the system does not say. */
  readonly process_start: string | null;
  /** Tells this lock from every other one. */
  readonly token: string;
}

const TOKEN = /^[0-9a-f-]{36}$/;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads the content of a lock; undefined when it is not one. */
export function readLockHolder(text: string): LockHolder | undefined {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const fields: Record<string, unknown> = { ...value };
  const { pid, host, started_at: startedAt, process_start: processStart, token } = fields;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1 || typeof host !== 'string') return undefined;
  if (typeof startedAt !== 'string' || typeof token !== 'string' || !TOKEN.test(token)) return undefined;
  if (processStart !== null && typeof processStart !== 'string') return undefined;
  return { pid, host, started_at: startedAt, process_start: processStart, token };
}

/** True when the holder certainly runs no more: its host is ours, and its process is gone or is a later one of the same number. */
export function isStale(holder: LockHolder, processes: ProcessTable): boolean {
  if (holder.host !== processes.host) return false;
  if (!processes.isAlive(holder.pid)) return true;
  const start = processes.startOf(holder.pid);
  return start !== undefined && holder.process_start !== null && start !== holder.process_start;
}
