/** Whether what is on the screen is up to date. */
export type Connection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'connected' }
  | {
      readonly kind: 'lost';
      /** When the first reading failed, milliseconds since the epoch. */
      readonly sinceMs: number;
      /** When the next one is tried. */
      readonly retryAtMs: number;
      /** Readings that failed since then. */
      readonly failures: number;
      /** Why, in one sentence from outside: not yet neutralised. */
      readonly reason: string;
    };

const BACKOFF_MS = [1_000, 2_000, 4_000, 8_000, 10_000] as const;
const LONGEST_BACKOFF_MS = 10_000;

/** The connection after a reading failed: tried again after 1, 2, 4, 8 and then every 10 seconds. Failures before that time are one. */
export function afterFailure(connection: Connection, reason: string, nowMs: number): Connection {
  if (connection.kind === 'lost' && nowMs < connection.retryAtMs) return connection;
  const failures = connection.kind === 'lost' ? connection.failures + 1 : 1;
  return {
    kind: 'lost',
    sinceMs: connection.kind === 'lost' ? connection.sinceMs : nowMs,
    retryAtMs: nowMs + (BACKOFF_MS[failures - 1] ?? LONGEST_BACKOFF_MS),
    failures,
    reason,
  };
}
