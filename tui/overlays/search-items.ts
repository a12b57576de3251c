interface Searchable {
  readonly label: string;
  readonly detail?: string;
}

/** Items whose label or detail contains the characters of a search in order; best first: substrings, word starts, adjacent characters. */
export function searchItems<Item extends Searchable>(items: readonly Item[], search: string): readonly Item[] {
  // Command names may be typed with underscores.
  const sought = search.trim().toLowerCase().replaceAll('_', ' ');
  if (sought === '') return items;
  return items
    .map((item, index) => ({ item, index, score: scoreOf(item, sought) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || one.index - other.index)
    .map(({ item }) => item);
}

function scoreOf({ label, detail = '' }: Searchable, sought: string): number {
  // A match in the label counts twice.
  return Math.max(2 * matchScore(label.toLowerCase(), sought), matchScore(detail.toLowerCase(), sought));
}

/** 0 if a character is missing; higher for better matches. */
function matchScore(text: string, sought: string): number {
  const at = text.indexOf(sought);
  if (at >= 0) return 100 + (at === 0 || text.charAt(at - 1) === ' ' ? 50 : 0) - Math.min(at, 40);
  let score = 0;
  let from = 0;
  let last = -1;
  for (const character of sought) {
    if (character === ' ') continue;
    const found = text.indexOf(character, from);
    if (found < 0) return 0;
    if (found === last + 1) score += 3;
    else score += found === 0 || text.charAt(found - 1) === ' ' ? 4 : 1;
    last = found;
    from = found + 1;
  }
  return score;
}
