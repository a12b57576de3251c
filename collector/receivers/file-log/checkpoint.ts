import { isJsonObject } from '../../../core/event/json.js';
import type { PendingRecord } from './file-record.js';
import type { ContentMark } from './seen-content.js';

/** How far one file was read. */
export interface FileCheckpoint {
  /** Identity of the file and its content: device, inode, and a random part that changes when the file is emptied. */
  readonly file: string;
  readonly device: string;
  readonly inode: string;
  /** When the inode was made, nanoseconds since the epoch; empty where the file system does not say. */
  readonly born: string;
  /** Absolute path under which it was read last. */
  readonly path: string;
  /** All lines before this byte are done with. */
  readonly offset: number;
  readonly mark: ContentMark;
  /** When it was last there, milliseconds since the epoch. */
  readonly seenAtMs: number;
}

/** What a receiver must know after a kill: where each file is read on, and what may or may not have been stored. */
export interface Checkpoint {
  readonly files: readonly FileCheckpoint[];
  /** Records that were about to be handed on; none of the offsets lies before them. */
  readonly pending: readonly PendingRecord[];
}

/** The checkpoint as JSON. */
export function checkpointText({ files, pending }: Checkpoint): string {
  const rows = files.map(({ seenAtMs, ...file }) => ({ ...file, seen_at_ms: seenAtMs }));
  return JSON.stringify({ files: rows, pending });
}

/** Reads what `checkpointText` wrote; undefined when it is anything else. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(content)) return undefined;
  const files = readList(content['files'], readFile);
  const pending = readList(content['pending'], readPending);
  return files && pending && { files, pending };
}

function readList<Item>(value: unknown, read: (item: unknown) => Item | undefined): Item[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = value.map(read).filter((item) => item !== undefined);
  return items.length === value.length ? items : undefined;
}

function readFile(value: unknown): FileCheckpoint | undefined {
  if (!isJsonObject(value)) return undefined;
  const [file, device, inode, path] = [value['file'], value['device'], value['inode'], value['path']];
  const [born, offset, seenAtMs] = [value['born'], value['offset'], value['seen_at_ms']];
  const mark = readMark(value['mark']);
  if (typeof file !== 'string' || typeof device !== 'string' || typeof inode !== 'string') return undefined;
  if (typeof path !== 'string' || typeof born !== 'string' || !isPlace(offset) || !isPlace(seenAtMs)) return undefined;
  return mark && { file, device, inode, born, path, offset, mark, seenAtMs };
}

function readMark(value: unknown): ContentMark | undefined {
  if (!isJsonObject(value)) return undefined;
  const [at, sha256] = [value['at'], value['sha256']];
  return isPlace(at) && typeof sha256 === 'string' ? { at, sha256 } : undefined;
}

function readPending(value: unknown): PendingRecord | undefined {
  if (!isJsonObject(value)) return undefined;
  const [payload, text] = [value['value'], value['text']];
  return isJsonObject(payload) && typeof text === 'string' ? { value: payload, text } : undefined;
}

function isPlace(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
