import { type JsonObject, type JsonValue, jsonDepth, setOwnProperty } from '../json.js';
import { cutText } from '../text.js';
import type { PayloadLimits } from './payload-limits.js';
import { addCut, type Path, type Repairs } from './repairs.js';

/** The string within `maxUnits`; a cut is recorded under `limit`. */
export function cutString(
  text: string,
  maxUnits: number,
  path: Path,
  repairs: Repairs,
  limit: 'max_string_length' | 'max_stack_length' = 'max_string_length',
): string {
  if (text.length <= maxUnits) return text;
  const kept = cutText(text, maxUnits);
  addCut(repairs, limit, path, text.length, kept.length);
  return kept;
}

/** The key within `maxUnits`; a cut is recorded. Undefined if another entry has the cut key already (`isTaken`): the caller drops the entry. */
export function cutKey(
  key: string,
  maxUnits: number,
  path: Path,
  repairs: Repairs,
  isTaken: (key: string) => boolean,
): string | undefined {
  if (key.length <= maxUnits) return key;
  const kept = cutText(key, maxUnits);
  const isLost = isTaken(kept);
  addCut(repairs, 'max_string_length', [...path, kept], key.length, isLost ? 0 : kept.length);
  return isLost ? undefined : kept;
}

/** State of a walk through one `extra`. */
interface Walk {
  readonly path: (string | number)[];
  readonly limits: PayloadLimits;
  readonly repairs: Repairs;
}

/** A copy of `extra` within the limits. */
export function cutExtra(extra: JsonObject, limits: PayloadLimits, repairs: Repairs): JsonObject {
  return cutObject(extra, { path: ['extra'], limits, repairs });
}

/** Recursion ends at `maxDepth`: the path of a value is as long as its level. */
function cutValue(value: JsonValue, walk: Walk): JsonValue {
  const { path, limits, repairs } = walk;
  if (typeof value === 'string') return cutString(value, limits.maxStringLength, path, repairs);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    addCut(repairs, 'number_range', path, 1, 0);
    return String(value);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (path.length > limits.maxDepth) {
    addCut(repairs, 'max_depth', path, path.length - 1 + jsonDepth(value), limits.maxDepth);
    return `[nested deeper than ${limits.maxDepth} levels]`;
  }
  return Array.isArray(value) ? value.map((item, index) => cutAt(index, item, walk)) : cutObject(value, walk);
}

function cutObject(source: JsonObject, walk: Walk): JsonObject {
  const { path, limits, repairs } = walk;
  const copy: JsonObject = {};
  const isTaken = (key: string) => Object.hasOwn(source, key) || Object.hasOwn(copy, key);
  for (const [sentKey, value] of Object.entries(source)) {
    const key = cutKey(sentKey, limits.maxStringLength, path, repairs, isTaken);
    if (key !== undefined) setOwnProperty(copy, key, cutAt(key, value, walk));
  }
  return copy;
}

function cutAt(step: string | number, value: JsonValue, walk: Walk): JsonValue {
  walk.path.push(step);
  const kept = cutValue(value, walk);
  walk.path.pop();
  return kept;
}
