import { printable } from '../../../config/values/printable.js';
import { cutText } from '../../../core/event/text.js';

const DEFAULT_MAX_LENGTH = 512;

/** Makes outside text safe to show: escapes control, format and bidirectional characters and cuts to `maxLength` UTF-16 units, default 512. */
export function visible(text: string, maxLength = DEFAULT_MAX_LENGTH): string {
  const shown = cutText(text, maxLength);
  return printable(shown.length < text.length ? `${shown}…` : shown);
}
