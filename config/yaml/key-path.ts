/** Keys and list indexes from the root of the configuration to a value. */
export type KeyPath = readonly (string | number)[];

/** The path as people write it: `service.pipelines.events.receivers[0]`. */
export function dottedKey(path: KeyPath): string {
  return path.reduce<string>((key, part) => {
    if (typeof part === 'number') return `${key}[${part}]`;
    return key === '' ? part : `${key}.${part}`;
  }, '');
}
