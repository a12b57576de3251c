import { isJsonObject, isWithinBounds, type JsonObject, setOwnProperty } from '../json.js';
import type { EventNote } from '../note.js';
import { claimsWeight, hopsOf, RAW_PAYLOAD_KEYS, type RawPayload, weightMembers } from '../raw-payload.js';
import { completePayload, type PayloadDefaults } from './complete-payload.js';
import { cutExtra, cutKey, cutString } from './cut-json.js';
import type { PayloadRejection } from './payload-check.js';
import { createPayloadCheck, rejectionOf } from './payload-check.js';
import { assertPayloadLimits, type PayloadLimits } from './payload-limits.js';
import { addCut, type CutCounts, createRepairs, notesOf, type Repairs } from './repairs.js';

/** The result of reading one value. */
export type PayloadParseResult =
  | {
      readonly ok: true;
      readonly payload: RawPayload;
      /** What was cut, converted or moved; at most 65. */
      readonly notes: readonly EventNote[];
      /** All cuts, for the ledger. */
      readonly cuts: CutCounts;
      /** The keys that the value lacked, if nothing else distinguishes it from the payload; else undefined. */
      readonly added: readonly (keyof RawPayload)[] | undefined;
    }
  | { readonly ok: false; readonly rejection: PayloadRejection };

/** Turns parsed JSON into payloads. Never throws and has no state. The payload shares objects with the value: do not change it afterwards. */
export interface PayloadParser {
  parse(value: unknown): PayloadParseResult;
}

interface PayloadReaderOptions {
  readonly defaults: PayloadDefaults;
  readonly limits: PayloadLimits;
  /**
   * Whether to accept `extra.faultline.sampled` and `repeats` of an event: for payloads that Faultline wrote or from trusted senders.
   * Default false: `extra.faultline` moves to `extra.faultline.sender`, so senders can neither raise counts nor avoid them.
   */
  readonly keepsWeight?: boolean;
}

const NO_NOTES: readonly EventNote[] = Object.freeze([]);
const NO_CUTS: CutCounts = Object.freeze({});
const NO_KEYS: readonly (keyof RawPayload)[] = Object.freeze([]);

/** Builds a reader. Throws Fault `PAYLOAD_LIMIT_INVALID`. */
export function createPayloadParser({ defaults, limits, keepsWeight = false }: PayloadReaderOptions): PayloadParser {
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

  function readUnfinished(value: unknown): PayloadParseResult {
    const repairs = createRepairs();
    const candidate = isJsonObject(value) ? completePayload(value, defaults, repairs) : value;
    if (!hasTypes(candidate)) return { ok: false, rejection: rejectionOf(hasTypes) };
    const needsExtra = hasOriginals(repairs) || isForged(candidate);
    const isComplete = !needsExtra && isFinished(candidate);
    const payload = isComplete ? candidate : finish(candidate, repairs, needsExtra);
    const added = isComplete && isJsonObject(value) ? addedKeys(value, payload) : undefined;
    return { ok: true, payload, notes: notesOf(repairs), cuts: repairs.cutCounts, added };
  }

  /** Without `needsExtra` the candidate was not finished before, so it has cuts and is not checked again. */
  function finish(candidate: RawPayload, repairs: Repairs, needsExtra: boolean): RawPayload {
    const opened: RawPayload = { ...candidate, extra: withFaultlineExtra(candidate.extra, repairs, keepsWeight) };
    return needsExtra && isFinished(opened) ? opened : cutPayload(opened, limits, repairs);
  }

  return {
    parse(value) {
      if (!isFinished(value) || isForged(value)) return readUnfinished(value);
      // It has all 17 keys, so one more is an unknown one.
      if (countKeys(value) > RAW_PAYLOAD_KEYS.length) return readUnfinished(value);
      return { ok: true, payload: value, notes: NO_NOTES, cuts: NO_CUTS, added: NO_KEYS };
    },
  };
}

function addedKeys(value: JsonObject, payload: RawPayload): (keyof RawPayload)[] | undefined {
  const added: (keyof RawPayload)[] = [];
  for (const key of RAW_PAYLOAD_KEYS) {
    if (value[key] === undefined) added.push(key);
    else if (value[key] !== payload[key]) return undefined;
  }
  return countKeys(value) + added.length === RAW_PAYLOAD_KEYS.length ? added : undefined;
}

