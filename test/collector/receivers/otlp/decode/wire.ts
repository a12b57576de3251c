/** Encodes a varint of protobuf. */
export function varint(value: bigint | number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

export function tag(field: number, wire: number): Buffer {
  return varint((field << 3) | wire);
}

/** Encodes a field that holds bytes, text or a message. */
export function bytesField(field: number, ...content: readonly (Buffer | string)[]): Buffer {
  const bytes = Buffer.concat(content.map((part) => Buffer.from(part)));
  return Buffer.concat([tag(field, 2), varint(bytes.length), bytes]);
}

export function varintField(field: number, value: bigint | number): Buffer {
  return Buffer.concat([tag(field, 0), varint(value)]);
}

/** Encodes a request whose log records have these bytes. */
export function logsBody(...records: readonly Buffer[]): Buffer {
  const logRecords = records.map((record) => bytesField(2, record));
  return bytesField(1, bytesField(2, Buffer.concat(logRecords)));
}
