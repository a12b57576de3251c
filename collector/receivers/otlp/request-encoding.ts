import type { OtlpEncoding } from './otlp-records.js';

const ENCODINGS: ReadonlyMap<string, OtlpEncoding> = new Map([
  ['application/json', 'json'],
  ['application/x-protobuf', 'protobuf'],
]);

/** Media types by what they say of a body, for answers. */
export const MEDIA_TYPES: Readonly<Record<OtlpEncoding, string>> = {
  json: 'application/json',
  protobuf: 'application/x-protobuf',
};

/** The encoding that a `Content-Type` names, whatever its case and parameters; undefined for another one and for none. */
export function encodingOf(contentType: string | undefined): OtlpEncoding | undefined {
  return ENCODINGS.get(contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '');
}
