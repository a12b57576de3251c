import { Fault } from '../../event/fault.js';

/** What the system said when it refused; undefined for an error that is not the system's. */
export function systemReason(error: unknown): string | undefined {
  // Not by class: an error of the system may come from another realm than ours.
  if (typeof error !== 'object' || error === null || error instanceof Fault) return undefined;
  if (!('code' in error) || typeof error.code !== 'string' || !('message' in error)) return undefined;
  return `${error.code}, ${String(error.message)}`;
}
