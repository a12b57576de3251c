/** The first of two objects with its numbers replaced by the sums with those of the other; an absent number counts as 0. */
export function addNumbers<Counted extends object>(one: Counted, other: Counted): Counted {
  const sums: Record<string, number> = {};
  for (const [name, value] of [...Object.entries(one), ...Object.entries(other)]) {
    if (typeof value === 'number') sums[name] = (sums[name] ?? 0) + value;
  }
  return { ...one, ...sums };
}
