/** Whether an error has one of these system codes, for example `ENOENT`. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  // Not by class: the error may come from another realm.
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  return typeof error.code === 'string' && codes.includes(error.code);
}
