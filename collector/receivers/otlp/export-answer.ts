import { answerMessage } from './answer-message.js';
import { encodeBytesField, encodeNumberAndText } from './number-text-message.js';
import type { OtlpEncoding } from './otlp-records.js';

/** What was not taken of a request that was answered with success; `rejected` 0 with a message is a warning. */
export interface PartialSuccess {
  readonly rejected: number;
  readonly message: string;
}

const REJECTED_NAME = { logs: 'rejectedLogRecords', traces: 'rejectedSpans' } as const;

/** The body of an answer 200: `{}` or no bytes at all when everything was taken (`partial` undefined), else the partial success. */
export function encodeExportAnswer(
  signal: 'logs' | 'traces',
  encoding: OtlpEncoding,
  partial: PartialSuccess | undefined,
): Uint8Array | string {
  if (partial === undefined) return encoding === 'json' ? '{}' : new Uint8Array();
  const message = answerMessage(partial.message);
  if (encoding === 'protobuf') return encodeBytesField(1, encodeNumberAndText(partial.rejected, message));
  // An int64 is text in JSON.
  const partialSuccess = { [REJECTED_NAME[signal]]: String(partial.rejected), errorMessage: message };
  return JSON.stringify({ partialSuccess });
}
