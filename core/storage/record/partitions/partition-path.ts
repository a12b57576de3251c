import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { RawPayload } from '../../../event/raw-payload.js';
import { beginTimeSlice } from '../../../time-slice.js';
import type { StoreFiles } from '../../files/store-files.js';
import { type FolderId, readFolderId } from './folder-id.js';
import { encodePartitionName } from './partition-name.js';

const NAME_LEVELS = 3;
const DATE_LEVELS = 4;

/** Raw payloads of a partition, one per line. */
export const RAW_FILE = 'raw.ndjson';
/** Commit records of a partition, one per line. */
export const COMMITS_FILE = 'commits.ndjson';
/** Folder of all partitions, in the data folder. */
export const RAW_FOLDER = 'raw';

const MS_PER_HOUR = 3_600_000;
/** The last hour that a folder name can hold. */
const LAST_HOUR = Date.UTC(9999, 11, 31, 23) / MS_PER_HOUR;
const DATE_PARTS = /^(\d{4})\/(\d\d)\/(\d\d)\/(\d\d)$/;

function partitionAt({ folder, hour }: PartitionFolder, folderId: FolderId | undefined): Partition {
  const hashed = folderId !== undefined && hour >= folderId.fromHour ? `${folderId.id}/${folder}` : folder;
  return { folder, hour, hash: Number.parseInt(hash('sha256', hashed, 'hex').slice(0, 8), 16) };
}

/** Formats an hour as `YYYY/MM/DD/HH`, UTC. */
export function formatHour(hour: number): string {
  return new Date(hour * MS_PER_HOUR).toISOString().slice(0, 13).replace(/[-T]/g, '/');
}

type EventNames = Pick<RawPayload, 'env' | 'service' | 'app'>;

/** `Partition.folder` of an hour and of names as the sender wrote them. */
export function partitionFolder({ env, service, app }: EventNames, hour: number): string {
  return `${RAW_FOLDER}/${[env, service, app].map(encodePartitionName).join('/')}/${formatHour(hour)}`;
}

/** The partition of an hour and of names; `folderId` is that of the data folder. */
export function partitionOf(names: EventNames, hour: number, folderId?: FolderId): Partition {
  return partitionAt({ folder: partitionFolder(names, hour), hour }, folderId);
}

/** Half of a surrogate pair in a folder name; earlier versions wrote them. */
const HALF = /%ED%[AB][\dA-F]%[89AB][\dA-F]/g;

/** Whether an event with these names, as they are read, belongs to the partition. */
export function isIn({ folder, hour }: PartitionFolder, names: EventNames): boolean {
  return partitionFolder(names, hour) === folder.replace(HALF, encodePartitionName('\ufffd'));
}

/** Parses `Partition.folder`; undefined if it is not `raw/…/…/…/YYYY/MM/DD/HH`. */
export function parsePartitionFolder(folder: string): PartitionFolder | undefined {
  const parts = folder.split('/');
  if (parts.length !== 8 || parts[0] !== RAW_FOLDER || parts.includes('')) return undefined;
  const date = parts.slice(4).join('/');
  const match = DATE_PARTS.exec(date);
  if (match === null) return undefined;
  const [, year, month, day, hourOfDay] = match;
  const hour = Date.parse(`${year}-${month}-${day}T${hourOfDay}:00:00Z`) / MS_PER_HOUR;
  return Number.isInteger(hour) && formatHour(hour) === date ? { folder, hour } : undefined;
}

/** One hour of one environment, service and app: a folder with `raw.ndjson` and `commits.ndjson`. */
export interface PartitionFolder {
  /** Relative to the data folder: `raw/<environment>/<service>/<app>/<YYYY>/<MM>/<DD>/<HH>`. */
  readonly folder: string;
  /** Hours since the epoch, UTC. */
  readonly hour: number;
}

/** A partition as event ids name it. */
export interface Partition extends PartitionFolder {
  /** First 32 bits of the SHA-256 of the folder id, a slash and `folder`; of `folder` alone in hours before `FolderId.fromHour`. */
  readonly hash: number;
}

