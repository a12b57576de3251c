/** What a search looks at. */
interface Searchable {
  readonly label: string;
  readonly detail?: string;
}

/** The items in whose label or detail the characters of a search come in their order, best first: whole words, then beginnings of words, then close together. */
export function searchItems<Item extends Searchable>(items: readonly Item[], search: string): readonly Item[] {
  // Names of commands are known with underscores too.
  const sought = search.trim().toLowerCase().replaceAll('_', ' ');
  if (sought === '') return items;
  return items
    .map((item, place) => ({ item, place, score: scoreOf(item, sought) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || one.place - other.place)
    .map(({ item }) => item);
}

function scoreOf({ label, detail = '' }: Searchable, sought: string): number {
  // A label says more than what stands beside it.
  return Math.max(2 * matchScore(label.toLowerCase(), sought), matchScore(detail.toLowerCase(), sought));
}

/** 0 where the characters do not all come; more, the better they fit. Reads the text from the left once for each beginning of a word. */
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
