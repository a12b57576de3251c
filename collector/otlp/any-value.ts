import { Fault } from '../../core/event/fault.js';
import { tooManyMembers } from '../../core/event/payload-check.js';

/** Arrays and key-value lists inside each other, in one value: what lies deeper is `TOO_DEEP`. */
export const MAX_VALUE_DEPTH = 64;

/** Stands where a value is nested too deeply. */
export const TOO_DEEP = `[nested deeper than ${MAX_VALUE_DEPTH} levels]`;

/** How many members of maps, elements of arrays and events of a span were decoded of one record, resource or scope. */
export interface MemberCount {
  members: number;
  readonly maxMembers: number;
}

/** Counts one of them. Throws Fault `EVENT_TOO_MANY_MEMBERS`. */
export function countMember(count: MemberCount): void {
  if (++count.members > count.maxMembers) throw new Fault('EVENT_TOO_MANY_MEMBERS', tooManyMembers(count.maxMembers));
}

/** A double as JSON can carry it: NaN and the infinities as text. */
export function doubleValue(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
