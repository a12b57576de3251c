/** Runs `work` over all items, at most `limit` at a time; an error starts no more and is thrown once all have settled. */
export async function settleAll<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const errors: unknown[] = [];
  const runner = async (first: IteratorResult<T>): Promise<void> => {
    for (let next = first; !next.done && errors.length === 0; next = waiting.next()) {
      try {
        await work(next.value);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  const runners: Promise<void>[] = [];
  for (let next = waiting.next(); !next.done; next = waiting.next()) {
    if (runners.push(runner(next)) === limit) break;
  }
  await Promise.all(runners);
  if (errors.length > 0) throw errors[0];
}
