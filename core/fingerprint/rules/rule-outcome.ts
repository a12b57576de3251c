import type { RawPayload } from '../../event/raw-payload.js';
import type { BasisPart } from '../fingerprint.js';
import type { Parameterizer } from '../message/parameterize.js';
import type { DecidingFrames } from '../stack/deciding-frames.js';
import type { FrameEffects } from '../stack/frame-rules.js';
import type { FingerprintTemplate } from './part-template.js';
import type { ReadValue } from './payload-values.js';

/** What all rules that match a payload make of it together; the same for all payloads that the same rules match. */
export interface RuleEffects {
  readonly frames: FrameEffects | null;
  readonly parameterize: Parameterizer;
  /** The first rule that sets a fingerprint; null where none does. */
  readonly fingerprint: { readonly rule: string; readonly template: FingerprintTemplate } | null;
  readonly splits: readonly { readonly rule: string; readonly field: string; readonly read: ReadValue }[];
  /** What changed frames and rows, for people. */
  readonly notes: readonly BasisPart[];
}

/** The effects of rules on one payload. */
export interface RuleOutcome extends RuleEffects {
  /** Null where no rule matches. */
  readonly payload: RawPayload | null;
  /** Names the rules that match, of one grouper: where it is the same, so are the effects. Empty where none does. */
  readonly key: string;
}

/** What rules add to a basis. */
interface FilledPart {
  /** Null where no rule sets a fingerprint. */
  readonly fingerprint: string[] | null;
  /** The fingerprint and what only changed how the event was read. */
  readonly notes: readonly BasisPart[];
  readonly splits: readonly BasisPart[];
}

const NOTHING_FILLED: FilledPart = { fingerprint: null, notes: [], splits: [] };

/** Fills what the rules set with what is known of the event. */
export function filledParts(
  { payload, fingerprint, splits, notes }: RuleOutcome,
  errorName: string,
  message: string,
  frames: DecidingFrames | null,
): FilledPart {
  if (payload === null) return NOTHING_FILLED;
  const entries = fingerprint?.template.fill(payload, { errorName, message, frames }) ?? null;
  return {
    fingerprint: entries,
    notes:
      entries === null || fingerprint === null
        ? notes
        : [
            { part: 'rule', used: true, value: entries, reason: `Rule "${fingerprint.rule}" sets the fingerprint.` },
            ...notes,
          ],
    splits: splits.map(({ rule, field, read }) => ({
      part: 'split',
      used: true,
      value: [field, read(payload)],
      reason: `Rule "${rule}" tells failures apart by ${field}.`,
    })),
  };
}
