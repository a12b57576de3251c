/** The result of some work, and the number of turns that the event loop made before it was done. */
export async function turnsWhile<Result>(work: () => Promise<Result>): Promise<{ result: Result; turns: number }> {
  let turns = 0;
  let isDone = false;
  const turn = (): void => {
    if (isDone) return;
    turns += 1;
    setImmediate(turn);
  };
  setImmediate(turn);
  try {
    const result = await work();
    return { result, turns };
  } finally {
    isDone = true;
  }
}
