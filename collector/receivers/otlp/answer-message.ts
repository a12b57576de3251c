import { cutText } from '../../../core/event/cut-text.js';

/** UTF-16 units of a message in an answer: whole answers stay far below the 4 MiB that clients take. */
const MAX_MESSAGE_LENGTH = 1024;

/** The message as an answer carries it. */
export function answerMessage(message: string): string {
  return cutText(message, MAX_MESSAGE_LENGTH);
}
