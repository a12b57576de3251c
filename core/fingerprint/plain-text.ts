/** Escape sequences of terminals: colours, links, titles. */
const TERMINAL_SEQUENCE =
  /\u001b(?:\[[0-?]{0,32}[ -/]{0,8}[@-~]|\][^\u0007\u001b]{0,256}(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
/** Control characters, separators of lines, and marks that change the direction of writing or have no width. */
const UNSEEN =
  /[\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\ufffb]+/g;
const SPACES = / {2,}/g;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const NOT_PRINTABLE_ASCII = /[^\u0020-\u007e]/;
const SPACE = 0x20;

/** A text on one line that no terminal takes for an order: spaces for whatever is not seen, well-formed, trimmed. */
export function plainText(text: string): string {
  if (!NOT_PRINTABLE_ASCII.test(text)) {
    const isSpaced = text.charCodeAt(0) === SPACE || text.charCodeAt(text.length - 1) === SPACE || text.includes('  ');
    return isSpaced ? text.replace(SPACES, ' ').trim() : text;
  }
  return text
    .replace(TERMINAL_SEQUENCE, '')
    .replace(UNSEEN, ' ')
    .replace(LONE_SURROGATE, '\ufffd')
    .replace(SPACES, ' ')
    .trim();
}
