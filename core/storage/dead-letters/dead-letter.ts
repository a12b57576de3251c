/** A rejected payload, as its receiver passes it to the store. */
export interface RejectedPayload {
  readonly code: string;
  /** JSON pointer; empty for the whole payload. */
  readonly field: string;
  /** For people. */
  readonly reason: string;
  /** The received bytes or the first of them; must not change afterwards. Absent if none are available. */
  readonly received?: Uint8Array;
  /** Size of the whole payload; null if unknown. */
  readonly bytes: number | null;
}

/** Deeper payloads are stored as text, because readers such as jq 1.6 fail at 256 levels. */
export const MAX_PAYLOAD_LEVELS = 200;
