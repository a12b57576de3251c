import { isJsonObject } from '../../../core/event/json.js';
import type { PendingRecord } from './file-record.js';
import type { ContentMark } from './seen-content.js';

/** How far one file was read. */
export interface FileCheckpoint {
  /** Identity of the file and its content: device, inode, and a random part that changes when the file is emptied. */
  readonly file: string;
  readonly device: string;
  readonly inode: string;
  /** Birth time of the inode, nanoseconds since the epoch; empty if unknown. */
  readonly born: string;
  /** Absolute path under which it was read last. */
  readonly path: string;
  /** All lines before this byte are processed. */
  readonly offset: number;
  readonly mark: ContentMark;
  /** Milliseconds since the epoch. */
  readonly seenAtMs: number;
}

/** State for a restart: the offset of each file, and the records that may not have been stored. */
export interface Checkpoint {
  readonly files: readonly FileCheckpoint[];
  /** Records that were about to be forwarded; the offsets are after them. */
  readonly pending: readonly PendingRecord[];
}

/** Encodes the checkpoint as JSON. */
export function encodeCheckpoint({ files, pending }: Checkpoint): string {
  const rows = files.map(({ seenAtMs, ...file }) => ({ ...file, seen_at_ms: seenAtMs }));
  return JSON.stringify({ files: rows, pending });
}

/** Parses what `encodeCheckpoint` returned; undefined for anything else. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(content)) return undefined;
  const files = parseList(content['files'], parseFile);
  const pending = parseList(content['pending'], parsePending);
  return files && pending && { files, pending };
}

function parseList<Item>(value: unknown, read: (item: unknown) => Item | undefined): Item[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = value.map(read).filter((item) => item !== undefined);
  return items.length === value.length ? items : undefined;
}

function parseFile(value: unknown): FileCheckpoint | undefined {
  if (!isJsonObject(value)) return undefined;
  const [file, device, inode, path] = [value['file'], value['device'], value['inode'], value['path']];
  const [born, offset, seenAtMs] = [value['born'], value['offset'], value['seen_at_ms']];
  const mark = parseMark(value['mark']);
  if (typeof file !== 'string' || typeof device !== 'string' || typeof inode !== 'string') return undefined;
  if (
    typeof path !== 'string' ||
    typeof born !== 'string' ||
    !isNonNegativeInteger(offset) ||
    !isNonNegativeInteger(seenAtMs)
  )
    return undefined;
  return mark && { file, device, inode, born, path, offset, mark, seenAtMs };
}

function parseMark(value: unknown): ContentMark | undefined {
  if (!isJsonObject(value)) return undefined;
  const [at, sha256] = [value['at'], value['sha256']];
  return isNonNegativeInteger(at) && typeof sha256 === 'string' ? { at, sha256 } : undefined;
}

function parsePending(value: unknown): PendingRecord | undefined {
  if (!isJsonObject(value)) return undefined;
  const [payload, text] = [value['value'], value['text']];
  return isJsonObject(payload) && typeof text === 'string' ? { value: payload, text } : undefined;
}

function isNonNegativeInteger(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
