import type { EventId } from './ids.js';

const SHORT_EVENT_ID = /^[0-9a-f]{4}-[0-9a-f]{4}$/;

/**
 * Nine characters of an event id, for example `591f-0481`: the last four digits of its time and the four digits of its line. They differ between
 * neighbours, but are not unique.
 */
export function shortEventId(eventId: EventId): string {
  return `${eventId.slice(9, 13)}-${eventId.slice(24, 28)}`;
}

/** Parses a short event id in upper or lower case; undefined if the text is not one. */
export function toShortEventId(text: string): string | undefined {
  const lower = text.toLowerCase();
  return SHORT_EVENT_ID.test(lower) ? lower : undefined;
}
