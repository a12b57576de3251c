import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import { isJsonObject, type JsonValue, parseJson } from '../../event/json.js';
import type { DataFolder } from '../files/store-files.js';
import { makeFolderDurably, writeFileDurably } from '../files/write-durably.js';
import { checksumOf } from '../record/commits/commit-record.js';
import { encodePartitionName } from '../record/partitions/partition-name.js';
import { CURSORS_FOLDER, readOrSetAside } from './cursor-file.js';

/** A small JSON document that a follower stores in the data folder. */
export type StoreNote = ReturnType<typeof createStoreNote>;

interface StoreNoteOptions extends DataFolder {
  readonly name: string;
  /** Called for a note that is torn or foreign. */
  readonly onFault: (fault: Error) => void;
}

const VERSION = 1;

/** Creates the note `<root>/cursors/<name, percent-encoded>.note` without opening it. */
export function createStoreNote({ files, directory, name, onFault }: StoreNoteOptions) {
  const folder = join(directory, CURSORS_FOLDER);
  const path = join(folder, `${encodePartitionName(name)}.note`);
  return {
    /** The last content; undefined if none is usable (`NOTE_UNUSABLE`, reported). Rejects with the system's error. */
    async read(): Promise<JsonValue | undefined> {
      const content = await readOrSetAside(files, path);
      const value = content && decode(name, content);
      if (content !== undefined && value === undefined) onFault(unusable(path));
      return value;
    },
    /** Durably replaces the content by JSON text without line breaks. Calls must not overlap. Rejects with the system's error. */
    async write(json: string): Promise<void> {
      await makeFolderDurably(files, folder);
      const head = JSON.stringify({ version: VERSION, name, crc32c: checksumOf(json) });
      await writeFileDurably(files, path, `${head}\n${json}\n`);
    },
  };
}

/** The first line identifies the note, the second is its content. */
function decode(name: string, content: Buffer): JsonValue | undefined {
  const [head = '', text = ''] = content.toString('utf8').split('\n');
  const known = parseJson(head);
  if (!isJsonObject(known) || known['version'] !== VERSION || known['name'] !== name) return undefined;
  return known['crc32c'] === checksumOf(text) ? parseJson(text) : undefined;
}

function unusable(path: string): Fault {
  return new Fault(
    'NOTE_UNUSABLE',
    `${path} is torn, a folder, or belongs to another exporter: its unsent changes are lost, and it continues with later ones. Check the list of issues for what it missed.`,
  );
}
