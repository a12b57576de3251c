import { answerMessage } from './answer-message.js';
import { encodeNumberAndText } from './number-text-message.js';
import type { OtlpEncoding } from './otlp-records.js';

/** The body of every answer that is no success: a google.rpc.Status, whose `code` is one of gRPC's. The message is cut to 1,024 characters. */
export function encodeStatus(encoding: OtlpEncoding, code: number, message: string): Uint8Array | string {
  const text = answerMessage(message);
  return encoding === 'json' ? JSON.stringify({ code, message: text }) : encodeNumberAndText(code, text);
}
