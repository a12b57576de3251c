declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** UUIDv7 of one stored event, lower case. */
export type EventId = Branded<'EventId'>;
/** UUIDv5 of one issue, lower case. */
export type IssueId = Branded<'IssueId'>;
/** 32 lowercase hexadecimal characters. */
export type FingerprintValue = Branded<'FingerprintValue'>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Reads an event id from outside text, upper or lower case; undefined when it is not a UUID. */
export function toEventId(text: string): EventId | undefined {
  const lower = text.length === 36 ? text.toLowerCase() : '';
  return UUID.test(lower) ? (lower as EventId) : undefined;
}

/** Reads an issue id from outside text, upper or lower case; undefined when it is not a UUID. */
export function toIssueId(text: string): IssueId | undefined {
  const lower = text.length === 36 ? text.toLowerCase() : '';
  return UUID.test(lower) ? (lower as IssueId) : undefined;
}
