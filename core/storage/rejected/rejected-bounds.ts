/** How much and how long rejected payloads are kept. */
export interface RejectedBounds {
  /** A day is removed when it ended longer ago than this; 0: age removes nothing. Default 168 hours. */
  maxAgeMs: number;
  /** Most bytes of all files; 0: nothing is kept, and what there is goes. Default 100 MiB. */
  maxBytes: number;
}

/** The defaults of `config/schema.json`. */
export const DEFAULT_REJECTED_BOUNDS: RejectedBounds = { maxAgeMs: 168 * 3_600_000, maxBytes: 100 * 1024 * 1024 };
