/** Keys and list indexes from the root to a value. */
export type KeyPath = readonly (string | number)[];

/** The path as text: `service.pipelines.events.receivers[0]`. */
export function dottedKey(path: KeyPath): string {
  return path.reduce<string>((dotted, key) => {
    if (typeof key === 'number') return `${dotted}[${key}]`;
    return dotted === '' ? key : `${dotted}.${key}`;
  }, '');
}
