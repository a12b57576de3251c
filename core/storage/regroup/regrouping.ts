import type { ChosenGrouping, RegroupPreview, RegroupResult } from '../../../generated/reader-answers.js';
import { FINGERPRINT_VERSION, type GroupingSettings, groupingKey } from '../../fingerprint/grouping-settings.js';
import { groupingOf, type WrittenRule } from '../../fingerprint/rules/grouping-section.js';

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

/** A choice as settings; `active` is what groups new events. They are not checked. */
export function chooseGrouping(choice: GroupingChoice, active: GroupingSettings): GroupingSettings {
  const { version = FINGERPRINT_VERSION, patterns_off = active.patterns_off, rules = active.rules } = choice;
  return groupingOf({ patterns_off, rules }, version);
}

/** What settings come to beside those that group new events. */
export function chosenGrouping(settings: GroupingSettings, active: GroupingSettings): ChosenGrouping {
  const { version, rules, patterns_off: off } = settings;
  const isConfigured = groupingKey(settings) === groupingKey({ ...active, version });
  return { version, rules: rules.length, patterns_off: off.length, is_configured: isConfigured };
}

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
