/** Exit code of a command that was interrupted: 128 and the number of SIGINT. */
export const INTERRUPTED = 130;

/** Runs work that can be called off, and calls it off at SIGINT or SIGTERM; answers undefined when it was. */
export async function untilInterrupted<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | undefined> {
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    return await work(abort.signal);
  } catch (error) {
    if (error !== abort.signal.reason) throw error;
    return undefined;
  } finally {
    process.removeListener('SIGINT', stop);
    process.removeListener('SIGTERM', stop);
  }
}
