import { join } from 'node:path';
import { crc32c } from '@node-rs/crc32';
import { v4 } from 'uuid';
import { isJsonObject, parseJson } from '../../../event/json.js';
import type { DataFolder, StoreFiles } from '../../files/store-files.js';
import { makeFolderDurably, setAside, writeFileDurably } from '../../files/write-durably.js';

/** Random id of a data folder: collectors that receive at the same instant give different event ids. */
export interface FolderId {
  /** UUID. */
  readonly id: string;
  /** Ids of events of earlier hours do not depend on it: the folder had no id. Hours since the epoch. */
  readonly fromHour: number;
}

/** In the data folder. */
export const FOLDER_ID_FILE = 'folder-id.json';

/** Reads the id; undefined if there is none or it is damaged. */
export async function readFolderId(files: StoreFiles, directory: string): Promise<FolderId | undefined> {
  const content = await files.readFile(join(directory, FOLDER_ID_FILE));
  return content && parseFolderId(content.toString('utf8', 0, content.length - 1));
}

/** Parses the content of the file without its newline; undefined if it is damaged. */
export function parseFolderId(text: string): FolderId | undefined {
  const value = parseJson(text);
  if (!isJsonObject(value)) return undefined;
  const { id, from_hour: fromHour } = value;
  if (typeof id !== 'string' || typeof fromHour !== 'number') return undefined;
  return encodeFolderId({ id, fromHour }) === text ? { id, fromHour } : undefined;
}

function encodeFolderId({ id, fromHour }: FolderId): string {
  return JSON.stringify({ id, from_hour: fromHour, crc32c: crc32c(`${id} ${fromHour}`) });
}

/** Reads the id of a folder, or makes one that counts from an hour on; a damaged one is set aside. */
export async function makeFolderId({ files, directory }: DataFolder, fromHour: number): Promise<FolderId> {
  const known = await readFolderId(files, directory);
  if (known !== undefined) return known;
  const made = { id: v4(), fromHour };
  const path = join(directory, FOLDER_ID_FILE);
  await makeFolderDurably(files, directory);
  await setAside(files, path);
  await writeFileDurably(files, path, `${encodeFolderId(made)}\n`);
  return made;
}
