import { isJsonObject, type JsonObject } from './json.js';

/** The most further events for which one event may stand. */
export const MAX_SAMPLED = 1_000_000_000;

/**
 * How many further events of its issue, which were received and not stored, an event stands for: `extra.faultline.sampled`, an integer from 1 to
 * `MAX_SAMPLED`. 0 where there is none, or anything else stands there.
 */
export function sampledOf(extra: JsonObject | null): number {
  const part = extra?.['faultline'];
  if (!isJsonObject(part)) return 0;
  const sampled = part['sampled'];
  const isUsable = typeof sampled === 'number' && Number.isInteger(sampled) && sampled >= 1 && sampled <= MAX_SAMPLED;
  return isUsable ? sampled : 0;
}

/** For how many events an event counts: itself, and those of `sampledOf`. */
export function weightOf(extra: JsonObject | null): number {
  return 1 + sampledOf(extra);
}

/** Whether something is written where the weight stands, whatever it is: from outside that is nobody's to write. */
export function claimsWeight(extra: JsonObject | null): boolean {
  const part = extra?.['faultline'];
  return isJsonObject(part) && Object.hasOwn(part, 'sampled');
}

/** An `extra` that says no more than for how many further events its event stands; null for 0. */
export function extraOfWeight(sampled: number): JsonObject | null {
  return sampled === 0 ? null : { faultline: { sampled } };
}
