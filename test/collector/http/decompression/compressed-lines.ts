import { readFileSync } from 'node:fs';
import { serverPayload } from '../../../helpers/payloads.js';

const LINES = 1_200;

/** The failures in the files of test/fixtures/compression, one JSON object per line, over 256 KiB. */
export function failureLines(): string {
  const line = (index: number) =>
    JSON.stringify(
      serverPayload({
        message: `order ${(index * 7_919) % 10_007} failed: ${'é'.repeat(index % 5)}`,
        stack: `TypeError: failed\n    at charge${index % 17} (/app/src/cart${index % 31}.js:${index}:7)`,
      }),
    );
  return `${Array.from({ length: LINES }, (_, index) => line(index)).join('\n')}\n`;
}

/**
 * Reads what another implementation made of `failureLines`: github.com/klauspost/compress 1.18.0 (as a stream and in one call), the `zstd` 1.5.4
 * command with a checksum, github.com/golang/snappy 1.0.0. Collectors send with these.
 */
export function compressedLines(file: string): Buffer {
  return readFileSync(`test/fixtures/compression/${file}`);
}

/** A Zstandard frame (RFC 8878, 3.1.1) with a window of `1 << windowLog` bytes, whose blocks repeat a byte, default a space: 4 bytes for 128 KiB. */
export function zstdBomb(bytes: number, windowLog = 20, byte = 0x20): Buffer {
  const blocks = Math.ceil(bytes / BLOCK_BYTES);
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (windowLog - 10) << 3]);
  const block = (isLast: boolean) => {
    const bits = (BLOCK_BYTES << 3) | (1 << 1) | (isLast ? 1 : 0);
    return Buffer.from([bits & 0xff, (bits >> 8) & 0xff, bits >> 16, byte]);
  };
  return Buffer.concat([header, ...new Array<Buffer>(blocks - 1).fill(block(false)), block(true)]);
}

const BLOCK_BYTES = 128 * 1024;

/** A Zstandard frame with one block that is not compressed, of less than 128 KiB. */
export function zstdStored(data: Uint8Array): Buffer {
  const bits = (data.length << 3) | 1;
  const begin = [0x28, 0xb5, 0x2f, 0xfd, 0, 10 << 3, bits & 0xff, (bits >> 8) & 0xff, bits >> 16];
  return Buffer.concat([Buffer.from(begin), data]);
}

/** A Snappy block with one literal, of 128 to 255 bytes. */
export function snappyStored(data: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([(data.length & 0x7f) | 0x80, data.length >> 7, 60 << 2, data.length - 1]), data]);
}

/** A Snappy block that announces `announced` bytes and repeats a space up to `bytes`: 3 bytes for 64. */
export function snappyBomb(bytes: number, announced = bytes): Buffer {
  const length: number[] = [];
  for (let rest = announced; ; rest = Math.floor(rest / 128)) {
    length.push((rest % 128) | (rest < 128 ? 0 : 0x80));
    if (rest < 128) break;
  }
  const copies = new Array<Buffer>(Math.floor(bytes / 64)).fill(Buffer.from([(63 << 2) | 2, 1, 0]));
  return Buffer.concat([Buffer.from([...length, 0, 0x20]), ...copies]);
}
