import stringWidth from 'string-width';
import { HIDDEN_CODE_POINT, shownForm } from '../../core/event/hidden-characters.js';

/** The role of a code point in a glyph. `mark` and the kinds after it join the code point before them. */
type Kind = 'plain' | 'hidden' | 'mark' | 'selector' | 'modifier' | 'flag' | 'jamo';

/** Scripts in use need three marks on a character; more of them paint over other rows. */
const MAX_MARKS = 4;
/** Entries of each cache; a full cache is cleared. */
const CACHE_SIZE = 1 << 16;

const KINDS: readonly (readonly [Kind, RegExp])[] = [
  ['selector', /^[\ufe0e\ufe0f]$/],
  ['hidden', HIDDEN_CODE_POINT],
  ['mark', /^\p{M}$/u],
  ['modifier', /^\p{Emoji_Modifier}$/u],
  ['flag', /^\p{Regional_Indicator}$/u],
  // Vowels and final consonants of Hangul join the syllable before them.
  ['jamo', /^[\u1160-\u11ff\ud7b0-\ud7ff]$/],
];
const EMOJI = /^\p{Emoji}$/u;
const PICTOGRAPH = /^\p{Extended_Pictographic}$/u;
const HANGUL = /^[\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff]$/;

// Text repeats its characters; testing Unicode properties for each occurrence would take seconds per megabyte.
/** Of each code point its role and its width alone. */
const classes = new Map<number, { readonly kind: Kind; readonly cells: number }>();
const clusterCells = new Map<string, number>();

/**
 * Returns the unit of text at a UTF-16 offset: a character with its marks, an emoji, or a hidden character in its visible form. `shown` is safe to write to
 * a terminal, and at least 1 of `cells` wide. Reads a bounded number of characters, so a scan over a text is linear.
 */
export function glyphAt(text: string, offset: number) {
  const codePoint = text.codePointAt(offset) ?? 0;
  const end = offset + unitsOf(codePoint);
  const { kind, cells } = classOf(codePoint);
  // A mark or selector without a base would join the text written before it.
  if (kind === 'hidden' || kind === 'mark' || kind === 'selector' || cells === 0) {
    const shown = shownForm(codePoint);
    return { end, shown, cells: shown.length };
  }
  const base = text.slice(offset, end);
  const clusterEnd = endOfCluster(text, end, base, kind);
  if (clusterEnd === end) return { end, shown: base, cells };
  const shown = text.slice(offset, clusterEnd);
  return { end: clusterEnd, shown, cells: cellsOfCluster(shown) };
}

/** Offset after everything that joins a base: a selector, a modifier, the other half of a flag, the rest of a syllable, a few marks. */
function endOfCluster(text: string, baseEnd: number, base: string, baseKind: Kind): number {
  let offset = baseEnd;
  let marks = 0;
  while (offset < text.length) {
    const next = text.codePointAt(offset) ?? 0;
    // U+0300 is the first combining mark; no lower code point joins a base.
    if (next < 0x300) break;
    const { kind } = classOf(next);
    const isFirst = offset === baseEnd;
    if (kind === 'mark') marks += 1;
    const joins =
      (kind === 'mark' && marks <= MAX_MARKS) ||
      (kind === 'selector' && isFirst && EMOJI.test(base)) ||
      (kind === 'modifier' && isFirst && PICTOGRAPH.test(base)) ||
      (kind === 'flag' && isFirst && baseKind === 'flag') ||
      (kind === 'jamo' && offset - baseEnd < 2 && HANGUL.test(base));
    if (!joins) break;
    offset += unitsOf(next);
  }
  return offset;
}

function unitsOf(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1;
}

function classOf(codePoint: number) {
  const known = classes.get(codePoint);
  if (known !== undefined) return known;
  const character = String.fromCodePoint(codePoint);
  const kind = KINDS.find(([, pattern]) => pattern.test(character))?.[0] ?? 'plain';
  const found = { kind, cells: stringWidth(character) };
  if (classes.size >= CACHE_SIZE) classes.clear();
  classes.set(codePoint, found);
  return found;
}

function cellsOfCluster(cluster: string): number {
  const known = clusterCells.get(cluster);
  if (known !== undefined) return known;
  const cells = Math.max(1, stringWidth(cluster));
  if (clusterCells.size >= CACHE_SIZE) clusterCells.clear();
  clusterCells.set(cluster, cells);
  return cells;
}
