/** Paths are looked up anew so rarely that it takes at most this share of the time: `**` walks whole trees. */
const LARGEST_SHARE = 0.1;

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

  /** Absolute paths in order of their names, as they were found at most a moment ago; some may be gone. */
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
    this.#notBeforeMs = endedMs + (endedMs - beganMs) * (1 / LARGEST_SHARE - 1);
    return this.#paths;
  }
}
