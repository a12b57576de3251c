import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import { isJsonObject, parseJson } from '../../event/json.js';
import type { DataFolder, StoreFiles } from '../files/store-files.js';
import { hasCode } from '../files/system-error.js';
import { makeFolderDurably, setAside, writeFileDurably } from '../files/write-durably.js';
import { checksumOf, isCount } from '../record/commits/commit-record.js';
import { formatMicros, parseMicros } from '../record/partitions/arrival-clock.js';
import { encodePartitionName } from '../record/partitions/partition-name.js';
import type { FollowPosition } from './record-follower.js';

const VERSION = 1;

export const CURSORS_FOLDER = 'cursors';

/** A loaded cursor. */
export interface KnownCursor {
  /** Undefined if no usable position exists. */
  readonly position: FollowPosition | undefined;
  /** A cursor existed but is unusable: its position is unknown. */
  readonly isLost: boolean;
  /** `CURSOR_UNUSABLE`: the newest file is torn, foreign, or ahead of the record. */
  readonly fault: Fault | undefined;
}

export type CursorFile = ReturnType<typeof createCursorFile>;

/** The durable position of one follower, beside the previous one: a damaged file repeats a batch and never skips one. */
export function createCursorFile({ files, directory, name }: DataFolder & { name: string }) {
  const folder = join(directory, CURSORS_FOLDER);
  const path = join(folder, `${encodePartitionName(name)}.json`);
  // Cursor files end in `.json`, so this name is free.
  const pathBefore = `${path}.before`;

  return {
    /** Loads the position; one later than `latestMicros` belongs to another record. Rejects with the system's error. */
    async load(latestMicros: number): Promise<KnownCursor> {
      const current = await readOrSetAside(files, path);
      const before = await readOrSetAside(files, pathBefore);
      const usable = (content: Buffer | undefined): FollowPosition | undefined => {
        const position = content && decodeCursor(name, content);
        return position !== undefined && position.receivedAtMicros <= latestMicros ? position : undefined;
      };
      const newest = usable(current);
      if (newest !== undefined) return { position: newest, isLost: false, fault: undefined };
      const older = usable(before);
      // A crash between the two renames leaves only the previous file, which is valid.
      const isWhole = current === undefined && (before === undefined || older !== undefined);
      return {
        position: older,
        isLost: !isWhole && older === undefined,
        fault: isWhole ? undefined : unusableCursor(path, older),
      };
    },
    /** Stores a position; calls must not overlap. Rejects with the system's error, and then the previous file may be the newest. */
    async store(position: FollowPosition): Promise<void> {
      await makeFolderDurably(files, folder);
      await files.rename(path, pathBefore).catch((error: unknown) => {
        if (!hasCode(error, 'ENOENT')) throw error;
      });
      await writeFileDurably(files, path, encodeCursor(name, position));
    },
  };
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

/** Reads a cursor or note; undefined if it is missing. A folder at the path is set aside and reads as empty, which is invalid. */
export async function readOrSetAside(files: StoreFiles, path: string): Promise<Buffer | undefined> {
  try {
    return await files.readFile(path);
  } catch (error) {
    if (!hasCode(error, 'EISDIR')) throw error;
    await setAside(files, path);
    return Buffer.alloc(0);
  }
}

function encodeCursor(name: string, position: FollowPosition): string {
  const { receivedAtMicros, taken, passed } = position;
  const cursor = { version: VERSION, name, received_at: formatMicros(receivedAtMicros), taken, passed };
  return `${JSON.stringify({ ...cursor, crc32c: checksumOf(JSON.stringify(cursor)) })}\n`;
}

/** Undefined if the content is not a cursor of this name. */
function decodeCursor(name: string, content: Buffer): FollowPosition | undefined {
  const value = parseJson(content.toString('utf8'));
  if (!isJsonObject(value)) return undefined;
  const { version, name: storedName, received_at: receivedAt, taken, passed, crc32c: checksum } = value;
  const cursor = { version, name: storedName, received_at: receivedAt, taken, passed };
  if (version !== VERSION || storedName !== name || checksum !== checksumOf(JSON.stringify(cursor))) return undefined;
  const receivedAtMicros = typeof receivedAt === 'string' ? parseMicros(receivedAt) : undefined;
  if (receivedAtMicros === undefined || !isCount(taken, 0) || !isCount(passed, 0)) return undefined;
  return { receivedAtMicros, taken, passed };
}
