import { cutText } from './cut-text.js';

/** UTF-16 units of a message that lists show, and that the index therefore keeps. */
const MAX_LISTED_MESSAGE = 512;

/** The part of a message that lists show. */
export function listedMessage(message: string): string {
  return cutText(message, MAX_LISTED_MESSAGE);
}
