import { cutText } from '../../event/cut-text.js';
import { keptContent } from './kept-content.js';
import type { RejectedPayload } from './rejected-payload.js';

/** UTF-16 units of `field` and `reason`: a pointer holds keys of the sender. */
const MAX_WORDS = 1024;

/** The record of one rejected payload as a line with its newline. What was kept of the payload stands last, so that the line's start says why. */
export function encodeRejectedRecord(rejectedAt: string, receiver: string, rejected: RejectedPayload): Buffer {
  const { code, bytes } = rejected;
  const field = cutText(rejected.field, MAX_WORDS);
  const reason = cutText(rejected.reason, MAX_WORDS);
  const head = JSON.stringify({ rejected_at: rejectedAt, receiver, code, field, reason, bytes }).slice(0, -1);
  const kept = keptContent(rejected);
  if (kept === undefined) return Buffer.from(`${head}}\n`);
  const start = `${head}${kept.isCut ? ',"cut":true' : ''},"${kept.kind}":`;
  return Buffer.concat([Buffer.from(start), kept.json, Buffer.from('}\n')]);
}
