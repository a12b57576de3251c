import { completePayload, type PayloadDefaults } from './complete-payload.js';
import { cutPayload } from './cut-payload.js';
import { areTagsWithinLimits } from './cut-tags.js';
import { claimsWeight } from './event-weight.js';
import { hasKeptAside, openFaultlinePart } from './faultline-part.js';
import { isJsonObject } from './json.js';
import { isWithinBounds } from './json-bounds.js';
import type { EventNote } from './note.js';
import { createPayloadCheck, rejectionOf } from './payload-check.js';
import { assertPayloadLimits, type PayloadLimits } from './payload-limits.js';
import type { PayloadRejection } from './payload-rejection.js';
import { RAW_PAYLOAD_KEYS, type RawPayload } from './raw-payload.js';
import { type CutCounts, createRepairs, notesOf, type Repairs } from './repairs.js';

/** What became of one value from outside. */
export type PayloadReading =
  | {
      readonly ok: true;
      readonly payload: RawPayload;
      /** What was cut, converted or moved; empty when nothing was, at most 65. */
      readonly notes: readonly EventNote[];
      /** Cuts by limit, all of them, for the ledger. */
      readonly cuts: CutCounts;
      /** True when the value was a payload already: the 17 keys in the order of `RAW_PAYLOAD_KEYS`, nothing changed. */
      readonly isCanonical: boolean;
    }
  | { readonly ok: false; readonly rejection: PayloadRejection };

/**
 * Turns values from outside, as `JSON.parse` gives them, into payloads. Never throws, holds nothing between calls.
 * Parts of the value live on in the payload: whoever hands it in must not change it afterwards.
 */
export interface PayloadReader {
  read(value: unknown): PayloadReading;
}

/** Written by code, not by operators. */
export interface PayloadReaderOptions {
  readonly defaults: PayloadDefaults;
  readonly limits: PayloadLimits;
  /**
   * Whether an event may say for how many events it counts (`extra.faultline.sampled`): true where an operator hands in raw payloads that Faultline wrote, or trusts
   * those that send them.
   * Default false: senders must not raise counts, and what one writes there moves to `extra.faultline.sender` with all that stands beside it.
   */
  readonly keepsWeight?: boolean;
}

const NO_NOTES: readonly EventNote[] = Object.freeze([]);
const NO_CUTS: CutCounts = Object.freeze({});

/** Builds a reader. Throws Fault `PAYLOAD_LIMIT_INVALID`. */
export function createPayloadReader({ defaults, limits, keepsWeight = false }: PayloadReaderOptions): PayloadReader {
  assertPayloadLimits(limits);
  const hasTypes = createPayloadCheck();
  const hasTypesAndLengths = createPayloadCheck(limits);

  function isFinished(value: unknown): value is RawPayload {
    return (
      hasTypesAndLengths(value) &&
      areTagsWithinLimits(value.tags, limits) &&
      isWithinBounds(value.extra, limits.maxStringLength, limits.maxDepth)
    );
  }

  function isForged({ extra }: RawPayload): boolean {
    return !keepsWeight && claimsWeight(extra);
  }

  function readUnfinished(value: unknown): PayloadReading {
    const repairs = createRepairs();
    const candidate = isJsonObject(value) ? completePayload(value, defaults, repairs) : value;
    if (!hasTypes(candidate)) return { ok: false, rejection: rejectionOf(hasTypes) };
    const needsPart = hasKeptAside(repairs) || isForged(candidate);
    const isAsItIs = !needsPart && isFinished(candidate);
    const payload = isAsItIs ? candidate : settle(candidate, repairs, needsPart);
    return { ok: true, payload, notes: notesOf(repairs), cuts: repairs.cutCounts, isCanonical: false };
  }

  /** What has no need of a part of ours has cuts: it is not looked at again for whether it is finished. */
  function settle(candidate: RawPayload, repairs: Repairs, needsPart: boolean): RawPayload {
    const opened: RawPayload = { ...candidate, extra: openFaultlinePart(candidate.extra, repairs, { keepsWeight }) };
    return needsPart && isFinished(opened) ? opened : cutPayload(opened, limits, repairs);
  }

  return {
    read(value) {
      if (!isFinished(value) || isForged(value)) return readUnfinished(value);
      const order = keyOrderOf(value);
      if (order === 'unknown-keys') return readUnfinished(value);
      return { ok: true, payload: value, notes: NO_NOTES, cuts: NO_CUTS, isCanonical: order === 'canonical' };
    },
  };
}

/** How the keys of a value stand that has all 17. */
function keyOrderOf(payload: RawPayload): 'canonical' | 'other' | 'unknown-keys' {
  let count = 0;
  let isCanonical = true;
  for (const key in payload) {
    if (key !== RAW_PAYLOAD_KEYS[count]) isCanonical = false;
    count++;
  }
  if (count !== RAW_PAYLOAD_KEYS.length) return 'unknown-keys';
  return isCanonical ? 'canonical' : 'other';
}
