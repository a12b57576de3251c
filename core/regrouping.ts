import type { GroupingSettings } from './fingerprint/grouping-settings.js';
import type { WrittenRule } from './fingerprint/rules/grouping-section.js';
import type { RegroupOptions, RegroupResult } from './storage/regroup/regroup.js';
import type { RegroupPreview } from './storage/regroup/regroup-preview.js';

/** By what everything is to be grouped. */
export interface GroupingChoice {
  /** Of the built-in rules; absent: the newest. */
  readonly version?: GroupingSettings['version'];
  /** Absent, as `rules` too: those that group new events. */
  readonly patterns_off?: readonly string[];
  readonly rules?: readonly WrittenRule[];
}

/** What a choice came to. */
export interface ChosenGrouping {
  readonly version: number;
  /** How many there are. */
  readonly rules: number;
  readonly patterns_off: number;
  /** Whether new events are grouped by the same rules; by which version is not asked, as they follow the last one that was applied. */
  readonly is_configured: boolean;
}

/** What was done, and by what. */
export interface RegroupOutcome<Result> {
  readonly grouping: ChosenGrouping;
  readonly result: Result;
}

/**
 * Groups everything that is stored otherwise, wherever it lies: behind a collector or in a folder that no collector uses. One call at a time. Where `signal` calls one off, it
 * rejects with the signal's reason and everything is as it was. Faults: those of `Regroup`, and those of the way there.
 */
export interface Regrouping {
  /** Whose rules count where none are chosen, for people. */
  readonly ownRules: string;
  preview(choice: GroupingChoice, options?: RegroupOptions): Promise<RegroupOutcome<RegroupPreview>>;
  apply(choice: GroupingChoice, options?: RegroupOptions): Promise<RegroupOutcome<RegroupResult>>;
  rollBack(options?: RegroupOptions): Promise<RegroupResult>;
  close(): Promise<void>;
}
