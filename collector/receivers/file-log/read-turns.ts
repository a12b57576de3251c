import type { FoundFailure } from './file-record.js';
import type { FollowedFile } from './followed-file.js';

/** What one turn of reading gave. */
export interface TurnReading {
  readonly found: readonly FoundFailure[];
  /** Something was read or taken as it is. */
  readonly isChanged: boolean;
  /** There is more that could be read at once. */
  readonly hasMore: boolean;
}

const BUFFER_BYTES = 64 * 1024;
/** Of one file in one turn, so that one that grows quickly does not hold up the others. */
const MAX_FILE_BYTES = 256 * 1024;
const MAX_TURN_BYTES = 4 * 1024 * 1024;
/** UTF-16 units of found text: what is found in one turn is handed on together. */
const MAX_FOUND_LENGTH = 1024 * 1024;

/** Reads the followed files, a bounded part of them in every turn, each of them in its turn. */
export class ReadTurns {
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  readonly #onFault: (file: FollowedFile, error: unknown) => void;
  #last: FollowedFile | undefined;

  constructor(onFault: (file: FollowedFile, error: unknown) => void) {
    this.#onFault = onFault;
  }

  /** Reads in this order, from where the last turn ended. A file waits while a renamed one that had its name before is not read to its end. */
  async take(inOrder: readonly FollowedFile[]): Promise<TurnReading> {
    const begin = this.#last === undefined ? 0 : inOrder.indexOf(this.#last) + 1;
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
      this.#last = file;
      if (!file.isGone && unfinished.has(file.path)) {
        hasMore = true;
        continue;
      }
      const bytes = await this.#read(file);
      const isFlushed = file.flushIfDue(performance.now());
      readBytes += bytes;
      isChanged ||= bytes > 0 || isFlushed;
      hasMore ||= bytes >= MAX_FILE_BYTES;
      for (const failure of file.takeFound()) {
        found.push(failure);
        foundLength += failure.failure.text.length;
      }
    }
    return { found, isChanged: isChanged || found.length > 0, hasMore };
  }

  async #read(file: FollowedFile): Promise<number> {
    try {
      return await file.read(this.#buffer, MAX_FILE_BYTES, performance.now());
    } catch (error) {
      this.#onFault(file, error);
      return 0;
    }
  }
}
