import { cutText } from '../event/text.js';
import { countTokens, lengthWithin } from './count-tokens.js';
import { neutralText } from './neutral-text.js';

/** UTF-16 units of a text that are looked at: more than any budget holds. */
const MAX_UNITS = 64 * 1024;
/** A longer line is cut without counting all of it. */
const MAX_UNITS_IN_TOKEN = 16;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A neutral line, and how many characters after it are not looked at. */
export interface BriefLine {
  readonly text: string;
  readonly rest: number;
}

/** The lines of a text of an event, neutral; `units` is how much of it is of interest, default 65,536. */
export function neutralLines(text: string, units = MAX_UNITS): BriefLine[] {
  const start = cutAtGrapheme(text, units);
  const lines = neutralText(start).trimEnd().split('\n');
  const rest = text.length - start.length;
  return lines.map((line, index) => ({ text: line, rest: index === lines.length - 1 ? rest : 0 }));
}

/** The start of a text, neutral and in one line, with the number of characters that were left out. */
export function neutralLine(text: string, units = 200): string {
  const start = cutAtGrapheme(text, units);
  return marked(neutralText(start).trim().replaceAll(/\s+/g, ' '), text.length - start.length);
}

/** The longest start of a line that takes at most `tokens`, with a mark where it is cut; undefined if not even a word of it fits. */
export function fitLine({ text, rest }: BriefLine, tokens: number): string | undefined {
  const whole = marked(text, rest);
  if (whole.length <= MAX_UNITS_IN_TOKEN * tokens && countTokens(whole) <= tokens) return whole;
  let excess = 1;
  for (let limit = tokens - countTokens(marked('', text.length)); limit > 0; limit -= excess) {
    const start = cutAtGrapheme(text, lengthWithin(text, limit));
    if (start === '') return undefined;
    const line = marked(start, text.length - start.length + rest);
    excess = countTokens(line) - tokens;
    if (excess <= 0) return line;
  }
  return undefined;
}

function marked(start: string, rest: number): string {
  return rest === 0 ? start : `${start}… ${rest} characters left out`;
}

/** Looks a little ahead, so that a character with its marks is whole or absent. */
function cutAtGrapheme(text: string, units: number): string {
  if (text.length <= units) return text;
  const start = cutText(text, units);
  const near = Math.max(0, start.length - 64);
  const window = text.slice(near, start.length + 64);
  const grapheme = graphemes.segment(window).containing(start.length - near);
  return start.slice(0, near + (grapheme?.index ?? start.length - near));
}