/** Inclusive hours since the epoch; default: all. */
export interface HourRange {
  readonly from?: number;
  readonly to?: number;
}

/** Lists partitions by hour and folder, skipping other names. */
export async function walkPartitions(
  files: StoreFiles,
  directory: string,
  hours: HourRange = {},
): Promise<Partition[]> {
  const partitions: Partition[] = [];
  for await (const ofName of walkNames(files, directory, hours)) partitions.push(...ofName.partitions);
  return partitions.sort((a, b) => a.hour - b.hour || (a.folder < b.folder ? -1 : 1));
}

/** A folder of an environment, service and app, or one above it that is empty, and its partitions in some hours. */
export interface NameFolder {
  /** Relative to the data folder. */
  readonly folder: string;
  readonly partitions: readonly Partition[];
}

/** Lists the partitions of some hours name by name, so that those of a whole record need not be in memory. Yields to the event loop. */
export async function* walkNames(
  files: StoreFiles,
  directory: string,
  hours: HourRange = {},
): AsyncGenerator<NameFolder> {
  const range = {
    from: formatHour(Math.min(hours.from ?? 0, LAST_HOUR)),
    to: formatHour(Math.min(hours.to ?? LAST_HOUR, LAST_HOUR)),
  };
  const folderId = await readFolderId(files, directory);
  const slice = beginTimeSlice();
  for await (const folder of nameFolders(files, directory, RAW_FOLDER, NAME_LEVELS)) {
    const partitions: Partition[] = [];
    for (const hourFolder of await hourFolders(files, directory, folder, range)) {
      const parsed = parsePartitionFolder(hourFolder);
      if (parsed !== undefined) partitions.push(partitionAt(parsed, folderId));
    }
    yield { folder, partitions };
    if (slice.isOver) await slice.next();
  }
}

/** The folders `levels` below a folder, and those on the way that have no folders. */
async function* nameFolders(
  files: StoreFiles,
  directory: string,
  folder: string,
  levels: number,
): AsyncGenerator<string> {
  // An environment may have very many services.
  const isLarge = levels > 1;
  const below = isLarge ? await foldersIn(files, directory, [folder]) : await foldersNow(files, directory, folder);
  if (below.length === 0 && levels < NAME_LEVELS) yield folder;
  for (const child of below) {
    if (levels === 1) yield child;
    else yield* nameFolders(files, directory, child, levels - 1);
  }
}

/** The folders of hours within a range, below the folder of a name. */
async function hourFolders(
  files: StoreFiles,
  directory: string,
  name: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<string[]> {
  if (from === to) {
    const folder = `${name}/${from}`;
    return (await files.statNow(join(directory, folder)))?.kind === 'folder' ? [folder] : [];
  }
  let folders = [name];
  for (let level = 1; level <= DATE_LEVELS; level += 1) {
    const below: string[] = [];
    for (const folder of folders) below.push(...(await foldersNow(files, directory, folder)));
    folders = below.filter((folder) => mayHold(dateOf(folder), from, to));
  }
  return folders;
}

/** The folders within a small folder, relative to `directory`. */
async function foldersNow(files: StoreFiles, directory: string, folder: string): Promise<string[]> {
  const below: string[] = [];
  for (const entry of await files.listNow(join(directory, folder))) {
    if (entry.kind === 'folder') below.push(`${folder}/${entry.name}`);
  }
  return below;
}

/** The folders within some folders, all relative to `directory`. */
export async function foldersIn(files: StoreFiles, directory: string, folders: readonly string[]): Promise<string[]> {
  const below: string[] = [];
  for (const folder of folders) {
    for (const entry of await files.list(join(directory, folder))) {
      if (entry.kind === 'folder') below.push(`${folder}/${entry.name}`);
    }
  }
  return below;
}

/** The date within a folder, as far as it goes: `YYYY`, `YYYY/MM`, … */
function dateOf(folder: string): string {
  return folder
    .split('/')
    .slice(1 + NAME_LEVELS)
    .join('/');
}

function mayHold(date: string, from: string, to: string): boolean {
  return date >= from.slice(0, date.length) && date <= to.slice(0, date.length);
}
