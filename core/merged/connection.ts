import { Fault } from '../event/fault.js';

/** Codes that concern the request; any other fault concerns the source. */
const REQUEST_CODES: ReadonlySet<string> = new Set([
  'QUERY_INVALID',
  'CURSOR_INVALID',
  'PARAMETER_INVALID',
  'EXPLAIN_NOT_FOUND',
  'ISSUE_NOT_FOUND',
  'ACTION_INVALID',
  'ACTION_NOT_FOUND',
  'SNOOZE_INVALID',
  'ISSUES_NOT_MERGED',
  'SUGGESTION_NOT_FOUND',
  'REGROUP_RUNNING',
]);

/** Whether an error concerns the request and not the source. */
export function isRequestFault(error: unknown): error is Fault {
  return error instanceof Fault && REQUEST_CODES.has(error.code);
}

const TOKEN_CODES: ReadonlySet<string> = new Set(['TOKEN_MISSING', 'TOKEN_WRONG']);

/** Whether a source responded but requires another token. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof Fault && TOKEN_CODES.has(error.code);
}

/** State of the connection to a source. */
export type Connection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'connected' }
  | {
      readonly kind: 'lost';
      /** Time of the first failed read, milliseconds since the epoch. */
      readonly sinceMs: number;
      readonly retryAtMs: number;
      readonly failures: number;
      /** Untrusted text, not yet neutralised. */
      readonly reason: string;
      readonly isUnauthorized: boolean;
    };

const BACKOFF_MS = [1_000, 2_000, 4_000, 8_000, 10_000] as const;
const LONGEST_BACKOFF_MS = 10_000;
/** A missing token does not resolve itself, and servers may count failed attempts. */
const UNAUTHORIZED_BACKOFF_MS = 30_000;

/** Why a read failed. */
export type ReadFailure = Pick<Extract<Connection, { kind: 'lost' }>, 'reason' | 'isUnauthorized'>;

/** The connection after a failed read: retries after 1, 2, 4, 8, then every 10 s, or 30 s for a token. Failures before one count as one. */
export function afterFailure(
  connection: Connection,
  { reason, isUnauthorized }: ReadFailure,
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
