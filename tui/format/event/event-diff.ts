import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../../../core/event/json.js';

/** A field of which two events have different values, or which one of them lacks. */
export interface FieldDifference {
  /** As a query writes it where it can: `tags.region`, `extra.cart.lines[2]`. May hold text from outside. */
  readonly path: string;
  /** Undefined where the event lacks it. */
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** Two events compared field by field. */
export interface EventDiff {
  readonly different: readonly FieldDifference[];
  /** The fields that are the same, at most as many as are shown. */
  readonly same: readonly FieldDifference[];
  readonly sameCount: number;
  /** Whether more fields differ, or are there, than were compared. */
  readonly isCut: boolean;
}

/** A field on its way, with its path from the outside in. */
interface Pending {
  readonly path: Step | undefined;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

interface Step {
  readonly parent: Step | undefined;
  readonly key: string | number;
}

const MAX_FIELDS = 200_000;
const MAX_DIFFERENT = 2_000;
const MAX_SAME = 2_000;

/** Compares two normalized events; fields in alphabetical order, those of objects and lists by their paths. Works without recursion. */
export function diffEvents(before: JsonObject, after: JsonObject): EventDiff {
  const different: FieldDifference[] = [];
  const same: FieldDifference[] = [];
  let sameCount = 0;
  let fields = 0;
  const pending: Pending[] = [{ path: undefined, before, after }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (fields >= MAX_FIELDS || different.length >= MAX_DIFFERENT) return { different, same, sameCount, isCut: true };
    if (haveComparableMembers(next)) {
      const members = membersOf(next);
      for (let place = members.length - 1; place >= 0; place -= 1) {
        const member = members[place];
        if (member !== undefined) pending.push(member);
      }
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

/** Whether the members are what is compared: of two objects, of two lists, and of one that has nothing to be compared with. */
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
    return Array.from({ length: Math.max(sizeOf(before), sizeOf(after)) }, (_, place) => member(place));
  }
  const keys = new Set([...keysOf(before), ...keysOf(after)]);
  return [...keys].sort().map(member);
}

function memberOf(holder: JsonValue | undefined, key: string | number): JsonValue | undefined {
  if (Array.isArray(holder)) return holder[Number(key)];
  return ownValue(holder, String(key));
}

function keysOf(value: JsonValue | undefined): readonly string[] {
  return isJsonObject(value) ? Object.keys(value) : [];
}

/** Of objects and lists only empty ones come here, or such beside something else. */
function isSameLeaf(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  if (before === after) return true;
  const isEmpty = (side: JsonValue | undefined): boolean => typeof side === 'object' && sizeOf(side) === 0;
  return (
    isEmpty(before) &&
    isEmpty(after) &&
    isJsonObject(before) === isJsonObject(after) &&
    before !== null &&
    after !== null
  );
}

function labelOf(path: Step | undefined): string {
  const keys: (string | number)[] = [];
  for (let step = path; step !== undefined && keys.length <= MAX_SHOWN_PATH; step = step.parent) keys.push(step.key);
  return pathLabel(keys.reverse());
}

/** Keys of a path that are shown; of a deeper one, the innermost. */
const MAX_SHOWN_PATH = 32;
/** UTF-16 units of a key that are shown. */
const MAX_KEY = 200;
const PLAIN_KEY = /^[^\s".[\]]+$/u;

/** A path for people, `extra.cart.lines[2]`, `tags."a key"`; what is deep begins with `…`. May hold text from outside. */
export function pathLabel(path: readonly (string | number)[]): string {
  const shown = path.slice(-MAX_SHOWN_PATH);
  const label = shown
    .map((key) => {
      if (typeof key === 'number') return `[${key}]`;
      const start = key.length > MAX_KEY ? `${key.slice(0, MAX_KEY)}…` : key;
      return `.${PLAIN_KEY.test(start) ? start : JSON.stringify(start)}`;
    })
    .join('');
  const whole = label.startsWith('.') ? label.slice(1) : label;
  return shown.length < path.length ? `…${whole}` : whole;
}
