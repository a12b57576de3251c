import type { Reader } from 'protobufjs/minimal.js';
import type { MemberCount } from './otlp-records.js';

/** protobufjs's reader of the wire format, with the count of the message that it is held to. */
export type ProtobufReader = Reader & MemberCount;

/** How a value lies in the bytes; the field's tag says it too, and a field that says otherwise is unknown. */
export const WIRE = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;

/** One field of a message: its wire type, and how its value gets into the draft of what is read. */
export interface ProtobufField<Draft> {
  readonly wire: number;
  readonly read: (draft: Draft, reader: ProtobufReader) => void;
}

/** The fields of a message by number. Fields that are not listed are skipped, groups too. */
export type ProtobufFields<Draft> = { readonly [number: number]: ProtobufField<Draft> };

type ReadField<Draft> = ProtobufField<Draft>['read'];

/** A field of each wire type. */
export const varint = <Draft>(read: ReadField<Draft>): ProtobufField<Draft> => ({ wire: WIRE.varint, read });
export const fixed64 = <Draft>(read: ReadField<Draft>): ProtobufField<Draft> => ({ wire: WIRE.fixed64, read });
export const bytes = <Draft>(read: ReadField<Draft>): ProtobufField<Draft> => ({ wire: WIRE.bytes, read });
export const fixed32 = <Draft>(read: ReadField<Draft>): ProtobufField<Draft> => ({ wire: WIRE.fixed32, read });

/** Loads protobufjs at the first call. */
export async function openProtobufReader(body: Buffer, maxMembers = Number.POSITIVE_INFINITY): Promise<ProtobufReader> {
  const { Reader } = await import('protobufjs/minimal.js');
  return Object.assign(Reader.create(body), { members: 0, maxMembers });
}

/** Reads fields from the reader's position up to its `len`. Throws when they do not end there. */
export function readFields<Draft>(reader: ProtobufReader, fields: ProtobufFields<Draft>, draft: Draft): void {
  while (reader.pos < reader.len) {
    const tag = reader.tag();
    const field = fields[tag >>> 3];
    if (field !== undefined && field.wire === (tag & 7)) field.read(draft, reader);
    else reader.skipType(tag & 7, 0, tag >>> 3);
  }
}

/** Reads a message with its length before it; nothing in it may reach beyond its end. */
export function readMessage<Draft>(reader: ProtobufReader, fields: ProtobufFields<Draft>, draft: Draft): void {
  const outerEnd = enterMessage(reader);
  readFields(reader, fields, draft);
  reader.len = outerEnd;
}

/** Reads a message's length and holds the reader to it; gives the `len` to set again after it. */
export function enterMessage(reader: ProtobufReader): number {
  const outerEnd = reader.len;
  const length = reader.size();
  if (length > outerEnd - reader.pos) throw new RangeError(`a length of ${length} reaches beyond its message`);
  reader.len = reader.pos + length;
  return outerEnd;
}
