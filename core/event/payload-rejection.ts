/** Why one event was refused while the others of its batch went on. */
export interface PayloadRejection {
  /** JSON pointer to what is wrong; empty for the event as a whole. */
  readonly field: string;
  readonly code: 'EVENT_INVALID' | 'EVENT_TOO_LARGE';
  /** For people, without the subject: `must be string`. */
  readonly reason: string;
}
