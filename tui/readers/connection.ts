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
      /** Whether it answers, and only wants another token. */
      readonly isUnauthorized: boolean;
    };

const BACKOFF_MS = [1_000, 2_000, 4_000, 8_000, 10_000] as const;
const LONGEST_BACKOFF_MS = 10_000;
/** Who wants a token does not change its mind by itself, and may count who asks without one. */
const UNAUTHORIZED_BACKOFF_MS = 30_000;

/** Why a reading failed. */
export interface ReadingFailure {
  /** In one sentence from outside. */
  readonly reason: string;
  readonly isUnauthorized: boolean;
}

/**
 * The connection after a reading failed: tried again after 1, 2, 4, 8 and then every 10 seconds, and every 30 where a token is wanted. Failures before that time are one.
 */
export function afterFailure(
  connection: Connection,
  { reason, isUnauthorized }: ReadingFailure,
  nowMs: number,
): Connection {
  if (connection.kind === 'lost' && nowMs < connection.retryAtMs) return connection;
  const failures = connection.kind === 'lost' ? connection.failures + 1 : 1;
  return {
    kind: 'lost',
    sinceMs: connection.kind === 'lost' ? connection.sinceMs : nowMs,
    retryAtMs: nowMs + (isUnauthorized ? UNAUTHORIZED_BACKOFF_MS : (BACKOFF_MS[failures - 1] ?? LONGEST_BACKOFF_MS)),
    failures,
    reason,
    isUnauthorized,
  };
}
