import { type KeyInput, KeyParser } from './key-parser.js';
import type { TerminalInput } from './screen-session.js';

/** Reads keys from a terminal; returns a function that stops it. */
export function readKeys(
  input: TerminalInput,
  onInput: (input: KeyInput) => void,
  isMouseOn?: () => boolean,
): () => void {
  const parser = new KeyParser(isMouseOn);
  const decoder = new TextDecoder();
  let timer: NodeJS.Timeout | undefined;

  const onData = (data: Uint8Array | string): void => {
    clearTimeout(timer);
    const text = typeof data === 'string' ? data : decoder.decode(data, { stream: true });
    parser.push(text).forEach(onInput);
    const timeoutMs = parser.flushAfterMs();
    if (timeoutMs !== undefined) timer = setTimeout(() => parser.flush().forEach(onInput), timeoutMs);
  };
  input.on('data', onData);
  input.resume();
  return () => {
    clearTimeout(timer);
    input.off('data', onData);
    input.pause();
  };
}
