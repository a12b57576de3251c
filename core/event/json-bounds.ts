import type { JsonValue } from './json.js';

/**
 * True when no string or key of a value is longer than `maxUnits`, no object or array lies deeper than `levels`, and every number is one that JSON can
 * carry (`1e999` parses to Infinity). Recursion ends at `levels`.
 */
export function isWithinBounds(value: JsonValue, maxUnits: number, levels: number): boolean {
  if (typeof value === 'string') return value.length <= maxUnits;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (!isWithinBounds(item, maxUnits, levels - 1)) return false;
    }
    return true;
  }
  for (const key in value) {
    if (key.length > maxUnits || !isWithinBounds(value[key] ?? null, maxUnits, levels - 1)) return false;
  }
  return true;
}

/** How many levels of objects and arrays a value has, counted to one beyond `most`; any depth, without recursion. */
export function levelsOf(value: JsonValue, most = Number.POSITIVE_INFINITY): number {
  let levels = 0;
  let row: JsonValue[] = [value];
  for (;;) {
    row = row.filter((item) => typeof item === 'object' && item !== null);
    if (row.length === 0 || levels > most) return levels;
    levels++;
    row = row.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
}
