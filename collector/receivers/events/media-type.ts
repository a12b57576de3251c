import { quoted } from '../../../config/printable.js';
import { RequestFault } from '../../http/request-fault.js';

/** How the events of a body are written. */
export type BodyFormat = 'json' | 'ndjson';

const FORMATS: Readonly<Record<string, BodyFormat>> = {
  '': 'json',
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  // What `navigator.sendBeacon` and `fetch` say of a string.
  'text/plain': 'json',
};

/** The format that a `Content-Type` names, whatever its case and parameters; without one it is JSON. Throws `CONTENT_TYPE_UNSUPPORTED`. */
export function bodyFormatOf(contentType: string | undefined): BodyFormat {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const format = Object.hasOwn(FORMATS, mediaType) ? FORMATS[mediaType] : undefined;
  if (format !== undefined) return format;
  const sentence = `content type ${quoted(mediaType)} is not supported: send application/json or application/x-ndjson`;
  throw new RequestFault('CONTENT_TYPE_UNSUPPORTED', sentence, {
    headers: { accept: 'application/json, application/x-ndjson' },
  });
}
