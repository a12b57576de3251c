import { randomUUID } from 'node:crypto';
import type { JsonValue } from '../../../core/event/json.js';

const ID = /^[0-9a-f]{32}$/;
const MAX_ID_LENGTH = 36;
const DASHED = /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/;

/** An event id as 32 lowercase hexadecimal characters, from that or from the form with dashes, item 22; undefined for anything else. */
export function parseSentryEventId(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_ID_LENGTH) return undefined;
  const text = value.toLowerCase().replace(DASHED, '$1$2$3$4$5');
  return ID.test(text) ? text : undefined;
}

/** A new id for an event that came without one, item 5. */
export function createSentryEventId(): string {
  return randomUUID().replaceAll('-', '');
}
