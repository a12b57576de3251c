/** Arrays and key-value lists inside each other, in one value: what lies deeper is `TOO_DEEP`. */
export const MAX_VALUE_DEPTH = 64;

/** Stands where a value is nested too deeply. */
export const TOO_DEEP = `[nested deeper than ${MAX_VALUE_DEPTH} levels]`;

/** Bytes of one record, which is decoded in one go: as large as an event may be by default. A larger one is bad. */
export const MAX_RECORD_BYTES = 16 * 1024 * 1024;

/** Bytes of one resource or scope; in JSON of one element of the outer list without its records. More refuses the request. */
export const MAX_HEAD_BYTES = 1024 * 1024;

/** Records in one part. */
export const MAX_PART_RECORDS = 100;
