import type { RegroupPreview, RegroupResult } from '../../../generated/reader-answers.js';
import type { GroupingSettings } from '../../fingerprint/grouping-settings.js';

/** How far a regrouping is. */
export interface RegroupProgress {
  readonly doneEvents: number;
  readonly totalEvents: number;
}

/** How a caller follows a regrouping, and ends it. */
export interface RegroupOptions {
  onProgress?: (progress: RegroupProgress) => void;
  /** Calls it off: the promise rejects with the reason, and nothing is changed. What is written down already is not called off any more. */
  signal?: AbortSignal;
}

/**
 * Groups everything in a folder otherwise, while events go on arriving. One at a time, else Fault `REGROUP_RUNNING`. Faults besides: `GROUPING_INVALID`,
 * `STORE_CLOSING`, `STORE_UNAVAILABLE`, `INDEX_UNUSABLE`, `REGROUP_NOTHING_TO_ROLL_BACK`; after any of them everything is as it was.
 */
export interface Regroup {
  /** What would change; nothing is written. */
  preview(settings: GroupingSettings, options?: RegroupOptions): Promise<RegroupPreview>;
  /** Groups what was received so far by these settings, and new events by their version. */
  apply(settings: GroupingSettings, options?: RegroupOptions): Promise<RegroupResult>;
  /** Takes the last `apply` back that was not taken back yet. */
  rollBack(options?: RegroupOptions): Promise<RegroupResult>;
  /** Throws `REGROUP_NOTHING_TO_ROLL_BACK` at once, as `rollBack` would. */
  assertRollBack(): void;
}
