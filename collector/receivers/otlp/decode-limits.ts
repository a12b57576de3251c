import { Fault } from '../../../core/event/fault.js';
import { tooManyMembers } from '../../../core/event/payload-rejection.js';

/** Arrays and key-value lists inside each other, in one value: what lies deeper is `TOO_DEEP`. */
export const MAX_VALUE_DEPTH = 64;

/** Stands where a value is nested too deeply. */
export const TOO_DEEP = `[nested deeper than ${MAX_VALUE_DEPTH} levels]`;

/** Bytes of one record in protobuf, which is decoded in one go: as large as an event may be by default. A larger one is bad. */
export const MAX_RECORD_BYTES = 16 * 1024 * 1024;

/** Bytes of one resource or scope in protobuf. More refuses the request. */
export const MAX_HEAD_BYTES = 1024 * 1024;

/** Records in one part. */
export const MAX_PART_RECORDS = 100;

/** How many members of maps, elements of arrays and events of a span were decoded of one record, resource or scope. */
export interface MemberCount {
  members: number;
  readonly maxMembers: number;
}

/** Counts one of them. Throws Fault `EVENT_TOO_MANY_MEMBERS`. */
export function countMember(count: MemberCount): void {
  if (++count.members > count.maxMembers) throw new Fault('EVENT_TOO_MANY_MEMBERS', tooManyMembers(count.maxMembers));
}
