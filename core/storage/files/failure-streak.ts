/** Reports the first failure of a series; a success ends the series. */
export class FailureStreak {
  readonly #onFault: (fault: Error) => void;
  #isFailing = false;

  constructor(onFault: (fault: Error) => void) {
    this.#onFault = onFault;
  }

  succeeded(): void {
    this.#isFailing = false;
  }

  failed(error: unknown): void {
    if (!this.#isFailing) this.#onFault(error instanceof Error ? error : new Error(String(error)));
    this.#isFailing = true;
  }
}
