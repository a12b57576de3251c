import { crc32c } from '@node-rs/crc32';
import type { Logger } from 'pino';
import { nodeFiles } from '../../../core/storage/files/node-files.js';
import { writeFileDurably } from '../../../core/storage/files/write-durably.js';
import type { PendingRecord } from './file-record.js';
import type { ContentMark } from './seen-content.js';

/** How far one file was read, as it is written. */
export interface FileCheckpoint {
  /** Identity of the file and its content: device, inode, and a random part that changes when the file is emptied. */
  readonly file: string;
  readonly device: string;
  readonly inode: string;
  /** Birth time of the inode, nanoseconds since the epoch; empty if unknown. */
  readonly born: string;
  /** Absolute path under which it was read last. */
  readonly path: string;
  /** All lines before this byte are processed. */
  readonly offset: number;
  readonly mark: ContentMark;
  /** Milliseconds since the epoch. */
  readonly seen_at_ms: number;
}

/** State for a restart: the offset of each file, and the records that may not have been stored. */
export interface Checkpoint {
  readonly files: readonly FileCheckpoint[];
  /** Records that were about to be forwarded; the offsets are after them. */
  readonly pending: readonly PendingRecord[];
}

/** Raised if an older version cannot read what this one writes; format and checksum are the only checks of the content. */
const FORMAT = 1;
const HEADER = /^\{"file_log_checkpoint":(\d{1,9}),"crc32c":(\d{1,10})\}$/;

/** The state without a checkpoint. */
export const NO_CHECKPOINT: Checkpoint = { files: [], pending: [] };

/** The checkpoint on disk: a line with format and checksum, and a line of JSON. */
export class CheckpointFile {
  readonly #path: string;
  readonly #logger: Logger;

  constructor(path: string, logger: Logger) {
    this.#path = path;
    this.#logger = logger;
  }

  /** Loads the checkpoint; undefined without a file. A damaged or newer one is renamed, with a warning, and counts as empty. Throws disk errors. */
  async load(nowMs: number): Promise<Checkpoint | undefined> {
    const content = await nodeFiles.readFile(this.#path);
    if (content === undefined) return undefined;
    const checkpoint = parseContent(content);
    if (typeof checkpoint === 'object') return checkpoint;
    const aside = `${this.#path}.unusable-${nowMs}`;
    await nodeFiles.rename(this.#path, aside);
    this.#logger.warn({ path: this.#path, set_aside_as: aside, reason: checkpoint }, UNUSABLE);
    return NO_CHECKPOINT;
  }

  /** Replaces the file atomically; calls must not overlap. Throws disk errors. */
  async write({ files, pending }: Checkpoint): Promise<void> {
    const body = Buffer.from(JSON.stringify({ files, pending }), 'utf8');
    const header = Buffer.from(`{"file_log_checkpoint":${FORMAT},"crc32c":${crc32c(body)}}\n`, 'latin1');
    await writeFileDurably(nodeFiles, this.#path, Buffer.concat([header, body, Buffer.from('\n', 'latin1')]));
  }
}

const UNUSABLE =
  'the checkpoint of the followed files cannot be used: they are read from their beginnings, and failures that are stored already may be stored again';

/** Returns the checkpoint, or the reason why it is unusable. */
function parseContent(content: Buffer): Checkpoint | string {
  const end = content.indexOf('\n');
  const [, format, checksum] = HEADER.exec(content.toString('latin1', 0, Math.min(Math.max(end, 0), 100))) ?? [];
  if (format === undefined) return 'it is not a checkpoint';
  if (Number(format) !== FORMAT) return `it has format ${format}, and this version reads format ${FORMAT}`;
  const body = content.subarray(end + 1, -1);
  if (crc32c(body) !== Number(checksum)) return 'it does not match its checksum';
  return JSON.parse(body.toString('utf8'));
}
