import { isJsonObject } from '../../../core/event/json.js';
import {
  bytes,
  openProtobufReader,
  type ProtobufFields,
  readFields,
  readMessage,
  varint,
} from '../../otlp/protobuf-reader.js';
import type { HttpResponse } from '../sending/http-client.js';
import { visible } from '../sending/visible.js';

/** The content of a response. */
export interface ServerMessage {
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
const EXPORT_ANSWER: ProtobufFields<Draft> = {
  1: bytes((draft, reader) => readMessage(reader, PARTIAL_SUCCESS, draft)),
};
/** google.rpc.Status. */
const STATUS: ProtobufFields<Draft> = { 2: MESSAGE };

const NOTHING: ServerMessage = { rejected: 0, message: '' };

/** Parses the body of a response; another format rejects no records. `sent`: records of the request. */
export async function parseExportResponse(answer: HttpResponse, sent: number): Promise<ServerMessage> {
  const type = answer.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  const isSuccess = answer.status >= 200 && answer.status < 300;
  if (answer.body.length === 0) return NOTHING;
  const draft: Draft = { rejected: 0, message: '' };
  try {
    if (type === 'application/x-protobuf') {
      readFields(await openProtobufReader(answer.body), isSuccess ? EXPORT_ANSWER : STATUS, draft);
    } else if (type === 'application/json') readJson(JSON.parse(answer.body.toString('utf8')), isSuccess, draft);
    else if (!isSuccess) draft.message = answer.body.toString('utf8');
  } catch {
    // Garbage, or cut at its bound: the status is the answer.
    return { rejected: 0, message: isSuccess ? '' : visible(answer.body.toString('utf8')) };
  }
  const { rejected, message } = draft;
  const isCount = Number.isSafeInteger(rejected) && rejected > 0;
  return { rejected: isCount ? Math.min(rejected, sent) : 0, message: visible(message.trim()) };
}

function readJson(body: unknown, isSuccess: boolean, draft: Draft): void {
  if (!isJsonObject(body)) return;
  const said = isSuccess ? (body['partialSuccess'] ?? body['partial_success']) : body;
  if (!isJsonObject(said)) return;
  const message = isSuccess ? (said['errorMessage'] ?? said['error_message']) : said['message'];
  draft.rejected = isSuccess ? Number(said['rejectedLogRecords'] ?? said['rejected_log_records'] ?? 0) : 0;
  if (typeof message === 'string') draft.message = message;
}
