import type { IssueSummary, SuspectCommit } from '../../generated/reader-answers.js';
import type { SourceLocation } from './source-locations.js';

/** One rule of a gate, as judged. */
export interface GateRule {
  readonly name: string;
  /** `no_data`: nothing to judge by. `broken`: it could not be judged. */
  readonly status: 'pass' | 'fail' | 'no_data' | 'broken';
  /** The number that was judged; null if there is none. */
  readonly observed: number | null;
  /** The limit of the number; null if there is none. */
  readonly threshold: number | null;
  /** Why the rule has no verdict, or what the number is; null if the numbers say it. */
  readonly reason: string | null;
  /** Ids of the issues that count. */
  readonly issues: readonly string[];
}

/** One issue in a report. */
export interface GateIssue extends Readonly<Pick<IssueSummary, 'app' | 'service' | 'culprit' | 'level'>> {
  readonly issue_id: string;
  readonly fingerprint: string;
  /** From an event: neutralised, one line. */
  readonly title: string;
  /** Events that the gate saw. */
  readonly events: number;
  /** Against the baseline or the compared release; null if there is none. */
  readonly state: 'new' | 'regressed' | 'known' | null;
  /** Whether it is reported as an error: a failed rule names it, or a failed program has it and it is not known. */
  readonly is_failure: boolean;
  /** A file that exists below the working folder; null if no frame names one. */
  readonly location: SourceLocation | null;
  /** The commit that may have caused it; null if unknown or not looked up. */
  readonly suspect_commit: SuspectCommit | null;
}

/** What a gate found. */
export interface GateReport {
  readonly gate: 'run' | 'release';
  readonly outcome: 'passed' | 'breached' | 'no_baseline' | 'no_data' | 'broken';
  readonly rules: readonly GateRule[];
  readonly issues: readonly GateIssue[];
}

/** A rule that could not be judged. */
export function brokenRule(name: string, reason: string): GateRule {
  return { name, status: 'broken', observed: null, threshold: null, reason, issues: [] };
}
