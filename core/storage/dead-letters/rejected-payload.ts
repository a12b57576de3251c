/** One payload that was refused while others went on, as its receiver hands it to the store. */
export interface RejectedPayload {
  readonly code: string;
  /** JSON pointer to what is wrong; empty for the payload as a whole. */
  readonly field: string;
  /** For people. */
  readonly reason: string;
  /** The bytes as received, or their beginning; absent where nothing of them was kept. They must not change afterwards. */
  readonly received?: Uint8Array;
  /** How many bytes the whole payload has; null where nobody knows. */
  readonly bytes: number | null;
}
