import type { RedactionProcessorSettings } from '../../../../generated/settings.js';

export type BuiltinKind = RedactionProcessorSettings['builtin_patterns'][number];

/** Why text is masked: the `kind` label of `faultline_processor_redacted_values`. */
export type SecretKind = BuiltinKind | 'blocked_keys' | 'blocked_values';

/** A secret in a text, in UTF-16 units; `end` is exclusive. */
export interface SecretFinding {
  readonly start: number;
  readonly end: number;
  readonly kind: SecretKind;
  /** The end of the finding that gave a merged one its kind; otherwise `end`. */
  readonly headEnd: number;
}

/** Bound of the search for the end of a secret, because it cannot pause. A longer secret extends to the end of its text. */
export const MAX_SECRET_LENGTH = 256 * 1024;

/** Returns the offset at which the search for the end of a secret stops. */
export function searchLimit(text: string, from: number): number {
  return Math.min(text.length, from + MAX_SECRET_LENGTH);
}

export type ReportFinding = (start: number, end: number, kind: BuiltinKind) => void;

/** Sorts and merges overlapping findings; the first and longest names the kind. Results may be merged again with later findings. */
export function mergeOverlaps(findings: readonly SecretFinding[]): readonly SecretFinding[] {
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
