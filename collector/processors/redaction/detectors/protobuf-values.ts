import type { TextSpan } from './value-patterns.js';

/** Tag of `value` in `KeyValue`, and of the text, list and map in `AnyValue` (opentelemetry/proto/common/v1/common.proto). */
const VALUE = 0x12;
const CONTENTS: ReadonlySet<number> = new Set([0x0a, 0x2a, 0x32]);

/** Returns the text, list or map that an attribute in protobuf has after its key, which ends at `at`; undefined without one. */
export function protobufValueAt(text: string, at: number): TextSpan | undefined {
  if (text.charCodeAt(at) !== VALUE) return undefined;
  const value = lengthAt(text, at + 1);
  if (!CONTENTS.has(text.charCodeAt(value.next))) return undefined;
  const content = lengthAt(text, value.next + 1);
  return { start: content.next, end: Math.min(text.length, content.next + content.length) };
}

/** A varint of at most four bytes. */
function lengthAt(text: string, at: number): { readonly length: number; readonly next: number } {
  let length = 0;
  for (let index = 0; index < 4; index += 1) {
    const byte = text.charCodeAt(at + index);
    length |= (byte & 0x7f) << (7 * index);
    if (!(byte >= 0x80)) return { length, next: at + index + 1 };
  }
  return { length, next: at + 4 };
}
