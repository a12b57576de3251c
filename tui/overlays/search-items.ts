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
  const start = text.indexOf(sought);
  if (start >= 0) return 100 + (isWordStart(text, start) ? 50 : 0) - Math.min(start, 40);
  let score = 0;
  let last = -1;
  for (const character of sought.replaceAll(' ', '')) {
    const index = text.indexOf(character, last + 1);
    if (index < 0) return 0;
    if (index === last + 1) score += 3;
    else score += isWordStart(text, index) ? 4 : 1;
    last = index;
  }
  return score;
}

function isWordStart(text: string, index: number): boolean {
  return index === 0 || text.charAt(index - 1) === ' ';
}
