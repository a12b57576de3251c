import { setOwnProperty } from '../../../core/event/json.js';
import { MANY_MEMBERS, type Members, type Steps } from '../event-processor/steps.js';

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
