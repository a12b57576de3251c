import type { Draft } from './draft.js';
import type { OtlpResource, OtlpScope } from './otlp-records.js';
import { readKeyValue } from './protobuf-any-value.js';
import { type ProtobufFields, type ProtobufReader, readFields, WIRE } from './protobuf-reader.js';

const RESOURCE: ProtobufFields<Draft<OtlpResource>> = {
  1: { wire: WIRE.bytes, read: (draft, reader) => readKeyValue(reader, draft.attributes) },
  2: {
    wire: WIRE.varint,
    read: (draft, reader) => {
      draft.droppedAttributesCount = reader.uint32();
    },
  },
};

const SCOPE: ProtobufFields<Draft<OtlpScope>> = {
  1: {
    wire: WIRE.bytes,
    read: (draft, reader) => {
      draft.name = reader.string();
    },
  },
  2: {
    wire: WIRE.bytes,
    read: (draft, reader) => {
      draft.version = reader.string();
    },
  },
  3: { wire: WIRE.bytes, read: (draft, reader) => readKeyValue(reader, draft.attributes) },
  4: {
    wire: WIRE.varint,
    read: (draft, reader) => {
      draft.droppedAttributesCount = reader.uint32();
    },
  },
};

/** Reads a resource up to the reader's `len`. */
export function readResource(reader: ProtobufReader, schemaUrl: string): OtlpResource {
  const draft = { attributes: new Map(), droppedAttributesCount: 0, schemaUrl };
  readFields(reader, RESOURCE, draft);
  return draft;
}

/** Reads a scope up to the reader's `len`. */
export function readScope(reader: ProtobufReader, schemaUrl: string): OtlpScope {
  const draft = { name: '', version: '', attributes: new Map(), droppedAttributesCount: 0, schemaUrl };
  readFields(reader, SCOPE, draft);
  return draft;
}
