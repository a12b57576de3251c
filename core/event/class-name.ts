const SEPARATORS = '.:\\/';

/** The name of a class without module, package or namespace. */
export function unqualifiedName(type: string): string {
  let start = type.length;
  while (start > 0 && !SEPARATORS.includes(type.charAt(start - 1))) start--;
  return type.slice(start);
}

/** UTF-16 units of a stack, of the namespace of a class, and before that. */
const MAX_STACK = 131_072;
const MAX_NAMESPACE = 256;
const MAX_MARK = 64;
/** What may stand before the class of an exception in a stack: a new line, or what marks a cause or a wrapper. */
const BEFORE_CLASS = /(?:\n[ \t]{0,63}\[?|[Cc]aused by: |\[cause\]: |---> |Wrapped by: |\nNext )$/;
const OF_NAME = /[\w$]/;

/** Whether a stack prints an exception of a class, which is given without its namespace: the main one, or one of its chain. */
export function printsClass(stack: string, className: string): boolean {
  const text = `\n${stack.slice(0, MAX_STACK)}`;
  for (let at = text.indexOf(className); at >= 0; at = text.indexOf(className, at + 1)) {
    const [next = '', afterNext = ''] = text.slice(at + className.length, at + className.length + 2);
    const isEnd = next === ':' ? afterNext !== ':' : next === '' || next === ']' || next.trim() === '';
    if (!isEnd) continue;
    let start = at;
    while (start > at - MAX_NAMESPACE && isOfNamespace(text.charAt(start - 1))) start -= 1;
    const isWhole = start < at ? SEPARATORS.includes(text.charAt(at - 1)) : true;
    if (isWhole && BEFORE_CLASS.test(text.slice(Math.max(0, start - MAX_MARK), start))) return true;
  }
  return false;
}

function isOfNamespace(character: string): boolean {
  return OF_NAME.test(character) || SEPARATORS.includes(character);
}
