import type { Logger } from 'pino';

/** More are not remembered; what comes then is not said. */
const MAX_REMEMBERED = 10_000;

/** Says each thing once, until it is over. */
export class OnceWarner {
  readonly #logger: Logger;
  readonly #said = new Map<string, string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Warns that something is wrong with a path, unless that was the last thing said of it. */
  warn(path: string, reason: string, sentence: string): void {
    if (this.#said.get(path) === reason || this.#said.size >= MAX_REMEMBERED) return;
    this.#said.set(path, reason);
    this.#logger.warn({ path, reason }, sentence);
  }

  /** The path is well again. */
  isWell(path: string): void {
    this.#said.delete(path);
  }
}
