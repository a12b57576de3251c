import type { EventId, FingerprintValue, IssueId } from '../event/ids.js';
import type { JsonValue } from '../event/json.js';
import type { GroupingRule } from '../fingerprint/grouping-settings.js';

/** Two events side by side: why they are one issue or two, and what rule would change that. */
export interface GroupingComparison {
  /** Whether both are shown as one issue. */
  same: boolean;
  a: ComparedEvent;
  b: ComparedEvent;
  /** In the order of the basis of `a`. */
  equal: EqualPart[];
  differ: DifferingPart[];
  /** A rule that was tried on both events and does what it says; null where none does, or none is needed. */
  suggestion: RuleSuggestion | null;
  /** What the parts do not tell, for example a merge; null where there is nothing. */
  note: string | null;
}

/** One of the two events. */
export interface ComparedEvent {
  /** What was asked for: an event's id or an issue's. */
  id: string;
  event_id: EventId;
  /** The issue that shows it. */
  issue_id: IssueId;
  app: string;
  service: string;
  fingerprint: FingerprintValue;
  /** Of the rules that gave it. */
  version: number;
  title: string;
  culprit: string | null;
  /** Which case applied, as in a basis. */
  rule: string;
}

/** A part of the basis that both have alike. */
export interface EqualPart {
  part: string;
  value: JsonValue;
  /** Whether it counts; unused parts decide nothing. */
  used: boolean;
}

/** A part of the basis that they do not have alike. */
export interface DifferingPart {
  part: string;
  /** Null where the event has no such part. */
  a: JsonValue;
  b: JsonValue;
  used_a: boolean;
  used_b: boolean;
  reason_a: string;
  reason_b: string;
}

/** A rule for the user's configuration. */
export interface RuleSuggestion {
  purpose: 'join' | 'separate';
  rule: GroupingRule;
  /** Where it has to stand among the rules that there are. */
  place: 'first' | 'last';
  /** What it does, and what else it will do. */
  why: string;
  /** Another way to the same end; null where there is none. */
  also: string | null;
}
