/** Letters with the blank before them, digits, blanks, anything else. */
const PIECES = /[A-Za-z]+| [A-Za-z]+|[0-9]+| +|[^A-Za-z0-9 ]+/g;
/** Pairs of letters that one of the vocabularies lacks; pairs of one lower and one upper case letter count as such. */
const UNKNOWN_PAIR =
  /[a-z][A-Z]|[A-Z][a-z]|b[q]|f[jz]|g[jkq]|h[j]|j[gvwxyz]|k[qxz]|l[q]|m[z]|n[q]|o[q]|q[fgjkovyz]|r[j]|t[jq]|u[q]|v[qz]|w[qvz]|x[ghjkquvw]|y[fjqv]|z[gjqrv]|B[QZ]|C[JQZ]|D[QZ]|E[JY]|F[JQVZ]|G[JKQZ]|H[J]|I[Y]|J[FGHLNQUWXYZ]|K[JQUXZ]|L[HJQWXZ]|M[Z]|N[Q]|O[JQYZ]|P[QZ]|Q[DFGHIJKOVWXYZ]|R[JQZ]|T[JQ]|U[HJOQWZ]|V[HJQUWXYZ]|W[JQUVYZ]|X[GHJKNOQUVWZ]|Y[BDFHIJKQRUVX]|Z[BCDGIJKLMPQSTUV]/;
const SPACES_IN_TOKEN = 64;
/** Words of answers and of code that are one token in both vocabularies, also behind a blank, and two at most behind another ASCII character. */
export const WORDS: ReadonlySet<string> = new Set(
  (
    'API Calls Cursor Error Event Events Exception First GET HTTP Issue JSON Left Lines Next POST PUT Tags Time Type a action actions after ago and ' +
    'anonymous api app are as assign at be before between by call calls cannot cart case change changed changes checkout client code column com come ' +
    'comment comments config connection core could count cursor data database day email env environment equal error errors event events expected extra ' +
    'failed false fatal file first for found frame frames from function go hour http https id ignore ignored in index info instructions internal invalid ' +
    'inventory is issue issues it java js key kind last left level lib line lines local lost main message method missing module more name net never new ' +
    'next node not null number object of on one open or order org origin out part parts path payload payment product production property py query queue raw ' +
    'read release request reset resolve route rule rules same seen server service session source src srv status string tag tags test text that the they ' +
    'this time timestamp title to token total ts two type undefined undo unknown user users utils value values warning was web with worker write www'
  ).split(' '),
);

/**
 * The most tokens that cl100k or o200k make of a text, without their tables: never fewer than they count, about twice as many in English.
 * A token holds at least one byte, or up to three digits; two letters in a row are never two tokens if their pair is a token.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  for (const { 0: piece, index } of text.matchAll(PIECES)) {
    const last = piece.charCodeAt(piece.length - 1);
    if (last >= 0x30 && last <= 0x39) {
      // Digits of other scripts before them may shift the groups of three.
      tokens += Math.ceil(piece.length / 3) + (text.charCodeAt(index - 1) > 0x7f ? 1 : 0);
    } else if (/[A-Za-z]/.test(piece)) tokens += isKnownWord(piece, text, index) ? 1 : tokensOfLetters(piece);
    else if (last === 0x20) tokens += Math.ceil(piece.length / SPACES_IN_TOKEN);
    else tokens += Buffer.byteLength(piece);
  }
  return tokens;
}

/** Letters of other scripts beside a word belong to it. */
function isKnownWord(piece: string, text: string, index: number): boolean {
  const isAlone = !(text.charCodeAt(index - 1) > 0x7f || text.charCodeAt(index + piece.length) > 0x7f);
  return isAlone && WORDS.has(piece.startsWith(' ') ? piece.slice(1) : piece);
}

/** The longest division into tokens in which letters stand alone beside each other only at unknown pairs. */
function tokensOfLetters(letters: string): number {
  // Ends at the letter before: with a single letter, with several; and at the one before that.
  let [single, several, earlier] = [1, 0, 0];
  for (let index = 1; index < letters.length; index += 1) {
    const isUnknown = UNKNOWN_PAIR.test(letters.slice(index - 1, index + 1));
    const nextSingle = Math.max(several, isUnknown ? single : 0) + 1;
    const nextSeveral = earlier + 1;
    earlier = Math.max(single, several);
    [single, several] = [nextSingle, nextSeveral];
  }
  return Math.max(single, several);
}
