declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** UUIDv7 of a stored event, lower case. */
export type EventId = Branded<'EventId'>;
/** UUIDv5 of an issue, lower case. */
export type IssueId = Branded<'IssueId'>;
/** 32 lowercase hexadecimal characters. */
export type FingerprintValue = Branded<'FingerprintValue'>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const FINGERPRINT = /^[0-9a-f]{32}$/;

/** Parses an event id in upper or lower case; undefined if the text is not a UUID. */
export function toEventId(text: string): EventId | undefined {
  return lowerUuid(text) as EventId | undefined;
}

/** Parses an issue id in upper or lower case; undefined if the text is not a UUID. */
export function toIssueId(text: string): IssueId | undefined {
  return lowerUuid(text) as IssueId | undefined;
}

function lowerUuid(text: string): string | undefined {
  const lower = text.length === 36 ? text.toLowerCase() : '';
  return UUID.test(lower) ? lower : undefined;
}

/** Whether a text has the form of a fingerprint. */
export function isFingerprint(text: string): text is FingerprintValue {
  return FINGERPRINT.test(text);
}
