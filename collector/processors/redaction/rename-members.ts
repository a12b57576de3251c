import { setOwnProperty } from '../../../core/event/json.js';
import type { Steps } from '../event-processor/steps.js';

/** An object parsed from input: its keys are data, including `__proto__`. */
export type Members<Value> = { [key: string]: Value };

/** Members that are copied without a pause. `Object.keys` cannot pause, so callers call it once and pass `keys`. */
export const MANY_MEMBERS = 1_024;

/** Copies an object, in order; `keys` are all of its keys. */
export function* copyMembers<Value>(values: Members<Value>, keys: readonly string[]): Steps<Members<Value>> {
  if (keys.length <= MANY_MEMBERS) return { ...values };
  yield;
  const copy: Members<Value> = {};
  let written = 0;
  for (const key of keys) {
    const value = values[key];
    if (value !== undefined) setOwnProperty(copy, key, value);
    written += 1;
    if (written % MANY_MEMBERS === 0) yield;
  }
  return copy;
}

/** Copies an object with other keys, in order; undefined removes a member. Renamed keys that collide get `~2`, `~3` and so on. */
export function* renameMembers<Value>(
  values: Members<Value>,
  keys: readonly string[],
  names: ReadonlyMap<string, string | undefined>,
): Steps<Members<Value>> {
  const copy: Members<Value> = {};
  let written = 0;
  const timesUsed = new Map<string, number>();
  for (const key of keys) {
    const value = values[key];
    if (value === undefined) continue;
    const wanted = names.has(key) ? names.get(key) : key;
    if (wanted === undefined) continue;
    setOwnProperty(copy, wanted === key ? key : freeName(wanted, values, timesUsed), value);
    written += 1;
    if (written % MANY_MEMBERS === 0) yield;
  }
  return copy;
}

function freeName(wanted: string, values: Members<unknown>, timesUsed: Map<string, number>): string {
  for (let times = timesUsed.get(wanted) ?? 1; ; times += 1) {
    const name = times === 1 ? wanted : `${wanted}~${times}`;
    if (Object.hasOwn(values, name)) continue;
    timesUsed.set(wanted, times + 1);
    return name;
  }
}
