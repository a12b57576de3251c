/** Something that Faultline cut, guessed or replaced in an event, said so that nobody takes it for the sender's word. */
export interface EventNote {
  /** Stable name of what happened, for programs: `TIMESTAMP_UNPARSEABLE`, `STRING_CUT`, … */
  code: string;
  /** JSON pointer into the raw payload, for example `/timestamp`. */
  field: string;
  /** One sentence for people. */
  reason: string;
}
