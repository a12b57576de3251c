import type { Backoff } from './backoff.js';
import { wait } from './wait.js';

/** What came of one try. */
export type Attempt<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** Try again. `reason` is a sentence for people without anything of the event; `askedMs` what the server asked to wait. */
  | { readonly kind: 'retry'; readonly reason: string; readonly askedMs?: number | undefined };

/** What came of all tries. */
export type Tried<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'given_up'; readonly reason: string }
  | { readonly kind: 'stopped' };

/** Tries until there is an answer, the backoff gives up, or `stop` is aborted, also while one is waited for. `onRetry` is called after each failure that is tried again. */
export async function retrying<Answer>(
  attempt: () => Promise<Attempt<Answer>>,
  backoff: Backoff,
  stop: AbortSignal,
  onRetry: (reason: string) => void,
): Promise<Tried<Answer>> {
  while (!stop.aborted) {
    const result = await attempt();
    if (result.kind === 'answered') return result;
    // What a stop cut off says nothing of the server.
    if (stop.aborted) break;
    const waitMs = backoff.next(result.askedMs);
    if (waitMs === undefined) return { kind: 'given_up', reason: result.reason };
    onRetry(result.reason);
    await wait(waitMs, stop);
  }
  return { kind: 'stopped' };
}
