/** How long and how many outcomes are remembered. */
export interface RecentOutcomesOptions {
  /** From the end of the work; 0 remembers nothing, and only work that still runs is shared. */
  readonly windowMs: number;
  /** The oldest go first beyond it. */
  readonly maxEntries: number;
  /** Monotonic milliseconds, default `performance.now`; handed in so that tests can let time pass. */
  readonly nowMs?: () => number;
}

interface Entry<Outcome> {
  readonly outcome: Promise<Outcome>;
  /** Undefined while the work runs. */
  endedMs: number | undefined;
  /** Whether it was the oldest of too many and could not go. */
  isPassedOver: boolean;
}

/**
 * What became of what its sender gave a name to (`Idempotency-Key`, a Sentry event id), so that a repeated one is done once. Work that failed is
 * forgotten: whoever sends it again has it done. Kept in memory: after a restart nothing is remembered.
 */
export class RecentOutcomes<Outcome> {
  readonly #options: RecentOutcomesOptions;
  readonly #nowMs: () => number;
  /** In the order in which the work began; what was passed over, in that in which it ended. */
  readonly #entries = new Map<string, Entry<Outcome>>();
  /** Goes on where it was: a new iterator would walk over all that was deleted since the map was last made smaller. */
  #walk = this.#entries.entries();
  /** The next one to go. */
  #oldest: readonly [string, Entry<Outcome>] | undefined;

  constructor(options: RecentOutcomesOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  /** Does the work, unless work of this name was done or is being done: then waits for that. Rejects as the work does. */
  async once(
    name: string,
    work: () => Promise<Outcome>,
  ): Promise<{ readonly outcome: Outcome; readonly isRepeated: boolean }> {
    for (;;) {
      const known = this.#known(name);
      if (known === undefined) return { outcome: await this.#begin(name, work), isRepeated: false };
      try {
        return { outcome: await known.outcome, isRepeated: true };
      } catch {
        // It failed for its own sender; this one has a try of its own.
      }
    }
  }

  #known(name: string): Entry<Outcome> | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined || !this.#isOver(entry)) return entry;
    this.#entries.delete(name);
    return undefined;
  }

  async #begin(name: string, work: () => Promise<Outcome>): Promise<Outcome> {
    const entry: Entry<Outcome> = { outcome: work(), endedMs: undefined, isPassedOver: false };
    this.#entries.set(name, entry);
    this.#forgetOld();
    try {
      const outcome = await entry.outcome;
      entry.endedMs = this.#nowMs();
      if (entry.isPassedOver && this.#entries.delete(name)) this.#entries.set(name, entry);
      return outcome;
    } catch (error) {
      if (this.#entries.get(name) === entry) this.#entries.delete(name);
      throw error;
    }
  }

  #forgetOld(): void {
    for (;;) {
      this.#oldest ??= this.#next();
      if (this.#oldest === undefined) return;
      const [name, entry] = this.#oldest;
      if (this.#entries.get(name) === entry) {
        if (this.#entries.size <= this.#options.maxEntries && !this.#isOver(entry)) return;
        // Work that still runs stays: its repetition would be a second copy.
        if (entry.endedMs !== undefined) this.#entries.delete(name);
        else entry.isPassedOver = true;
      }
      this.#oldest = undefined;
    }
  }

  #next(): readonly [string, Entry<Outcome>] | undefined {
    const { value, done } = this.#walk.next();
    if (done !== true) return value;
    // One that came to its end does not go on.
    this.#walk = this.#entries.entries();
    return undefined;
  }

  #isOver({ endedMs }: Entry<Outcome>): boolean {
    return endedMs !== undefined && this.#nowMs() - endedMs >= this.#options.windowMs;
  }
}
