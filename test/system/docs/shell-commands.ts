/** Splits a shell text into commands and their words, without comments and quotes. */
export function shellCommands(text: string): string[][] {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  const pieces = text
    .replaceAll('\\\n', ' ')
    .matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(?<=^|\s)#[^\n]*|[|;&\n]|[^\S\n]+|[^\s"'|;&]+/g);
  for (const [piece, double, single] of pieces) {
    const quoted = double ?? single;
    if (quoted !== undefined) word = (word ?? '') + quoted;
    else if (/^[|;&\n]$/.test(piece)) endCommand();
    else if (/^\s/.test(piece)) endWord();
    else if (!piece.startsWith('#') || word !== undefined) word = (word ?? '') + piece;
  }
  endCommand();
  return commands;
}

/** Returns the arguments of a call of `faultline`, also through `npx`; undefined for other commands. */
export function faultlineWords(command: readonly string[]): readonly string[] | undefined {
  const words = command.filter((word) => word !== 'npx' && word !== 'sudo');
  return words[0] === 'faultline' ? words.slice(1) : undefined;
}
