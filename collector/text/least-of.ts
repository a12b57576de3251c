/** The least of the places that are known; undefined when none is. */
export function leastOf(places: readonly (number | undefined)[]): number | undefined {
  let least: number | undefined;
  for (const place of places) if (place !== undefined && (least === undefined || place < least)) least = place;
  return least;
}
