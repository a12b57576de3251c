import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../../../core/event/json.js';
import { cutText } from '../../../core/event/text.js';

/** A field of two events with its two values. */
export interface FieldDifference {
  /** In query syntax if possible: `tags.region`, `extra.cart.lines[2]`. Untrusted text. */
  readonly path: string;
  /** Undefined if the event does not have the field. */
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** What differs between two events. */
export interface EventDiff {
  readonly different: readonly FieldDifference[];
  /** The first fields that are equal. */
  readonly same: readonly FieldDifference[];
  readonly sameCount: number;
  /** Whether a bound ended the comparison. */
  readonly isCut: boolean;
}

interface Pending extends Omit<FieldDifference, 'path'> {
  readonly path: Step | undefined;
}

interface Step {
  readonly parent: Step | undefined;
  readonly key: string | number;
}

const MAX_FIELDS = 200_000;
const MAX_DIFFERENT = 2_000;
const MAX_SAME = 2_000;

/** Compares two normalized events, fields in alphabetical order, until a bound cuts it; without recursion, because events may nest deeply. */
export function diffEvents(before: JsonObject, after: JsonObject): EventDiff {
  const different: FieldDifference[] = [];
  /** At most `MAX_SAME` of `sameCount`. */
  const same: FieldDifference[] = [];
  let sameCount = 0;
  let fields = 0;
  const pending: Pending[] = [{ path: undefined, before, after }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (fields >= MAX_FIELDS || different.length >= MAX_DIFFERENT) return { different, same, sameCount, isCut: true };
    if (haveComparableMembers(next)) {
      const members = membersOf(next);
      for (const member of members.reverse()) pending.push(member);
      continue;
    }
    fields += 1;
    const field = (): FieldDifference => ({ path: labelOf(next.path), before: next.before, after: next.after });
    if (isSameLeaf(next.before, next.after)) {
      sameCount += 1;
      if (same.length < MAX_SAME) same.push(field());
    } else different.push(field());
  }
  return { different, same, sameCount, isCut: false };
}

function haveComparableMembers({ before, after }: Pending): boolean {
  const sides = [before, after].filter((side) => side !== undefined);
  const isInside = (holds: (side: JsonValue) => boolean): boolean => sides.every(holds);
  const hasMembers = sides.some((side) => sizeOf(side) > 0);
  return sides.length > 0 && hasMembers && (isInside(isJsonObject) || isInside(Array.isArray));
}

function sizeOf(value: JsonValue | undefined): number {
  if (Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : 0;
}

function membersOf({ path, before, after }: Pending): Pending[] {
  const member = (key: string | number): Pending => ({
    path: { parent: path, key },
    before: memberOf(before, key),
    after: memberOf(after, key),
  });
  if (Array.isArray(before) || Array.isArray(after)) {
    return Array.from({ length: Math.max(sizeOf(before), sizeOf(after)) }, (_, index) => member(index));
  }
  const keys = new Set([...keysOf(before), ...keysOf(after)]);
  return [...keys].sort().map(member);
}

function memberOf(container: JsonValue | undefined, key: string | number): JsonValue | undefined {
  if (Array.isArray(container)) return container[Number(key)];
  return ownValue(container, String(key));
}

function keysOf(value: JsonValue | undefined): readonly string[] {
  return isJsonObject(value) ? Object.keys(value) : [];
}

/** Objects and arrays get here only if they are empty or if the other side has another type. */
function isSameLeaf(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  if (before === after) return true;
  const isEmpty = (side: JsonValue | undefined): boolean => typeof side === 'object' && sizeOf(side) === 0;
  const isOfOneType = Array.isArray(before) === Array.isArray(after) && before !== null && after !== null;
  return isEmpty(before) && isEmpty(after) && isOfOneType;
}

function labelOf(path: Step | undefined): string {
  const keys: (string | number)[] = [];
  for (let step = path; step !== undefined && keys.length <= MAX_SHOWN_PATH; step = step.parent) keys.push(step.key);
  return pathLabel(keys.reverse());
}

/** Shown keys of a path, the innermost. */
const MAX_SHOWN_PATH = 32;
/** Shown UTF-16 units of a key. */
const MAX_KEY = 200;
const PLAIN_KEY = /^[^\s".[\]]+$/u;

/** A path for people: `extra.cart.lines[2]`, `tags."a key"`; a cut one starts with `…`. Untrusted text. */
export function pathLabel(path: readonly (string | number)[]): string {
  const shown = path.slice(-MAX_SHOWN_PATH);
  const label = shown
    .map((key) => {
      if (typeof key === 'number') return `[${key}]`;
      const start = key.length > MAX_KEY ? `${cutText(key, MAX_KEY)}…` : key;
      return `.${PLAIN_KEY.test(start) ? start : JSON.stringify(start)}`;
    })
    .join('');
  const whole = label.startsWith('.') ? label.slice(1) : label;
  return shown.length < path.length ? `…${whole}` : whole;
}
