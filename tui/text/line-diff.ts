/** A line that only one text has, or the length of a run of common lines. */
export type LineDifference =
  | { readonly kind: 'removed' | 'added'; readonly text: string }
  | { readonly kind: 'same'; readonly lines: number };

/** Maximum of compared pairs; above it all lines between the common start and end count as different. */
const MAX_PAIRS = 250_000;

/** Returns the removed, added and common lines that turn one text into the other. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly LineDifference[] {
  const start = commonStart(before, after);
  const end = commonStart(before.slice(start).reverse(), after.slice(start).reverse());
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  const middle: readonly LineDifference[] =
    removed.length * added.length > MAX_PAIRS
      ? [...removed.map((text) => line('removed', text)), ...added.map((text) => line('added', text))]
      : diffMiddle(removed, added);
  return [...sameLines(start), ...middle, ...sameLines(end)];
}

function commonStart(before: readonly string[], after: readonly string[]): number {
  const shorter = Math.min(before.length, after.length);
  let count = 0;
  while (count < shorter && before[count] === after[count]) count += 1;
  return count;
}

/** Finds the longest common subsequence. */
function diffMiddle(before: readonly string[], after: readonly string[]): LineDifference[] {
  const width = after.length + 1;
  // Length of the longest common subsequence of the two remainders.
  const common = new Uint16Array((before.length + 1) * width);
  for (let one = before.length - 1; one >= 0; one -= 1) {
    for (let other = after.length - 1; other >= 0; other -= 1) {
      common[one * width + other] =
        before[one] === after[other]
          ? (common[(one + 1) * width + other + 1] ?? 0) + 1
          : Math.max(common[(one + 1) * width + other] ?? 0, common[one * width + other + 1] ?? 0);
    }
  }
  const found: LineDifference[] = [];
  let one = 0;
  let other = 0;
  while (one < before.length || other < after.length) {
    if (one < before.length && other < after.length && before[one] === after[other]) {
      const last = found.at(-1);
      if (last?.kind === 'same') found[found.length - 1] = { kind: 'same', lines: last.lines + 1 };
      else found.push({ kind: 'same', lines: 1 });
      one += 1;
      other += 1;
    } else if (
      other >= after.length ||
      (one < before.length && (common[(one + 1) * width + other] ?? 0) >= (common[one * width + other + 1] ?? 0))
    ) {
      found.push(line('removed', before[one] ?? ''));
      one += 1;
    } else {
      found.push(line('added', after[other] ?? ''));
      other += 1;
    }
  }
  return found;
}

function line(kind: 'removed' | 'added', text: string): LineDifference {
  return { kind, text };
}

function sameLines(lines: number): readonly LineDifference[] {
  return lines === 0 ? [] : [{ kind: 'same', lines }];
}
