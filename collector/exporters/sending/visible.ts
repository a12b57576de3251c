import { printable } from '../../../config/values/printable.js';
import { cutText } from '../../../core/event/text.js';

const DEFAULT_MAX_LENGTH = 512;

/** Text of somebody else for a log line, a status or a terminal: control, format and bidirectional characters written as escapes; cut to so many UTF-16 units, default 512. */
export function visible(text: string, maxLength = DEFAULT_MAX_LENGTH): string {
  const shown = cutText(text, maxLength);
  return printable(shown.length < text.length ? `${shown}…` : shown);
}
