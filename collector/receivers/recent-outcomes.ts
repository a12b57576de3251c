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
}

/**
 * What became of what its sender gave a name to (`Idempotency-Key`, a Sentry event id), so that a repeated one is done once. Work that failed is
 * forgotten: whoever sends it again has it done. Kept in memory: after a restart nothing is remembered.
 */
export class RecentOutcomes<Outcome> {
  readonly #options: RecentOutcomesOptions;
  readonly #nowMs: () => number;
  /** In the order in which the work began. */
  readonly #entries = new Map<string, Entry<Outcome>>();

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
    const entry: Entry<Outcome> = { outcome: work(), endedMs: undefined };
    this.#entries.set(name, entry);
    this.#forgetOld();
    try {
      const outcome = await entry.outcome;
      entry.endedMs = this.#nowMs();
      return outcome;
    } catch (error) {
      if (this.#entries.get(name) === entry) this.#entries.delete(name);
      throw error;
    }
  }

  #forgetOld(): void {
    for (const [name, entry] of this.#entries) {
      const isTooMany = this.#entries.size > this.#options.maxEntries;
      if (!isTooMany && !this.#isOver(entry)) return;
      // Work that still runs stays: its repetition would be a second copy.
      if (entry.endedMs !== undefined) this.#entries.delete(name);
      else if (!isTooMany) return;
    }
  }

  #isOver({ endedMs }: Entry<Outcome>): boolean {
    return endedMs !== undefined && this.#nowMs() - endedMs >= this.#options.windowMs;
  }
}
