import type { EventDetail } from '../../generated/reader-answers.js';
import { neutralText } from './neutral-text.js';

/** Who sent the event that a text comes from; null or undefined: not recorded. */
export type Origin = EventDetail['origin'];

/** Starts every line inside a fence, so that no line of an event stands alone. */
export const LINE_PREFIX = '| ';

/** Text of an event between two lines that it cannot contain, each of its own lines behind a prefix; the first line names the sender's origin. */
export function fenced(text: string, origin: Origin): string {
  const lines = neutralText(text).split('\n');
  return [openingLine(origin), ...lines.map((line) => LINE_PREFIX + line), CLOSING_LINE].join('\n');
}

/** First line of a fence. */
export function openingLine(origin: Origin): string {
  return `~~~ untrusted, origin: ${origin ?? 'unknown'}`;
}

/** Last line of a fence. */
export const CLOSING_LINE = '~~~';
