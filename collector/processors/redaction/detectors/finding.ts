import type { RedactionProcessorSettings } from '../../../../generated/settings.js';

/** Kinds of secrets that are known without an operator's pattern. */
export type BuiltinKind = RedactionProcessorSettings['builtin_patterns'][number];

/** Why something is masked: also the `kind` label of `faultline_processor_redacted_values`. */
export type SecretKind = BuiltinKind | 'blocked_keys' | 'blocked_values';

/** A part of a text that is a secret; UTF-16 units, `end` lies behind it. */
export interface SecretFinding {
  readonly start: number;
  readonly end: number;
  readonly kind: SecretKind;
  /** `end`, but for findings that were merged: where the one ends that gave its kind. */
  readonly headEnd: number;
}

/**
 * Units of a secret in which its end is looked for, because a look cannot pause. One that is longer reaches to the end of its text: a lost megabyte
 * behind it costs less than a secret that stays or a turn that takes long.
 */
export const MAX_SECRET_LENGTH = 256 * 1024;

/** Up to where the end of a secret is looked for. */
export function searchLimit(text: string, from: number): number {
  return Math.min(text.length, from + MAX_SECRET_LENGTH);
}

/** Takes what a detector found. */
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
