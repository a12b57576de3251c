/** Why one event was refused while the others of its batch went on. */
export interface PayloadRejection {
  /** JSON pointer to what is wrong; empty for the event as a whole. */
  readonly field: string;
  readonly code: 'EVENT_INVALID' | 'EVENT_TOO_LARGE' | 'EVENT_TOO_MANY_MEMBERS';
  /** For people, without the subject: `must be string`. */
  readonly reason: string;
}

/** The reason of `EVENT_TOO_MANY_MEMBERS`. */
export function tooManyMembers(maxMembers: number): string {
  return `has more than ${maxMembers} members of objects and elements of arrays`;
}
