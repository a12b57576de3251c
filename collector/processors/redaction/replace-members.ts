import { setOwnProperty } from '../../../core/event/json.js';
import type { Steps } from '../event-processor/steps.js';

/** An object made from outside text: keys are plain data, whatever their names. */
export type Members<Value> = { [key: string]: Value };

/** Members that are listed or written without a pause. To list the keys of 100,000 takes about 15 ms and cannot pause, so that is done once. */
export const MANY_MEMBERS = 1_024;

/** A copy with the same members in the same order; `keys` are all of its keys. */
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

/**
 * A copy with other keys in the same order; undefined takes a member out. Keys that became alike are told apart by `~2`, `~3` and so on, and an
 * unchanged one keeps its name.
 */
export function* renameMembers<Value>(
  values: Members<Value>,
  keys: readonly string[],
  names: ReadonlyMap<string, string | undefined>,
): Steps<Members<Value>> {
  const copy: Members<Value> = {};
  let written = 0;
  const timesTaken = new Map<string, number>();
  for (const key of keys) {
    const value = values[key];
    if (value === undefined) continue;
    const wanted = names.has(key) ? names.get(key) : key;
    if (wanted === undefined) continue;
    setOwnProperty(copy, wanted === key ? key : freeName(wanted, values, timesTaken), value);
    written += 1;
    if (written % MANY_MEMBERS === 0) yield;
  }
  return copy;
}

function freeName(wanted: string, values: Members<unknown>, timesTaken: Map<string, number>): string {
  for (let times = timesTaken.get(wanted) ?? 1; ; times += 1) {
    const name = times === 1 ? wanted : `${wanted}~${times}`;
    if (Object.hasOwn(values, name)) continue;
    timesTaken.set(wanted, times + 1);
    return name;
  }
}
