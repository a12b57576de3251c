/** Largest share of time spent on globbing: `**` walks whole trees. */
const MAX_SHARE = 0.1;

/** Finds the files that the globs name. */
export class FileFinder {
  readonly #include: readonly string[];
  readonly #exclude: readonly string[];
  #paths: readonly string[] = [];
  #notBeforeMs = 0;

  constructor(include: readonly string[], exclude: readonly string[]) {
    this.#include = include;
    this.#exclude = exclude;
  }

  /** Returns sorted absolute paths, possibly of a recent search; some may no longer exist. */
  async paths(): Promise<readonly string[]> {
    if (performance.now() < this.#notBeforeMs) return this.#paths;
    const { glob } = await import('tinyglobby');
    const beganMs = performance.now();
    const found = await glob(this.#include, {
      ignore: this.#exclude,
      absolute: true,
      expandDirectories: false,
    });
    this.#paths = found.sort();
    const endedMs = performance.now();
    this.#notBeforeMs = endedMs + (endedMs - beganMs) * (1 / MAX_SHARE - 1);
    return this.#paths;
  }
}
