import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import { isJsonObject } from '../../event/json.js';
import { makeFolderDurably } from '../files/make-folder-durably.js';
import { setAside } from '../files/set-aside.js';
import type { StoreFiles } from '../files/store-files.js';
import { hasCode } from '../files/system-error.js';
import { writeFileDurably } from '../files/write-file-durably.js';
import { checksumOf, parseJson } from '../record/commits/commit-record.js';
import { formatMicros, parseMicros } from '../record/partitions/arrival-clock.js';
import { encodePartitionName } from '../record/partitions/partition-name.js';
import type { FollowPosition } from './record-follower.js';

const VERSION = 1;

export const CURSORS_FOLDER = 'cursors';

/** What a cursor's file says, and whether it had to be guessed. */
export interface KnownCursor {
  /** Undefined where nothing says where to begin. */
  readonly position: FollowPosition | undefined;
  /** There was a cursor, and nothing of it can be used: what it had passed is not known. */
  readonly isLost: boolean;
  /** `CURSOR_UNUSABLE`: the newest file is torn, foreign or of another time. */
  readonly fault: Fault | undefined;
}

/** The durable position of one follower. The position before the last stays beside it, so that a damaged file costs a batch that comes twice and never one that is skipped. */
export class CursorFile {
  readonly #files: StoreFiles;
  readonly #name: string;
  readonly #folder: string;
  readonly #path: string;
  readonly #pathBefore: string;

  constructor({ files, directory, name }: { files: StoreFiles; directory: string; name: string }) {
    this.#files = files;
    this.#name = name;
    this.#folder = join(directory, CURSORS_FOLDER);
    this.#path = join(this.#folder, `${encodePartitionName(name)}.json`);
    // Names end in `.json`, so no other cursor can have this one.
    this.#pathBefore = `${this.#path}.before`;
  }

  /** Reads it; positions later than `latestMicros` belong to another record. Rejects with the system's error. */
  async read(latestMicros: number): Promise<KnownCursor> {
    const [current, before] = [
      await readOrSetAside(this.#files, this.#path),
      await readOrSetAside(this.#files, this.#pathBefore),
    ];
    const usable = (content: Buffer | undefined): FollowPosition | undefined => {
      const position = content && decodeCursor(this.#name, content);
      return position !== undefined && position.receivedAtMicros <= latestMicros ? position : undefined;
    };
    const newest = usable(current);
    if (newest !== undefined) return { position: newest, isLost: false, fault: undefined };
    const older = usable(before);
    // A crash between two renames leaves the one before alone, which is as it should be.
    const isWhole = current === undefined && (before === undefined || older !== undefined);
    return {
      position: older,
      isLost: !isWhole && older === undefined,
      fault: isWhole ? undefined : this.#unusable(older),
    };
  }

  /** Rejects with the system's error; then the file before may be the newest. Calls must not overlap. */
  async write(position: FollowPosition): Promise<void> {
    await makeFolderDurably(this.#files, this.#folder);
    try {
      await this.#files.rename(this.#path, this.#pathBefore);
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
    await writeFileDurably(this.#files, this.#path, encodeCursor(this.#name, position));
  }

  #unusable(older: FollowPosition | undefined): Fault {
    const goesOn =
      older === undefined
        ? 'it begins with the oldest event that is kept, whatever start_at says, and sends again what it had sent'
        : 'it goes on from the position before, and may send one batch again';
    return new Fault(
      'CURSOR_UNUSABLE',
      `${this.#path} is torn, a folder, or belongs to another folder or exporter: ${goesOn}. Nothing has to be done.`,
    );
  }
}

/** The content of a cursor or a note, nothing where there is none. A folder in its place is set aside and reads as empty, which is torn. */
export async function readOrSetAside(files: StoreFiles, path: string): Promise<Buffer | undefined> {
  try {
    return await files.readFile(path);
  } catch (error) {
    if (!hasCode(error, 'EISDIR')) throw error;
    await setAside(files, path);
    return Buffer.alloc(0);
  }
}

/** The content of a cursor's file. */
function encodeCursor(name: string, position: FollowPosition): string {
  const { receivedAtMicros, taken, passed } = position;
  const cursor = { version: VERSION, name, received_at: formatMicros(receivedAtMicros), taken, passed };
  return `${JSON.stringify({ ...cursor, crc32c: checksumOf(JSON.stringify(cursor)) })}\n`;
}

/** Reads what `encodeCursor` wrote for this name; undefined where it is anything else. */
function decodeCursor(name: string, content: Buffer): FollowPosition | undefined {
  const value = parseJson(content.toString('utf8'));
  if (!isJsonObject(value)) return undefined;
  const { version, name: of, received_at: receivedAt, taken, passed, crc32c: checksum } = value;
  const cursor = { version, name: of, received_at: receivedAt, taken, passed };
  if (version !== VERSION || of !== name || checksum !== checksumOf(JSON.stringify(cursor))) return undefined;
  const receivedAtMicros = typeof receivedAt === 'string' ? parseMicros(receivedAt) : undefined;
  if (receivedAtMicros === undefined || !isCount(taken) || !isCount(passed)) return undefined;
  return { receivedAtMicros, taken, passed };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
