const SEPARATORS = '.:\\/';

/** The name of a class without module, package or namespace. */
export function unqualifiedName(type: string): string {
  let start = type.length;
  while (start > 0 && !SEPARATORS.includes(type.charAt(start - 1))) start--;
  return type.slice(start);
}

/** UTF-16 units of a stack that are searched. */
const MAX_STACK = 131_072;
/** What stands before the class of an exception in a stack: a new line, or what marks a cause or a wrapper. */
const BEFORE_CLASS = /\n(?:Wrapped by: |Next )?|[Cc]aused by: |\[cause\]: |---> /;
/** A class with its namespace, which two colons may separate; loggers write brackets around an exception. */
const CLASS = /^[ \t]{0,63}\[?((?:[^\s:\]]|::)+)/;

/** Whether a stack prints an exception of a class, which is given without its namespace: the main one, or one of its chain. */
export function printsClass(stack: string, className: string): boolean {
  const parts = stack.slice(0, MAX_STACK).split(BEFORE_CLASS);
  return parts.some((part) => unqualifiedName(CLASS.exec(part)?.[1] ?? '') === className);
}
