import { type JsonValue, setOwnProperty } from '../../../core/event/json.js';
import { jsonPieces } from '../../../core/event/json-pieces.js';
import { beginTimeSlice } from '../../../core/time-slice.js';

/** Work that can pause at each `yield`, with a result. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Runs steps in time slices, so that other work can run. Rejects with what they throw. */
export async function runInSlices<Result>(steps: Steps<Result>): Promise<Result> {
  const slice = beginTimeSlice();
  for (;;) {
    if (slice.isOver) await slice.next();
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs work that never pauses synchronously, other work in time slices. Throws or rejects with what it throws. */
export function runNowOrInSlices<Result>(steps: Steps<Result>): Result | Promise<Result> {
  const first = steps.next();
  return first.done === true ? first.value : runInSlices(steps);
}

/** Runs steps without a pause. Throws what they throw. */
export function finishNow<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

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

/** Serializes a value, with a pause between two pieces. */
export function* jsonInSteps(value: JsonValue): Steps<string> {
  const parts: string[] = [];
  for (const piece of jsonPieces(value)) {
    if (parts.length > 0) yield;
    parts.push(piece);
  }
  return parts.join('');
}

/** The first `units` UTF-16 units of the JSON of a value, without serializing the rest. */
export function jsonBeginning(value: JsonValue, units: number): string {
  let text = '';
  for (const piece of jsonPieces(value)) {
    text += piece;
    if (text.length >= units) break;
  }
  return text.slice(0, units);
}
