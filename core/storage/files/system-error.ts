/** True when the system refused with one of these codes, for example `ENOENT`. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  // Not by class: an error of the system may come from another realm than ours.
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  return typeof error.code === 'string' && codes.includes(error.code);
}
