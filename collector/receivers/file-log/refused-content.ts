const BEGINNINGS: readonly (readonly [readonly number[], string])[] = [
  [[0xff, 0xfe], 'it is UTF-16; have the program write UTF-8'],
  [[0xfe, 0xff], 'it is UTF-16; have the program write UTF-8'],
  [[0x1f, 0x8b], 'it is compressed by gzip; leave such files out with `exclude`'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'it is compressed by zstd; leave such files out with `exclude`'],
];

/** Why a file that begins with these bytes is not read; undefined for text. */
export function refusalOf(head: Buffer): string | undefined {
  return BEGINNINGS.find(([bytes]) => bytes.every((byte, place) => head[place] === byte))?.[1];
}
