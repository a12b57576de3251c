import { isJsonObject, type JsonObject } from './json.js';

/** Larger counts say no more. */
const MOST = 1_000;

/**
 * Over how many further Faultlines an event came before it was stored here: `extra.faultline.hops`, an integer of at least 1. 0 where there is none, or
 * anything else stands there. A sender can write one too: it counts for its own event only.
 */
export function hopsOf(extra: JsonObject | null): number {
  const part = extra !== null && Object.hasOwn(extra, 'faultline') ? extra['faultline'] : undefined;
  if (!isJsonObject(part)) return 0;
  const hops = Object.hasOwn(part, 'hops') ? part['hops'] : undefined;
  return typeof hops === 'number' && Number.isInteger(hops) && hops >= 1 ? Math.min(hops, MOST) : 0;
}
