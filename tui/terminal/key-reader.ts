import { createKeyParser, type KeyInput, type KeyParserOptions } from './key-parser.js';
import type { TerminalInput } from './terminal-streams.js';

/** Reads keys from a terminal until it is stopped. Answers how to stop. */
export function readKeys(
  input: TerminalInput,
  onInput: (input: KeyInput) => void,
  options: KeyParserOptions = {},
): () => void {
  const parser = createKeyParser(options);
  const decoder = new TextDecoder();
  let timer: NodeJS.Timeout | undefined;

  const onData = (data: Uint8Array | string): void => {
    clearTimeout(timer);
    const text = typeof data === 'string' ? data : decoder.decode(data, { stream: true });
    parser.push(text).forEach(onInput);
    const patienceMs = parser.flushAfterMs();
    if (patienceMs !== undefined) timer = setTimeout(() => parser.flush().forEach(onInput), patienceMs);
  };
  input.on('data', onData);
  input.resume();
  return () => {
    clearTimeout(timer);
    input.off('data', onData);
    input.pause();
  };
}
