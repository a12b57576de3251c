import type { Logger } from 'pino';

/** Beyond it no further path is warned about. */
const MAX_PATHS = 10_000;

export type OnceWarner = ReturnType<typeof createOnceWarner>;

/** Creates what logs a warning once per path and reason, until the path is cleared. */
export function createOnceWarner(logger: Logger) {
  const warned = new Map<string, string>();
  return {
    /** Warns, unless the last warning about the path had the same reason. */
    warn(path: string, reason: string, sentence: string): void {
      if (warned.get(path) === reason || warned.size >= MAX_PATHS) return;
      warned.set(path, reason);
      logger.warn({ path, reason }, sentence);
    },
    clear: (path: string): void => void warned.delete(path),
  };
}
