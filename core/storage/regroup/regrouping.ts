import type { ChosenGrouping, RegroupPreview, RegroupResult } from '../../../generated/reader-answers.js';
import { FINGERPRINT_VERSION, type GroupingSettings, groupingKey } from '../../fingerprint/grouping-settings.js';
import { groupingOf, type WrittenRule } from '../../fingerprint/rules/check-grouping.js';

/** Progress of a regrouping. */
export interface RegroupProgress {
  readonly doneEvents: number;
  readonly totalEvents: number;
}

/** Options of a regrouping. */
export interface RegroupOptions {
  onProgress?: (progress: RegroupProgress) => void;
  /** Aborts it: the promise rejects with the reason and nothing changes. No effect after the regrouping is logged. */
  signal?: AbortSignal;
}

/**
 * Regroups an open store while events arrive. One call at a time, else Fault `REGROUP_RUNNING`. Other faults: `GROUPING_INVALID`,
 * `STORE_CLOSING`, `STORE_UNAVAILABLE`, `INDEX_UNUSABLE`, `REGROUP_NOTHING_TO_ROLL_BACK`; after any of them nothing has changed.
 */
export interface Regroup {
  /** Returns what would change; writes nothing. */
  preview(settings: GroupingSettings, options?: RegroupOptions): Promise<RegroupPreview>;
  /** Groups all received events by these settings, and new events by their version. */
  apply(settings: GroupingSettings, options?: RegroupOptions): Promise<RegroupResult>;
  /** Rolls back the last `apply` that was not rolled back yet. */
  rollBack(options?: RegroupOptions): Promise<RegroupResult>;
  /** Throws `REGROUP_NOTHING_TO_ROLL_BACK` at once, as `rollBack` would. */
  assertRollBack(): void;
}

/** Returns a choice as settings, without validating them; `active` groups new events. */
export function resolveGroupingChoice(choice: GroupingChoice, active: GroupingSettings): GroupingSettings {
  const { version = FINGERPRINT_VERSION, patterns_off = active.patterns_off, rules = active.rules } = choice;
  return groupingOf({ patterns_off, rules: choice.keep_rules ? [...active.rules, ...rules] : rules }, version);
}

/** Summarizes settings and compares them with those that group new events. */
export function describeGrouping(settings: GroupingSettings, active: GroupingSettings): ChosenGrouping {
  const { version, rules, patterns_off } = settings;
  const isConfigured = groupingKey(settings) === groupingKey({ ...active, version });
  return { version, rules: rules.length, patterns_off: patterns_off.length, is_configured: isConfigured };
}

/** Grouping that a caller chooses. */
export interface GroupingChoice {
  /** Version of the built-in rules; default: the newest. */
  readonly version?: number;
  /** Default, as for `rules`: the settings that group new events. */
  readonly patterns_off?: readonly string[];
  readonly rules?: readonly WrittenRule[];
  /** Whether `rules` follow those that group new events, instead of replacing them; default false. */
  readonly keep_rules?: boolean;
}

/** A result and the grouping that it was made with. */
export interface RegroupOutcome<Result> {
  readonly grouping: ChosenGrouping;
  readonly result: Result;
}

/** What can be decided about a suggestion: `undo` withdraws the last decision. */
export const DECISIONS = ['accept', 'dismiss', 'undo'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Regroups a data folder, directly or through its collector, one call at a time. Faults of `Regroup`, connection or opening. */
export interface Regrouping {
  /** Names the source of the default rules, for people. */
  readonly defaultRulesSource: string;
  preview(choice: GroupingChoice, options?: RegroupOptions): Promise<RegroupOutcome<RegroupPreview>>;
  apply(choice: GroupingChoice, options?: RegroupOptions): Promise<RegroupOutcome<RegroupResult>>;
  rollBack(options?: RegroupOptions): Promise<RegroupResult>;
  /** Decides about a suggestion; null if nothing had to be regrouped. Also Fault `SUGGESTION_NOT_FOUND`. */
  decide(
    id: string,
    decision: Decision,
    options?: RegroupOptions & { by?: string | null },
  ): Promise<RegroupResult | null>;
  close(): Promise<void>;
}
