import { type JsonObject, ownValue } from './json.js';

const MAX_HOPS = 1_000;

/** Number of collectors that forwarded an event before this one: `extra.faultline.hops`, at most 1,000; 0 if it is missing or not a positive integer. */
export function hopsOf(extra: JsonObject | null): number {
  const hops = ownValue(ownValue(extra, 'faultline'), 'hops');
  return typeof hops === 'number' && Number.isInteger(hops) && hops >= 1 ? Math.min(hops, MAX_HOPS) : 0;
}
