import { setImmediate as nextMacrotask } from 'node:timers/promises';

/** How far a verification is. */
export interface VerifyProgress {
  /** What is being done, for people. */
  readonly step: string;
  readonly done: number;
  /** 0 where it is not known. */
  readonly total: number;
}

/** Time that the work may take before others get their turn. */
const MAX_TURN_MS = 5;

/** Builds `VerifyContext.turn`. */
export function createTurns(options: {
  onProgress: ((progress: VerifyProgress) => void) | undefined;
  signal: AbortSignal | undefined;
}): (step: string, done: number, total: number) => Promise<void> {
  let endsAtMs = performance.now() + MAX_TURN_MS;
  return async (step, done, total) => {
    if (performance.now() < endsAtMs) return;
    options.onProgress?.({ step, done, total });
    await nextMacrotask();
    options.signal?.throwIfAborted();
    endsAtMs = performance.now() + MAX_TURN_MS;
  };
}
