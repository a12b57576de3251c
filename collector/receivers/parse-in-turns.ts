import { isAscii, isUtf8, transcode } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Bytes of JSON that are parsed where they stand; a larger text is parsed in turns. */
export const MAX_SYNC_BYTES = 256 * 1024;

/** The value of a large JSON text. Decoding, parsing and what the caller does next have a turn of the event loop each. Throws what `parse` does. */
export async function parseInTurns(bytes: Buffer, parse: (text: string) => unknown = JSON.parse): Promise<unknown> {
  await nextTurn();
  const text = textOf(bytes);
  await nextTurn();
  const value = parse(text);
  await nextTurn();
  return value;
}

/** `toString` takes ten times as long as `transcode` for what is not ASCII; only `toString` replaces what is no UTF-8. */
function textOf(bytes: Buffer): string {
  if (isAscii(bytes) || !isUtf8(bytes)) return bytes.toString();
  return transcode(bytes, 'utf8', 'utf16le').toString('utf16le');
}
