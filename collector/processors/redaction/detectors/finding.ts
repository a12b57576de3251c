import type { RedactionProcessorSettings } from '../../../../generated/settings.js';

/** Kinds of secrets that are known without an operator's pattern. */
export type BuiltinKind = RedactionProcessorSettings['builtin_patterns'][number];

/** Why something is masked: also the `kind` label of `faultline_processor_redacted_values`. */
export type SecretKind = BuiltinKind | 'blocked_keys' | 'blocked_values';

/** A secret in a text, in UTF-16 units; `end` is exclusive. */
export interface SecretFinding {
  readonly start: number;
  readonly end: number;
  readonly kind: SecretKind;
  /** `end`, but for findings that were merged: where the one ends that gave its kind. */
  readonly headEnd: number;
}

/** Limit of the search for the end of a secret, because it cannot pause. A longer secret extends to the end of its text. */
export const MAX_SECRET_LENGTH = 256 * 1024;

/** Up to where the end of a secret is looked for. */
export function searchLimit(text: string, from: number): number {
  return Math.min(text.length, from + MAX_SECRET_LENGTH);
}

/** Reports a finding of a detector. */
export type ReportFinding = (start: number, end: number, kind: BuiltinKind) => void;

/**
 * Findings in the order of the text, none of which touch the same unit: what overlaps counts as the one that begins first, and the longest that begins
 * there. What was merged may be merged again with findings that came later: the result is as if all had been there at once.
 */
export function withoutOverlaps(findings: readonly SecretFinding[]): readonly SecretFinding[] {
  if (findings.length < 2) return findings;
  const sorted = [...findings].sort((one, other) => one.start - other.start || other.headEnd - one.headEnd);
  const apart: SecretFinding[] = [];
  for (const finding of sorted) {
    const last = apart.at(-1);
    if (last === undefined || finding.start >= last.end) apart.push(finding);
    else if (finding.end > last.end) apart[apart.length - 1] = { ...last, end: finding.end };
  }
  return apart;
}
