import { sampledOf } from './event-weight.js';
import { hopsOf } from './hops.js';
import { isJsonObject, type JsonObject } from './json.js';
import type { Repairs } from './repairs.js';

/** True when values were kept aside, which only `extra.faultline` can hold. */
export function hasKeptAside(repairs: Repairs): boolean {
  return Object.keys(repairs.originals).length > 0 || Object.keys(repairs.topLevel).length > 0;
}

/**
 * Makes `extra.faultline` Faultline's own, with the values that were kept aside. What the sender has under that name moves to
 * `extra.faultline.sender`, so that its words and ours stay apart. With `keepsWeight` what it says of its weight is ours; its hops always
 * are, because they end loops.
 */
export function openFaultlinePart(
  extra: JsonObject | null,
  repairs: Repairs,
  { keepsWeight }: { keepsWeight: boolean },
): JsonObject {
  const part: JsonObject = {};
  const hops = hopsOf(extra);
  if (hops > 0) part['hops'] = hops;
  if (Object.keys(repairs.originals).length > 0) part['original'] = repairs.originals;
  const sampled = keepsWeight ? sampledOf(extra) : 0;
  if (sampled > 0) part['sampled'] = sampled;
  if (extra !== null && Object.hasOwn(extra, 'faultline')) part['sender'] = extra['faultline'] ?? null;
  if (Object.keys(repairs.topLevel).length > 0) part['top_level'] = repairs.topLevel;
  return { ...extra, faultline: part };
}

/** Writes the cuts into an opened part; the list is bounded, the total is not. */
export function withCuts(extra: JsonObject, repairs: Repairs): JsonObject {
  const part = extra['faultline'];
  const total = Object.values(repairs.cutCounts).reduce((sum, count) => sum + count, 0);
  return {
    ...extra,
    faultline: {
      cuts: repairs.cuts.map((cut) => ({ ...cut })),
      cuts_total: total,
      ...(isJsonObject(part) ? part : {}),
    },
  };
}
