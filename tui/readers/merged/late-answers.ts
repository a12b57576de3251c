/** A call that runs, or whose answer nobody waited for. */
interface RunningCall {
  readonly answer: Promise<unknown>;
  waiting: number;
  isSettled: boolean;
}

/** How long an answer that nobody waited for is kept. */
const KEPT_MS = 5_000;

/**
 * Calls by what they ask: the same question is not sent again while its answer is on the way, and an answer that came too late for its asker is given to
 * the next one who asks the same within five seconds. So a source that is slower than anybody's patience is still read.
 */
export class LateAnswers {
  readonly #calls = new Map<string, RunningCall>();

  /** Whether an answer is there or on the way. */
  has(key: string): boolean {
    return this.#calls.has(key);
  }

  /** The answer, or undefined after `patienceMs` milliseconds; throws what the call throws. Questions of the same key are the same. */
  async ask<T>(key: string, patienceMs: number, call: () => Promise<T>): Promise<{ readonly value: T } | undefined> {
    const running = this.#calls.get(key) ?? this.#start(key, call);
    running.waiting += 1;
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), patienceMs);
    });
    try {
      // The key names the question, so that the answer is of the type that this caller asks for.
      const told = running.answer.then((value) => ({ value: value as T }));
      return await Promise.race([told, tooLate]);
    } finally {
      clearTimeout(timer);
      running.waiting -= 1;
      if (running.isSettled) this.#forget(key, running);
    }
  }

  /** What is asked from now on is sent, also where the same is on its way: something was changed. */
  clear(): void {
    this.#calls.clear();
  }

  #start(key: string, call: () => Promise<unknown>): RunningCall {
    const running: RunningCall = { answer: call(), waiting: 0, isSettled: false };
    const settled = (): void => {
      running.isSettled = true;
      if (running.waiting === 0) setTimeout(() => this.#forget(key, running), KEPT_MS).unref();
    };
    running.answer.then(settled, settled);
    this.#calls.set(key, running);
    return running;
  }

  #forget(key: string, running: RunningCall): void {
    if (this.#calls.get(key) === running) this.#calls.delete(key);
  }
}
