import type { DeadLetterStats } from '../../../generated/reader-answers.js';
import type { DataFolder, ReadableFile } from '../files/store-files.js';
import { ReadHandles } from '../record/io/file-handles.js';
import { countNewlines } from '../record/io/read-lines.js';
import { listDeadLetterFiles } from './dead-letter-files.js';

/** Lines in the first `bytes` of a file. */
interface FileCount {
  readonly bytes: number;
  readonly records: number;
}

const CHUNK_BYTES = 1024 * 1024;
const NOTHING: FileCount = { bytes: 0, records: 0 };

/** Creates a function that counts dead letters; files only grow, so each byte is read once. */
export function createDeadLetterMeter({
  directory,
  files,
  writer,
}: DataFolder & { readonly writer?: { readonly lost: number } | undefined }): () => Promise<DeadLetterStats> {
  let lastCounts = new Map<string, FileCount>();
  let running: Promise<DeadLetterStats> | undefined;

  async function measure(): Promise<DeadLetterStats> {
    const counted = new Map<string, FileCount>();
    await using handles = new ReadHandles(files, 1);
    for (const { path, bytes } of await listDeadLetterFiles(files, directory)) {
      counted.set(path, await countNew(handles.file(path), bytes, lastCounts.get(path) ?? NOTHING));
    }
    lastCounts = counted;
    const stats: DeadLetterStats = { records: 0, bytes: 0, lost: writer?.lost ?? 0 };
    for (const { bytes, records } of counted.values()) {
      stats.records += records;
      stats.bytes += bytes;
    }
    return stats;
  }

  return () => {
    running ??= measure().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** A file that the writer removed after it was listed reads as empty. */
async function countNew(file: ReadableFile, bytes: number, before: FileCount): Promise<FileCount> {
  let { bytes: at, records } = bytes < before.bytes ? NOTHING : before;
  while (at < bytes) {
    const chunk = await file.read(at, Math.min(CHUNK_BYTES, bytes - at));
    if (chunk.length === 0) break;
    records += countNewlines(chunk);
    at += chunk.length;
  }
  return { bytes: at, records };
}
