import { Fault } from '../../core/event/fault.js';

const CODES: ReadonlySet<string> = new Set(['TOKEN_MISSING', 'TOKEN_WRONG']);

/** Whether a source answers, and only wants another token. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof Fault && CODES.has(error.code);
}
