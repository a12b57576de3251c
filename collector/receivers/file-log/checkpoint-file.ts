import { crc32c } from '@node-rs/crc32';
import type { Logger } from 'pino';
import type { StoreFiles } from '../../../core/storage/files/store-files.js';
import { writeFileDurably } from '../../../core/storage/files/write-file-durably.js';
import { type Checkpoint, checkpointText, parseCheckpoint } from './checkpoint.js';

/** Raised when an older version could not go on with what this one writes. */
const FORMAT = 1;
const HEADER = /^\{"file_log_checkpoint":(\d{1,9}),"crc32c":(\d{1,10})\}$/;

/** What was found in place of a checkpoint. */
export type FoundCheckpoint =
  | { readonly kind: 'found'; readonly checkpoint: Checkpoint }
  /** Nothing was ever written. */
  | { readonly kind: 'none' }
  /** It cannot be used, and lies aside now. */
  | { readonly kind: 'set_aside' };

/** The file in which a receiver keeps its checkpoint: a line that says format and checksum, and a line of JSON. */
export class CheckpointFile {
  readonly #files: StoreFiles;
  readonly #path: string;
  readonly #logger: Logger;

  constructor(files: StoreFiles, path: string, logger: Logger) {
    this.#files = files;
    this.#path = path;
    this.#logger = logger;
  }

  /** Reads it at the start; one that is damaged or of a newer version is renamed, with a warning. Throws what the disk does. */
  async read(nowMs: number): Promise<FoundCheckpoint> {
    const content = await this.#files.readFile(this.#path);
    if (content === undefined) return { kind: 'none' };
    const checkpoint = parseContent(content);
    if (typeof checkpoint === 'object') return { kind: 'found', checkpoint };
    const aside = `${this.#path}.unusable-${nowMs}`;
    await this.#files.rename(this.#path, aside);
    this.#logger.warn(
      { path: this.#path, set_aside_as: aside, reason: checkpoint },
      'the checkpoint of the followed files cannot be used: they are read from their beginnings, and failures that are stored already may be stored again',
    );
    return { kind: 'set_aside' };
  }

  /** Replaces it so that after a crash it is the old one or the new one; calls must not overlap. Throws what the disk does. */
  write(checkpoint: Checkpoint): Promise<void> {
    const body = Buffer.from(checkpointText(checkpoint), 'utf8');
    const header = Buffer.from(`{"file_log_checkpoint":${FORMAT},"crc32c":${crc32c(body)}}\n`, 'latin1');
    return writeFileDurably(this.#files, this.#path, Buffer.concat([header, body, Buffer.from('\n', 'latin1')]));
  }
}

/** The checkpoint, or why there is none in it. */
function parseContent(content: Buffer): Checkpoint | string {
  const end = content.indexOf('\n');
  const [, format, checksum] = HEADER.exec(content.toString('latin1', 0, Math.min(Math.max(end, 0), 100))) ?? [];
  if (format === undefined) return 'it is no checkpoint';
  if (Number(format) !== FORMAT) return `it has format ${format}, and this version reads format ${FORMAT}`;
  const body = content.subarray(end + 1, -1);
  if (crc32c(body) !== Number(checksum)) return 'it does not match its checksum';
  return parseCheckpoint(body.toString('utf8')) ?? 'its content is not that of a checkpoint';
}
