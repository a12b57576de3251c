import type { Logger } from 'pino';

/** Beyond it no further path is warned about. */
const MAX_PATHS = 10_000;

/** Logs a warning once per path and reason, until the path is cleared. */
export class OnceWarner {
  readonly #logger: Logger;
  readonly #reasons = new Map<string, string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Warns, unless the last warning about the path had the same reason. */
  warn(path: string, reason: string, sentence: string): void {
    if (this.#reasons.get(path) === reason || this.#reasons.size >= MAX_PATHS) return;
    this.#reasons.set(path, reason);
    this.#logger.warn({ path, reason }, sentence);
  }

  clear(path: string): void {
    this.#reasons.delete(path);
  }
}