/** Does not create a list, unlike `Object.keys`. */
function countKeys(value: object): number {
  let count = 0;
  for (const _ in value) count++;
  return count;
}

/** A copy of the payload within the limits, with its cuts in `extra.faultline`; expects the result of `withFaultlineExtra`. */
function cutPayload(payload: RawPayload, limits: PayloadLimits, repairs: Repairs): RawPayload {
  const cut: RawPayload = { ...payload };
  // In the order of the keys, which is the order of the notes.
  for (const key of RAW_PAYLOAD_KEYS) {
    if (key === 'extra') cut.extra = cutExtra(payload.extra ?? {}, limits, repairs);
    else if (key === 'tags') cut.tags = cutTags(payload.tags, limits, repairs);
    else if (key !== 'status_code') {
      const value = payload[key];
      const [maxUnits, limit] =
        key === 'stack' ? ([limits.maxStackLength, 'max_stack_length'] as const) : [limits.maxStringLength];
      if (value !== null) cut[key] = cutString(value, maxUnits, [key], repairs, limit);
    }
  }
  return { ...cut, extra: withCuts(cut.extra ?? {}, repairs) };
}

/** Checks the number of tags and the length of their keys; the payload check covers the values. */
function areTagsWithinLimits(tags: Record<string, string>, limits: PayloadLimits): boolean {
  let count = 0;
  for (const key in tags) {
    if (++count > limits.maxTags || key.length > limits.maxStringLength) return false;
  }
  return true;
}

/** A copy of the tags within the limits: the first `maxTags` in the sender's order, with keys and values cut. */
function cutTags(tags: Record<string, string>, limits: PayloadLimits, repairs: Repairs): Record<string, string> {
  const entries = Object.entries(tags);
  if (entries.length > limits.maxTags) addCut(repairs, 'max_tags', ['tags'], entries.length, limits.maxTags);
  const copy: Record<string, string> = {};
  const isTaken = (key: string) => Object.hasOwn(tags, key) || Object.hasOwn(copy, key);
  for (const [sentKey, value] of entries.slice(0, limits.maxTags)) {
    const key = cutKey(sentKey, limits.maxStringLength, ['tags'], repairs, isTaken);
    if (key !== undefined) setOwnProperty(copy, key, cutString(value, limits.maxStringLength, ['tags', key], repairs));
  }
  return copy;
}

/** True if `extra.faultline` must hold original values. */
function hasOriginals(repairs: Repairs): boolean {
  return Object.keys(repairs.originals).length > 0 || Object.keys(repairs.topLevel).length > 0;
}

/**
 * `extra` with an `extra.faultline` written by Faultline alone; the sender's value moves to `extra.faultline.sender`. Hops are kept, because they end loops,
 * and with `keepsWeight` also the weight.
 */
function withFaultlineExtra(extra: JsonObject | null, repairs: Repairs, keepsWeight: boolean): JsonObject {
  const faultline: JsonObject = {};
  const hops = hopsOf(extra);
  if (hops > 0) faultline['hops'] = hops;
  if (Object.keys(repairs.originals).length > 0) faultline['original'] = repairs.originals;
  if (keepsWeight) Object.assign(faultline, weightMembers(extra));
  if (extra !== null && Object.hasOwn(extra, 'faultline')) faultline['sender'] = extra['faultline'] ?? null;
  if (Object.keys(repairs.topLevel).length > 0) faultline['top_level'] = repairs.topLevel;
  return { ...extra, faultline };
}

/** The list of cuts is bounded, the total is not. */
function withCuts(extra: JsonObject, repairs: Repairs): JsonObject {
  const faultline = extra['faultline'];
  const total = Object.values(repairs.cutCounts).reduce((sum, count) => sum + count, 0);
  return {
    ...extra,
    faultline: {
      cuts: repairs.cuts.map((cut) => ({ ...cut })),
      cuts_total: total,
      ...(isJsonObject(faultline) ? faultline : {}),
    },
  };
}
