/** Something that Faultline cut, guessed or replaced in an event. */
export interface EventNote {
  /** Stable code, for example `TIMESTAMP_UNPARSEABLE` or `STRING_CUT`. */
  code: string;
  /** JSON pointer into the raw payload, for example `/timestamp`. */
  field: string;
  /** A sentence without its subject. */
  reason: string;
}
