import { setOwnProperty } from '../../../core/event/own-property.js';
import type { Steps } from '../steps.js';

/** An object made from outside text: keys are plain data, whatever their names. */
export type Members<Value> = { [key: string]: Value };

/** Members that are written without a pause. */
const PAUSE_AFTER = 1_024;

/**
 * A copy with other keys and values in the same order; undefined takes a member out. Keys that became alike are told apart by `~2`, `~3` and so on,
 * and an unchanged one keeps its name.
 */
export function* replaceMembers<Value>(
  values: Members<Value>,
  changes: ReadonlyMap<string, { readonly key: string; readonly value: Value } | undefined>,
): Steps<Members<Value>> {
  const copy: Members<Value> = {};
  let written = 0;
  const timesTaken = new Map<string, number>();
  for (const key in values) {
    const value = values[key];
    if (value === undefined) continue;
    const change = changes.has(key) ? changes.get(key) : { key, value };
    if (change === undefined) continue;
    const name = change.key === key ? key : freeName(change.key, values, timesTaken);
    setOwnProperty(copy, name, change.value);
    written += 1;
    if (written % PAUSE_AFTER === 0) yield;
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
