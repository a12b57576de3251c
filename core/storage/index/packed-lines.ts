/** Numbers that tell an issue: first the place of its app and service, or its number in an issue table; then its fingerprint. */
export const KEY_PARTS = 5;

/** What stands in `columns` for each line. */
export const COLUMNS = 8;
/** Bytes of the line without its newline. */
export const BYTES = 0;
export const ENV = 1;
export const LEVEL = 2;
/** 0 where the event names none. */
export const RELEASE = 3;
export const TYPE = 4;
/** Nanoseconds after `times`. */
export const NANOS = 5;
/** Where its texts begin in `descriptions`, -1 where its issue was described before. */
export const DESCRIPTION = 6;
/** `userHash` of who met it. */
export const USER = 7;

/** Texts of a description: issue id, fingerprint, title, culprit, error name, listed message. */
export const DESCRIPTION_TEXTS = 6;

/** What `lines` says of a commit that could not be read as its record says it is. */
export const UNREAD = -1;

/** What the index looks at in the lines of some commits, on its way from one thread to another: an object for each would cost more than reading the line again. */
export interface PackedLines {
  /** For each commit how many of the lines are its, or `UNREAD`. */
  readonly lines: Int32Array<ArrayBuffer>;
  /** App and service in turns. */
  readonly services: readonly string[];
  /** Each text once; the first one stands for none. */
  readonly texts: readonly string[];
  /** `DESCRIPTION_TEXTS` of each. */
  readonly descriptions: readonly (string | null)[];
  /** `KEY_PARTS` of each line. */
  readonly keys: Int32Array<ArrayBuffer>;
  /** `COLUMNS` of each line; texts by their place. */
  readonly columns: Int32Array<ArrayBuffer>;
  /** Event time of each line in milliseconds, NaN where it names none. */
  readonly times: Float64Array<ArrayBuffer>;
  /** For how many events a line counts, by its place among all; those that count for one are left out. */
  readonly weights: ReadonlyMap<number, number>;
}
