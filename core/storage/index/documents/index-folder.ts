import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { StoreFiles } from '../../files/store-files.js';

const SEGMENTS_PER_FOLDER = 1000;
const GENERATION = /^[0-9a-f]{8}$/;
const SEGMENT_FILE = /^(\d{1,10})-(\d{1,16})\.json$/;

/** A sealed segment that lies on disk; its name says where in time it begins, so that no list of all segments is ever written. */
export interface SegmentFile {
  readonly number: number;
  readonly firstReceivedAtMicros: number;
}

/** A name for a new generation: never used before in this folder, so that a reader of an older one cannot take its files for its own. */
export function newGeneration(): string {
  return randomUUID().slice(0, 8);
}

/** Whether a name is that of a generation. */
export function isGeneration(name: string): boolean {
  return GENERATION.test(name);
}

/** Folder of everything derived. */
export function indexFolder(root: string): string {
  return join(root, 'index');
}

/** The manifest of the generation that is shown. */
export function manifestPath(root: string): string {
  return join(indexFolder(root), 'manifest.json');
}

/** Folder of the documents that one manifest after the other names. */
export function generationFolder(root: string, generation: string): string {
  return join(indexFolder(root), generation);
}

/** The manifest of a generation that is not shown: one that is being made, or one that is kept. */
export function generationManifestPath(root: string, generation: string): string {
  return join(generationFolder(root, generation), 'manifest.json');
}

/** All generations of a folder that lie on disk, in no order. */
export async function listGenerations(files: StoreFiles, root: string): Promise<string[]> {
  const entries = await files.list(indexFolder(root));
  return entries.filter(({ name, kind }) => kind === 'folder' && isGeneration(name)).map(({ name }) => name);
}

export function segmentPath(folder: string, segment: SegmentFile): string {
  return join(folder, 'events', thousandOf(segment), nameOf(segment));
}

function thousandOf({ number }: SegmentFile): string {
  return String(Math.floor(number / SEGMENTS_PER_FOLDER));
}

function nameOf({ number, firstReceivedAtMicros }: SegmentFile): string {
  return `${number}-${firstReceivedAtMicros}.json`;
}

/** Cards of a block that is full, which are written once. */
export function fullCardsPath(folder: string, block: number): string {
  return join(folder, 'cards', `${block}.json`);
}

/** Cards of the last block while it fills, as of a checkpoint. */
export function openCardsPath(folder: string, block: number, checkpoint: number): string {
  return join(folder, 'cards', `${block}-${checkpoint}.json`);
}

/** States of a shard as of a checkpoint. */
export function statesPath(folder: string, shard: number, checkpoint: number): string {
  return join(folder, 'states', `${shard}-${checkpoint}.json`);
}

/** All segments of a generation that lie on disk, in no order. */
export async function listSegments(files: StoreFiles, folder: string): Promise<SegmentFile[]> {
  const eventsFolder = join(folder, 'events');
  const found: SegmentFile[] = [];
  for (const thousand of await files.list(eventsFolder)) {
    for (const { name, kind } of await files.list(join(eventsFolder, thousand.name))) {
      const [, number, firstReceivedAt] = SEGMENT_FILE.exec(name) ?? [];
      if (number === undefined || firstReceivedAt === undefined || kind !== 'file') continue;
      const segment = { number: Number(number), firstReceivedAtMicros: Number(firstReceivedAt) };
      if (thousand.name === thousandOf(segment) && name === nameOf(segment)) found.push(segment);
    }
  }
  return found;
}
