import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { StoreFiles } from '../../files/store-files.js';

const SEGMENTS_PER_FOLDER = 1000;
const GENERATION = /^[0-9a-f]{8}$/;
const SEGMENT_FILE = /^(\d{1,10})-(\d{1,16})(?:-(\d{1,16}))?\.json$/;

/** A sealed segment on disk. Its name holds the instants, so that a list of all segments is not needed. */
export interface SegmentFile {
  readonly number: number;
  readonly firstReceivedAtMicros: number;
  /** As of `EventSegment`; infinite, and not in the name, without reports. */
  readonly reachesBackTo: number;
}

/** Never used before in this folder, so that a reader of an older generation cannot mistake its files. */
export function newGeneration(): string {
  return randomUUID().slice(0, 8);
}

export function isGeneration(name: string): boolean {
  return GENERATION.test(name);
}

export function indexFolder(root: string): string {
  return join(root, 'index');
}

/** Path of the active generation's manifest. */
export function manifestPath(root: string): string {
  return join(indexFolder(root), 'manifest.json');
}

export function generationFolder(root: string, generation: string): string {
  return join(indexFolder(root), generation);
}

/** Path of the manifest of a generation that is not active. */
export function generationManifestPath(root: string, generation: string): string {
  return join(generationFolder(root, generation), 'manifest.json');
}

/** Names of all generations on disk, unordered. */
export async function listGenerations(files: StoreFiles, root: string): Promise<string[]> {
  const entries = await files.list(indexFolder(root));
  return entries.filter(({ name, kind }) => kind === 'folder' && isGeneration(name)).map(({ name }) => name);
}

export function segmentPath(folder: string, { number, firstReceivedAtMicros, reachesBackTo }: SegmentFile): string {
  const thousand = String(Math.floor(number / SEGMENTS_PER_FOLDER));
  const reports = Number.isFinite(reachesBackTo) ? `-${reachesBackTo}` : '';
  return join(folder, 'events', thousand, `${number}-${firstReceivedAtMicros}${reports}.json`);
}

/** Path of the headers of a block; a full one is written once, the last one as of a checkpoint. */
export function blockPath(folder: string, block: number, checkpoint?: number): string {
  return join(folder, 'cards', checkpoint === undefined ? `${block}.json` : `${block}-${checkpoint}.json`);
}

/** Path of the states of a shard, as of a checkpoint. */
export function statesPath(folder: string, shard: number, checkpoint: number): string {
  return join(folder, 'states', `${shard}-${checkpoint}.json`);
}

/** All segments of a generation on disk, unordered. */
export async function listSegments(files: StoreFiles, folder: string): Promise<SegmentFile[]> {
  const eventsFolder = join(folder, 'events');
  const segments: SegmentFile[] = [];
  for (const thousand of await files.list(eventsFolder)) {
    for (const { name, kind } of await files.list(join(eventsFolder, thousand.name))) {
      const [, number, firstReceivedAt, reachesBackTo] = SEGMENT_FILE.exec(name) ?? [];
      if (number === undefined || firstReceivedAt === undefined || kind !== 'file') continue;
      const segment = {
        number: Number(number),
        firstReceivedAtMicros: Number(firstReceivedAt),
        reachesBackTo: reachesBackTo === undefined ? Number.POSITIVE_INFINITY : Number(reachesBackTo),
      };
      if (join(eventsFolder, thousand.name, name) === segmentPath(folder, segment)) segments.push(segment);
    }
  }
  return segments;
}
