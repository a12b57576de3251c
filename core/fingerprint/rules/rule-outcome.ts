import type { RawPayload } from '../../event/raw-payload.js';
import type { BasisPart } from '../fingerprint.js';
import type { Parameterizer } from '../message/parameterize.js';
import type { FrameEffects } from '../stack/frame-rules.js';
import type { Analysis, FingerprintTemplate } from './fingerprint-template.js';
import type { ReadValue } from './payload-values.js';

/** The combined effects of the rules that match a payload. */
export interface RuleOutcome {
  /** Identifies the matching rules of one grouper: equal keys have equal effects. Empty if no rule matches. */
  readonly key: string;
  readonly frames: FrameEffects | null;
  readonly parameterize: Parameterizer;
  /** The first rule that sets a fingerprint; null without one. */
  readonly fingerprint: { readonly rule: string; readonly template: FingerprintTemplate } | null;
  readonly splits: readonly { readonly rule: string; readonly field: string; readonly read: ReadValue }[];
  /** Basis parts that list changes of frames and patterns. */
  readonly notes: readonly BasisPart[];
}

/** The basis parts of the rules for one payload. */
export interface RuleParts {
  /** Null if no rule sets a fingerprint. */
  readonly fingerprint: string[] | null;
  /** The fingerprint, then the changes of frames and patterns. */
  readonly notes: readonly BasisPart[];
  readonly splits: readonly BasisPart[];
}

/** Builds the basis parts of the rules for one payload. */
export function fillParts(
  { fingerprint, splits, notes }: RuleOutcome,
  payload: RawPayload,
  analysis: Analysis,
): RuleParts {
  const entries = fingerprint?.template.fill(payload, analysis) ?? null;
  return {
    fingerprint: entries,
    notes:
      entries === null || fingerprint === null
        ? notes
        : [
            { part: 'rule', used: true, value: entries, reason: `Rule "${fingerprint.rule}" sets the fingerprint.` },
            ...notes,
          ],
    splits: splits.map(
      ({ rule, field, read }): BasisPart => ({
        part: 'split',
        used: true,
        value: [field, read(payload)],
        reason: `Rule "${rule}" tells failures apart by ${field}.`,
      }),
    ),
  };
}
