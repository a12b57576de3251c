import { reasonOf } from '../../../core/storage/record/append-faults.js';
import type { FoundFailure } from './file-record.js';
import type { FollowedFile } from './followed-file.js';
import type { OnceWarner } from './once-warner.js';

const BUFFER_BYTES = 64 * 1024;
/** Per file and round, so that a fast-growing file does not delay the others. */
const MAX_FILE_BYTES = 256 * 1024;
const MAX_TURN_BYTES = 4 * 1024 * 1024;
/** UTF-16 units of found text in one round. */
const MAX_FOUND_LENGTH = 1024 * 1024;

/** Reads the followed files in bounded rounds, one after another. */
export function createRoundReader(warner: OnceWarner) {
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  let last: FollowedFile | undefined;

  /** Continues after the file that the last round ended at; `isChanged`: something was read or flushed; `hasMore`: more can be read at once. A file waits until a renamed one that had its path is read to the end. */
  async function readRound(inOrder: readonly FollowedFile[]) {
    const begin = last === undefined ? 0 : inOrder.indexOf(last) + 1;
    const order = [...inOrder.slice(begin), ...inOrder.slice(0, begin)];
    const unfinished = new Set(inOrder.filter((file) => file.isGone && !file.isAtEnd).map((file) => file.path));
    const found: FoundFailure[] = [];
    let foundLength = 0;
    let readBytes = 0;
    let isChanged = false;
    let hasMore = false;
    for (const file of order) {
      if (readBytes >= MAX_TURN_BYTES || foundLength >= MAX_FOUND_LENGTH) {
        hasMore = true;
        break;
      }
      last = file;
      if (!file.isGone && unfinished.has(file.path)) {
        hasMore = true;
        continue;
      }
      const bytes = await read(file);
      const isFlushed = file.flushIfDue(performance.now());
      readBytes += bytes;
      isChanged ||= bytes > 0 || isFlushed;
      hasMore ||= bytes >= MAX_FILE_BYTES;
      for (const failure of file.drainFound()) {
        found.push(failure);
        foundLength += failure.failure.text.length;
      }
    }
    return { found, isChanged: isChanged || found.length > 0, hasMore };
  }

  async function read(file: FollowedFile): Promise<number> {
    try {
      return await file.read(buffer, MAX_FILE_BYTES, performance.now());
    } catch (error) {
      warner.warn(file.path, reasonOf(error), 'a log file cannot be read; retrying');
      return 0;
    }
  }

  return readRound;
}
