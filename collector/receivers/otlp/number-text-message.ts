/** A protobuf message of a whole number of at least 0 in field 1 and a text in field 2, each left out when it is 0 or empty: both answers of OTLP have this form. */
export function encodeNumberAndText(number: number, text: string): Uint8Array {
  const bytes = Buffer.from(text);
  return Buffer.concat([
    number === 0 ? Buffer.alloc(0) : Buffer.from([0x08, ...varint(number)]),
    bytes.length === 0 ? Buffer.alloc(0) : encodeBytesField(2, bytes),
  ]);
}

/** A protobuf field of bytes, also when there are none. */
export function encodeBytesField(field: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([(field << 3) | 2, ...varint(bytes.length)]), bytes]);
}

function varint(value: number): readonly number[] {
  const groups: number[] = [];
  let rest = BigInt(value);
  while (rest > 0x7fn) {
    groups.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  return [...groups, Number(rest)];
}
