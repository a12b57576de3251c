import type { Reader } from 'protobufjs/minimal.js';
import type { MemberCount } from './otlp-records.js';

/** A protobufjs reader with the member count of the current message. */
export type ProtobufReader = Reader & MemberCount;

/** Wire types. A field with another wire type than expected is unknown. */
export const WIRE = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;

/** A field of a message: its wire type and how to read its value into a draft. */
interface ProtobufField<Draft> {
  readonly wire: number;
  readonly read: (draft: Draft, reader: ProtobufReader) => void;
}

/** The fields of a message by number. Other fields and groups are skipped. */
export type ProtobufFields<Draft> = { readonly [number: number]: ProtobufField<Draft> };

type ReadField<Draft> = ProtobufField<Draft>['read'];

/** Creates a field of one wire type. */
export const varint = <Draft>(read: ReadField<Draft>): ProtobufField<Draft> => ({ wire: WIRE.varint, read });
export const bytes = <Draft>(read: ReadField<Draft>): ProtobufField<Draft> => ({ wire: WIRE.bytes, read });

/** Creates a reader; the first call loads protobufjs. */
export async function openProtobufReader(body: Buffer, maxMembers = Number.POSITIVE_INFINITY): Promise<ProtobufReader> {
  // A bundled CommonJS package has only the name `default`.
  const {
    default: { Reader },
  } = await import('protobufjs/minimal.js');
  return Object.assign(Reader.create(body), { members: 0, maxMembers });
}

/** Reads fields up to the reader's `len`. Throws if they do not end there. */
export function decodeFields<Draft>(reader: ProtobufReader, fields: ProtobufFields<Draft>, draft: Draft): void {
  while (reader.pos < reader.len) {
    const tag = reader.tag();
    const field = fields[tag >>> 3];
    if (field !== undefined && field.wire === (tag & 7)) field.read(draft, reader);
    else reader.skipType(tag & 7, 0, tag >>> 3);
  }
}

/** Reads a message with its length prefix. Throws if a field exceeds it. */
export function decodeMessage<Draft>(reader: ProtobufReader, fields: ProtobufFields<Draft>, draft: Draft): void {
  const outerEnd = enterMessage(reader);
  decodeFields(reader, fields, draft);
  reader.len = outerEnd;
}

/** Reads a length prefix and limits the reader to it; returns the `len` to restore afterwards. */
export function enterMessage(reader: ProtobufReader): number {
  const outerEnd = reader.len;
  const length = reader.size();
  if (length > outerEnd - reader.pos) throw new RangeError(`a length of ${length} reaches beyond its message`);
  reader.len = reader.pos + length;
  return outerEnd;
}
