import { dirname, join } from 'node:path';
import { crc32c } from '@node-rs/crc32';
import type { Low } from 'lowdb';
import { v4 } from 'uuid';
import { Fault } from '../../../event/fault.js';
import { isJsonObject, parseJson } from '../../../event/json.js';
import { type DocumentFormat, openDocument, replaceData } from '../../files/durable-document.js';
import type { DataFolder, StoreFiles } from '../../files/store-files.js';
import { makeFolderDurably, setAside } from '../../files/write-durably.js';

/** Random id of a data folder: collectors that receive at the same instant give different event ids. */
export interface FolderId {
  /** UUID. */
  readonly id: string;
  /** Ids of events of earlier hours do not depend on it: the folder had no id. Hours since the epoch. */
  readonly fromHour: number;
}

/** In the data folder. If its copy holds another id, this one counts. */
export const FOLDER_ID_FILE = 'folder-id.json';

/** The copy, in `raw/`, so that it goes with the lines. No environment has a folder of this name: `@` is encoded in names. */
const FOLDER_ID_COPY = '@folder-id.json';

/** Paths of the file and its copy from the data folder; the first valid one counts. */
const FOLDER_ID_PATHS = [FOLDER_ID_FILE, `raw/${FOLDER_ID_COPY}`] as const;

/** What the file of a copy says. */
interface FolderIdData {
  /** Undefined if the file is missing or damaged. */
  readonly id: FolderId | undefined;
  /** Whether a file is there. */
  readonly isPresent: boolean;
}

const NO_ID: FolderIdData = { id: undefined, isPresent: false };

const format: DocumentFormat<FolderIdData> = {
  encode({ id }) {
    if (id === undefined) throw new Error('A copy without an id cannot be written.');
    return encodeFolderId(id);
  },
  decode: (content) => ({ id: parseFolderId(content.toString('utf8')), isPresent: true }),
};

/** Undefined if the text is not an id. */
function parseFolderId(text: string): FolderId | undefined {
  const value = parseJson(text);
  if (!isJsonObject(value)) return undefined;
  const { id, from_hour: fromHour } = value;
  if (typeof id !== 'string' || typeof fromHour !== 'number') return undefined;
  return encodeFolderId({ id, fromHour }) === text ? { id, fromHour } : undefined;
}

function encodeFolderId({ id, fromHour }: FolderId): string {
  return `${JSON.stringify({ id, from_hour: fromHour, crc32c: crc32c(`${id} ${fromHour}`) })}\n`;
}

/** One copy of the id. */
export class FolderIdCopy {
  /** From the data folder. */
  readonly path: string;
  readonly #folder: DataFolder;
  readonly #document: Low<FolderIdData>;

  private constructor(folder: DataFolder, path: string, document: Low<FolderIdData>) {
    this.path = path;
    this.#folder = folder;
    this.#document = document;
  }

  static async open(folder: DataFolder, path: string): Promise<FolderIdCopy> {
    const file = { files: folder.files, path: join(folder.directory, path), format, defaults: NO_ID };
    return new FolderIdCopy(folder, path, await openDocument(file));
  }

  /** Undefined if the file is missing or damaged. */
  get id(): FolderId | undefined {
    return this.#document.data.id;
  }

  /** Whether a file is there. */
  get isPresent(): boolean {
    return this.#document.data.isPresent;
  }

  /** Writes the id; what the file holds is set aside. */
  async write(id: FolderId): Promise<void> {
    const { files, directory } = this.#folder;
    const file = join(directory, this.path);
    await makeFolderDurably(files, dirname(file));
    await setAside(files, file);
    await replaceData(this.#document, { id, isPresent: true });
  }
}

/** Reads the id; undefined if there is none or all copies are damaged. */
export async function readFolderId(files: StoreFiles, directory: string): Promise<FolderId | undefined> {
  for (const path of FOLDER_ID_PATHS) {
    const { id } = await FolderIdCopy.open({ files, directory }, path);
    if (id !== undefined) return id;
  }
  return undefined;
}

/** Opens all copies, in the order in which they count. */
export async function openFolderIdCopies(folder: DataFolder): Promise<readonly FolderIdCopy[]> {
  return await Promise.all(FOLDER_ID_PATHS.map((path) => FolderIdCopy.open(folder, path)));
}

interface FolderIdOptions extends DataFolder {
  /** Last hour of the record; undefined if it holds no events. */
  readonly lastHour: number | undefined;
  /** Called with `FOLDER_ID_RESTORED`, `FOLDER_ID_DIFFERS` or `FOLDER_ID_LOST`. */
  readonly onFault: (fault: Fault) => void;
}

/**
 * Returns the id of a folder, and writes the copies that lack it; what they hold is set aside. Without a valid copy it makes an id that counts
 * from the hour after the last event.
 */
export async function openFolderId(options: FolderIdOptions): Promise<FolderId> {
  const { directory, lastHour, onFault } = options;
  const copies = await openFolderIdCopies(options);
  const valid = copies.find((copy) => copy.id !== undefined);
  const id = valid?.id ?? { id: v4(), fromHour: (lastHour ?? 0) + 1 };
  if (valid === undefined && lastHour !== undefined) onFault(folderIdLost(directory));
  for (const copy of copies) {
    if (isSameId(copy.id, id)) continue;
    // Without events nothing depends on it: the first start ended between the two files.
    const fault = valid !== undefined && lastHour !== undefined ? copyReplaced(directory, copy, valid) : undefined;
    await copy.write(id);
    if (fault !== undefined) onFault(fault);
  }
  return id;
}

/** Whether two copies hold the same id. */
export function isSameId(id: FolderId | undefined, other: FolderId | undefined): boolean {
  return id?.id === other?.id && id?.fromHour === other?.fromHour;
}

function copyReplaced(directory: string, copy: FolderIdCopy, valid: FolderIdCopy): Fault {
  const path = join(directory, copy.path);
  const other = join(directory, valid.path);
  if (copy.id !== undefined) {
    const sentence = `${path} holds another id than ${other}, which counts: the other one was set aside beside it. If event ids that you know are not found any more, stop the collector, and replace both files by the one that was set aside.`;
    return new Fault('FOLDER_ID_DIFFERS', sentence);
  }
  const state = copy.isPresent ? 'damaged' : 'missing';
  const sentence = `${path} was ${state}, and was written again from ${other}. Nothing has to be done.`;
  return new Fault('FOLDER_ID_RESTORED', sentence);
}

function folderIdLost(directory: string): Fault {
  const [file, copy] = FOLDER_ID_PATHS;
  const sentence = `${join(directory, file)} and its copy ${copy} are missing or damaged: events that are stored have other event ids from now on, so that links and gateways do not find them. Issues and counts stay. If there is a backup of one of the files, stop the collector and put it in the place of both. In a folder of a version without these files nothing is lost.`;
  return new Fault('FOLDER_ID_LOST', sentence);
}
