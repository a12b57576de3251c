import { isAscii, isUtf8, transcode } from 'node:buffer';
import { beginTimeSlice } from '../../core/time-slice.js';

/** Bytes of JSON that are parsed where they stand; a larger text is parsed in turns. */
export const MAX_SYNC_BYTES = 256 * 1024;

/** The value of a large JSON text. Decoding, parsing and what the caller does next have a turn of the event loop each. Throws what `parse` does. */
export async function parseInTurns(bytes: Buffer, parse: (text: string) => unknown = JSON.parse): Promise<unknown> {
  const slice = beginTimeSlice();
  if (slice.isOver) await slice.next();
  const text = textOf(bytes);
  if (slice.isOver) await slice.next();
  const value = parse(text);
  if (slice.isOver) await slice.next();
  return value;
}

/** `toString` takes ten times as long as `transcode` for what is not ASCII; only `toString` replaces what is no UTF-8. */
function textOf(bytes: Buffer): string {
  if (isAscii(bytes) || !isUtf8(bytes)) return bytes.toString();
  return transcode(bytes, 'utf8', 'utf16le').toString('utf16le');
}
