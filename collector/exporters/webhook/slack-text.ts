import { visible } from '../sending/visible.js';

/** What receivers of Slack's format notify people by; addresses of mail are left as they are. */
const MENTION = /(?<![\w.+-])@(?=\w)/g;

/**
 * Text of an event for a message: nothing in it is obeyed, hidden or names anybody. Control, format and bidirectional characters are escapes, `&`, `<` and `>` entities, and
 * the `@` of a mention is the full-width one. Of at most so many UTF-16 units of the text; what is made of one unit has at most 10.
 */
export function slackText(text: string, maxLength: number): string {
  const escaped = visible(text, maxLength).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replace(MENTION, '\uff20');
}

/** The same as code, in which `*`, `_` and links are only characters. */
export function slackCode(text: string, maxLength: number): string {
  const shown = slackText(text, maxLength).replaceAll('`', '\u02cb');
  return shown === '' ? '–' : `\`${shown}\``;
}
