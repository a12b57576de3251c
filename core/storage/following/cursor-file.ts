import { join } from 'node:path';
import type { Low } from 'lowdb';
import { Fault } from '../../event/fault.js';
import { isJsonObject, parseJson } from '../../event/json.js';
import { type DocumentFormat, openDocument } from '../files/durable-document.js';
import type { DataFolder, StoreFiles } from '../files/store-files.js';
import { hasCode } from '../files/system-error.js';
import { makeFolderDurably } from '../files/write-durably.js';
import { checksumOf, isCount } from '../record/commits/commit-record.js';
import { formatMicros, parseMicros } from '../record/partitions/arrival-clock.js';
import { encodePartitionName } from '../record/partitions/partition-name.js';
import type { FollowPosition } from './record-follower.js';

const VERSION = 1;

export const CURSORS_FOLDER = 'cursors';

interface CursorFileOptions extends DataFolder {
  /** Of the follower. */
  readonly name: string;
  /** A position later than this belongs to another record, microseconds since the epoch. */
  readonly latestMicros: number;
}

/** What the file of a cursor says. */
interface CursorData {
  /** Undefined if the file is missing, torn, or belongs to another follower. */
  readonly position: FollowPosition | undefined;
  readonly isPresent: boolean;
}

const NO_CURSOR: CursorData = { position: undefined, isPresent: false };

/** The durable position of one follower, beside the previous one: a damaged file repeats a batch and never skips one. */
export class CursorFile {
  /** At opening; undefined if no usable position exists. */
  readonly position: FollowPosition | undefined;
  /** A cursor existed at opening but is unusable: its position is unknown. */
  readonly isLost: boolean;
  /** `CURSOR_UNUSABLE`: the newest file is torn, foreign, or ahead of the record. */
  readonly fault: Fault | undefined;
  readonly #files: StoreFiles;
  readonly #folder: string;
  readonly #path: string;
  readonly #document: Low<CursorData>;

  private constructor(
    { files, directory, name, latestMicros }: CursorFileOptions,
    document: Low<CursorData>,
    before: CursorData,
  ) {
    this.#files = files;
    this.#folder = join(directory, CURSORS_FOLDER);
    this.#path = cursorPath(directory, name);
    this.#document = document;
    const newest = usable(document.data, latestMicros);
    const older = usable(before, latestMicros);
    // A crash between the two renames of `store` leaves only the previous file, which is valid.
    const isInterrupted = !document.data.isPresent && (!before.isPresent || older !== undefined);
    this.position = newest ?? older;
    this.isLost = !isInterrupted && this.position === undefined;
    this.fault = newest === undefined && !isInterrupted ? unusableCursor(this.#path, older) : undefined;
  }

  /** Reads the cursor and the one before. Rejects with the system's error. */
  static async open(options: CursorFileOptions): Promise<CursorFile> {
    const { files, directory, name } = options;
    const path = cursorPath(directory, name);
    const file = { files, format: cursorFormat(name), defaults: NO_CURSOR, setsFolderAside: true };
    const document = await openDocument({ ...file, path });
    const { data: before } = await openDocument({ ...file, path: pathBefore(path) });
    return new CursorFile(options, document, before);
  }

  /** Stores a position; calls must not overlap. Rejects with the system's error, and then the previous file may be the newest. */
  async store(position: FollowPosition): Promise<void> {
    await makeFolderDurably(this.#files, this.#folder);
    await this.#files.rename(this.#path, pathBefore(this.#path)).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error;
    });
    this.#document.data = { position, isPresent: true };
    await this.#document.write();
  }
}

function cursorPath(directory: string, name: string): string {
  return join(directory, CURSORS_FOLDER, `${encodePartitionName(name)}.json`);
}

/** Cursor files end in `.json`, so this name is free. */
function pathBefore(path: string): string {
  return `${path}.before`;
}

function usable({ position }: CursorData, latestMicros: number): FollowPosition | undefined {
  return position !== undefined && position.receivedAtMicros <= latestMicros ? position : undefined;
}

function unusableCursor(path: string, older: FollowPosition | undefined): Fault {
  const goesOn =
    older === undefined
      ? 'it begins with the oldest stored event, ignores start_at and sends events again'
      : 'it continues at the previous position, and may send one batch again';
  return new Fault(
    'CURSOR_UNUSABLE',
    `${path} is torn, a folder, or belongs to another folder or exporter: ${goesOn}. Nothing has to be done.`,
  );
}

function cursorFormat(name: string): DocumentFormat<CursorData> {
  return {
    encode({ position }) {
      if (position === undefined) throw new Error('A cursor without a position cannot be stored.');
      const { receivedAtMicros, taken, passed } = position;
      const cursor = { version: VERSION, name, received_at: formatMicros(receivedAtMicros), taken, passed };
      return `${JSON.stringify({ ...cursor, crc32c: checksumOf(JSON.stringify(cursor)) })}\n`;
    },
    decode: (content) => ({ position: parsePosition(name, content.toString('utf8')), isPresent: true }),
  };
}

/** Undefined if the text is not a cursor of this name. */
function parsePosition(name: string, text: string): FollowPosition | undefined {
  const value = parseJson(text);
  if (!isJsonObject(value)) return undefined;
  const { version, name: storedName, received_at: receivedAt, taken, passed, crc32c: checksum } = value;
  const cursor = { version, name: storedName, received_at: receivedAt, taken, passed };
  if (version !== VERSION || storedName !== name || checksum !== checksumOf(JSON.stringify(cursor))) return undefined;
  const receivedAtMicros = typeof receivedAt === 'string' ? parseMicros(receivedAt) : undefined;
  if (receivedAtMicros === undefined || !isCount(taken, 0) || !isCount(passed, 0)) return undefined;
  return { receivedAtMicros, taken, passed };
}
