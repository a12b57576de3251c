import { isJsonObject } from '../../../core/event/json.js';
import {
  bytes,
  decodeFields,
  decodeMessage,
  openProtobufReader,
  type ProtobufFields,
  varint,
} from '../../otlp/protobuf-reader.js';
import type { HttpResponse } from '../sending/http-client.js';
import { visible } from '../sending/visible.js';

interface ServerMessage {
  /** Records that a successful response rejected. */
  readonly rejected: number;
  /** For people: bounded, without control characters; may be empty. */
  readonly message: string;
}

interface Draft {
  rejected: number;
  message: string;
}

const MESSAGE = bytes<Draft>((draft, reader) => {
  draft.message = reader.string();
});
const REJECTED = varint<Draft>((draft, reader) => {
  draft.rejected = Number(String(reader.int64()));
});
/** ExportLogsPartialSuccess. */
const PARTIAL_SUCCESS: ProtobufFields<Draft> = { 1: REJECTED, 2: MESSAGE };
/** ExportLogsServiceResponse. */
const EXPORT_RESPONSE: ProtobufFields<Draft> = {
  1: bytes((draft, reader) => decodeMessage(reader, PARTIAL_SUCCESS, draft)),
};
/** google.rpc.Status. */
const STATUS: ProtobufFields<Draft> = { 2: MESSAGE };

const NOTHING: ServerMessage = { rejected: 0, message: '' };

/** Parses the body of a response; in an unknown format `rejected` is 0. `sent`: records of the request. */
export async function parseExportResponse(response: HttpResponse, sent: number): Promise<ServerMessage> {
  const { body, status } = response;
  const type = response.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  const isSuccess = status >= 200 && status < 300;
  if (body.length === 0) return NOTHING;
  const draft: Draft = { rejected: 0, message: '' };
  try {
    if (type === 'application/x-protobuf') {
      decodeFields(await openProtobufReader(body), isSuccess ? EXPORT_RESPONSE : STATUS, draft);
    } else if (type === 'application/json') readJson(JSON.parse(body.toString('utf8')), isSuccess, draft);
    else if (!isSuccess) draft.message = body.toString('utf8');
  } catch {
    // Malformed, or cut at the body limit: only the status counts.
    return { rejected: 0, message: isSuccess ? '' : visible(body.toString('utf8')) };
  }
  const { rejected, message } = draft;
  const isCount = Number.isSafeInteger(rejected) && rejected > 0;
  return { rejected: isCount ? Math.min(rejected, sent) : 0, message: visible(message.trim()) };
}

function readJson(body: unknown, isSuccess: boolean, draft: Draft): void {
  if (!isJsonObject(body)) return;
  const result = isSuccess ? (body['partialSuccess'] ?? body['partial_success']) : body;
  if (!isJsonObject(result)) return;
  const message = isSuccess ? (result['errorMessage'] ?? result['error_message']) : result['message'];
  draft.rejected = isSuccess ? Number(result['rejectedLogRecords'] ?? result['rejected_log_records'] ?? 0) : 0;
  if (typeof message === 'string') draft.message = message;
}
