import { eastAsianWidth } from 'get-east-asian-width';

const ASCII = /^[\x20-\x7e]*$/;
const SEEN = /^[^\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Mn}\p{Me}\p{Cs}]$/u;

/**
 * `string-width` whose tables are made when they are first needed: its table of emoji takes 50 ms, and one character alone needs none, because
 * all emoji of one character are wide. Whatever else there is in a text is asked of `string-width`, which the bundler starts at the first `require`.
 */
export function stringWidth(text, options) {
  if (typeof text === 'string' && options === undefined) {
    if (ASCII.test(text)) return text.length;
    if (SEEN.test(text)) return eastAsianWidth(text.codePointAt(0));
  }
  return require('string-width').default(text, options);
}
