const SEPARATORS = '.:\\/';

/** The name of a class without module, package or namespace. */
export function unqualifiedName(type: string): string {
  let start = type.length;
  while (start > 0 && !SEPARATORS.includes(type.charAt(start - 1))) start--;
  return type.slice(start);
}
