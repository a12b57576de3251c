import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { RawPayload } from '../../../event/raw-payload.js';
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

/** Whether an event with these names belongs to the partition. */
export function isIn({ folder, hour }: Partition, names: EventNames): boolean {
  return partitionFolder(names, hour) === folder;
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

/** Lists partitions by hour and folder, skipping other names; `from` and `to` are inclusive hours since the epoch, default all. */
export async function walkPartitions(
  files: StoreFiles,
  directory: string,
  hours: { from?: number; to?: number } = {},
): Promise<Partition[]> {
  const from = formatHour(Math.min(hours.from ?? 0, LAST_HOUR));
  const to = formatHour(Math.min(hours.to ?? LAST_HOUR, LAST_HOUR));
  let folders = [RAW_FOLDER];
  for (let level = 1; level <= NAME_LEVELS + DATE_LEVELS; level += 1) {
    const below = await foldersIn(files, directory, folders);
    folders = level <= NAME_LEVELS ? below : below.filter((folder) => mayHold(dateOf(folder), from, to));
  }
  const folderId = await readFolderId(files, directory);
  return folders
    .map(parsePartitionFolder)
    .filter((parsed) => parsed !== undefined)
    .map((parsed) => partitionAt(parsed, folderId))
    .sort((a, b) => a.hour - b.hour || (a.folder < b.folder ? -1 : 1));
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
