/** UTF-16 units that are searched for the first frame. */
const MAX_HEAD = 8_192;

/** Where languages print the frame that raised the exception. */
const ROOT_FRAMES: readonly ((stack: string) => string | undefined)[] = [
  // Python: the most recent call last.
  (stack) => lineAt(stack, stack.lastIndexOf('\n  File "')),
  // V8, JVM, .NET, PHP and most others: the most recent call first.
  (stack) => /^[ \t]*(?:at |#0)[^\n]*/m.exec(stack.slice(0, MAX_HEAD))?.[0].trim(),
];

/** Returns the line of the frame that raised the exception; empty if the stack has another form. */
export function rootFrameOf(stack: string): string {
  for (const find of ROOT_FRAMES) {
    const frame = find(stack);
    if (frame !== undefined) return frame;
  }
  return '';
}

function lineAt(stack: string, newline: number): string | undefined {
  if (newline < 0) return undefined;
  const end = stack.indexOf('\n', newline + 1);
  return stack.slice(newline + 1, end < 0 ? undefined : end).trim();
}
