/**
 * The words of a command line such as `code --wait` or `"/opt/my editor/ed" -x`: blanks part them, quotes and backslashes keep them together, nothing else has a meaning.
 * Undefined where a quote is never closed.
 */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let place = 0; place < text.length; place += 1) {
    const character = text.charAt(place);
    if (character === quote) {
      quote = undefined;
    } else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
      word ??= '';
    } else if (character === '\\' && quote !== "'" && place + 1 < text.length) {
      place += 1;
      word = (word ?? '') + text.charAt(place);
    } else if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (quote !== undefined) return undefined;
  if (word !== undefined) words.push(word);
  return words;
}
