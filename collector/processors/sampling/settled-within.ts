/** Resolves when the work is done, however it ended, and after so many milliseconds at the latest; then it goes on unwatched. */
export async function settledWithin(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  const settled = work.then(
    () => undefined,
    () => undefined,
  );
  await Promise.race([settled, timeout]);
  clearTimeout(timer);
}
