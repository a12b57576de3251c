import { crc32c } from '@node-rs/crc32';

/** Reads JSON that was stored; undefined where it is torn. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The CRC-32C of what is stored, as 8 hexadecimal digits. */
export function checksumOf(content: Uint8Array | string): string {
  return crc32c(content).toString(16).padStart(8, '0');
}
