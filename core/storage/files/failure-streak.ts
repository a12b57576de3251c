export type FailureStreak = ReturnType<typeof createFailureStreak>;

/** Creates functions that report the first failure of a series; a success ends the series. */
export function createFailureStreak(onFault: (fault: Error) => void) {
  let isFailing = false;
  return {
    succeeded(): void {
      isFailing = false;
    },
    failed(error: unknown): void {
      if (!isFailing) onFault(error instanceof Error ? error : new Error(String(error)));
      isFailing = true;
    },
  };
}
