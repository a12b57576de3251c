import type { JsonValue } from '../../../core/event/json.js';

const STATUS = /^[1-5]\d\d$/;

/** The first of several values that is an HTTP status code, as a number or as text; null when none is. */
export function firstStatus(candidates: readonly (JsonValue | undefined)[]): number | null {
  for (const candidate of candidates) {
    if (typeof candidate !== 'number' && typeof candidate !== 'string') continue;
    if (STATUS.test(String(candidate))) return Number(candidate);
  }
  return null;
}
