import { crc32c } from '@node-rs/crc32';
import { isJsonObject } from '../../event/json.js';
import { formatMicros, parseMicros } from '../record/arrival-time.js';
import type { FollowPosition } from './record-follower.js';

const VERSION = 1;

/** The content of a cursor's file. */
export function encodeCursor(name: string, position: FollowPosition): string {
  const { receivedAtMicros, taken, passed } = position;
  const cursor = { version: VERSION, name, received_at: formatMicros(receivedAtMicros), taken, passed };
  return `${JSON.stringify({ ...cursor, crc32c: checksumOf(JSON.stringify(cursor)) })}\n`;
}

/** Reads what `encodeCursor` wrote for this name; undefined where it is anything else. */
export function decodeCursor(name: string, content: Buffer): FollowPosition | undefined {
  const value = parsed(content);
  if (!isJsonObject(value)) return undefined;
  const { version, name: of, received_at: receivedAt, taken, passed, crc32c: checksum } = value;
  const cursor = { version, name: of, received_at: receivedAt, taken, passed };
  if (version !== VERSION || of !== name || checksum !== checksumOf(JSON.stringify(cursor))) return undefined;
  const receivedAtMicros = typeof receivedAt === 'string' ? parseMicros(receivedAt) : undefined;
  if (receivedAtMicros === undefined || !isCount(taken) || !isCount(passed)) return undefined;
  return { receivedAtMicros, taken, passed };
}

function parsed(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString('utf8'));
  } catch {
    // Torn: the caller tells it.
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function checksumOf(text: string): string {
  return crc32c(text).toString(16).padStart(8, '0');
}
