import { PAYLOAD_FIELDS } from '../../../generated/event-fields.js';
import { isJsonObject, type JsonObject, type JsonValue, jsonDepth, setOwnProperty } from '../json.js';
import type { RawPayload } from '../raw-payload.js';
import { cutText } from '../text.js';
import type { PayloadLimits } from './payload-check.js';
import type { LimitName, Path, Repairs } from './repairs.js';

/** The names of limits of texts in settings, notes and metrics. */
const TEXT_LIMITS = { maxStringLength: 'max_string_length', maxStackLength: 'max_stack_length' } as const;

/** A copy of the payload within the limits, with its cuts in `extra.faultline`, which must be written already. */
export function cutPayload(payload: RawPayload, limits: PayloadLimits, repairs: Repairs): RawPayload {
  const cut: RawPayload = { ...payload };
  for (const field of PAYLOAD_FIELDS) {
    if (field.kind === 'extra') cut.extra = cutExtra(payload.extra ?? {}, limits, repairs);
    else if (field.kind === 'tags') cut.tags = cutTags(payload.tags, limits, repairs);
    else if (field.kind !== 'nullable_integer') {
      const { name, maxUnits } = field;
      const text = payload[name];
      if (text !== null) cut[name] = cutString(text, limits[maxUnits], [name], repairs, TEXT_LIMITS[maxUnits]);
    }
  }
  return { ...cut, extra: withCuts(cut.extra ?? {}, repairs) };
}

/** The list of cuts is bounded, the total is not. */
function withCuts(extra: JsonObject, repairs: Repairs): JsonObject {
  const { faultline } = extra;
  return {
    ...extra,
    faultline: {
      cuts: repairs.cuts.map((cut) => ({ ...cut })),
      cuts_total: repairs.totalCuts,
      ...(isJsonObject(faultline) ? faultline : {}),
    },
  };
}

/** Whether the number of tags and the length of their keys are within the limits; the payload check covers the values. */
export function areTagsWithinLimits(tags: Record<string, string>, limits: PayloadLimits): boolean {
  const keys = Object.keys(tags);
  return keys.length <= limits.maxTags && keys.every((key) => key.length <= limits.maxStringLength);
}

/** A copy of the tags within the limits: the first `maxTags` in the sender's order, with keys and values cut. */
function cutTags(tags: Record<string, string>, limits: PayloadLimits, repairs: Repairs): Record<string, string> {
  const entries = Object.entries(tags);
  if (entries.length > limits.maxTags) repairs.addCut('max_tags', ['tags'], entries.length, limits.maxTags);
  const copy: Record<string, string> = {};
  const isTaken = (key: string) => Object.hasOwn(tags, key) || Object.hasOwn(copy, key);
  for (const [sentKey, value] of entries.slice(0, limits.maxTags)) {
    const key = cutKey(sentKey, limits.maxStringLength, ['tags'], repairs, isTaken);
    if (key !== undefined) setOwnProperty(copy, key, cutString(value, limits.maxStringLength, ['tags', key], repairs));
  }
  return copy;
}

/** The string within `maxUnits`; a cut is recorded under `limit`. */
function cutString(
  text: string,
  maxUnits: number,
  path: Path,
  repairs: Repairs,
  limit: LimitName = 'max_string_length',
): string {
  if (text.length <= maxUnits) return text;
  const shorter = cutText(text, maxUnits);
  repairs.addCut(limit, path, text.length, shorter.length);
  return shorter;
}

/** The key within `maxUnits`; a cut is recorded. Undefined if another entry has the cut key already (`isTaken`): the caller drops the entry. */
function cutKey(
  key: string,
  maxUnits: number,
  path: Path,
  repairs: Repairs,
  isTaken: (key: string) => boolean,
): string | undefined {
  if (key.length <= maxUnits) return key;
  const shorter = cutText(key, maxUnits);
  const isLost = isTaken(shorter);
  repairs.addCut('max_string_length', [...path, shorter], key.length, isLost ? 0 : shorter.length);
  return isLost ? undefined : shorter;
}

/** State of a walk through one `extra`. */
interface Walk {
  readonly path: (string | number)[];
  readonly limits: PayloadLimits;
  readonly repairs: Repairs;
}

/** A copy of `extra` within the limits. */
function cutExtra(extra: JsonObject, limits: PayloadLimits, repairs: Repairs): JsonObject {
  return cutObject(extra, { path: ['extra'], limits, repairs });
}

/** Recursion ends at `maxDepth`: the path of a value is as long as its level. */
function cutValue(value: JsonValue, walk: Walk): JsonValue {
  const { path, limits, repairs } = walk;
  if (typeof value === 'string') return cutString(value, limits.maxStringLength, path, repairs);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    repairs.addCut('number_range', path, 1, 0);
    return String(value);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (path.length > limits.maxDepth) {
    repairs.addCut('max_depth', path, path.length - 1 + jsonDepth(value), limits.maxDepth);
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
  const cut = cutValue(value, walk);
  walk.path.pop();
  return cut;
}
