import type { ChosenGrouping, RegroupPreview, RegroupResult } from '../../../generated/reader-answers.js';
import type { WrittenRule } from '../../fingerprint/rules/grouping-section.js';
import type { RegroupOptions } from './regroup.js';

/** By what everything is to be grouped. */
export interface GroupingChoice {
  /** Of the built-in rules; absent: the newest. */
  readonly version?: number;
  /** Absent, as `rules` too: those that group new events. */
  readonly patterns_off?: readonly string[];
  readonly rules?: readonly WrittenRule[];
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
