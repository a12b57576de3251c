import { crc32c } from '@node-rs/crc32';
import type { Logger } from 'pino';
import type { StoreFiles } from '../../../core/storage/files/store-files.js';
import { writeFileDurably } from '../../../core/storage/files/write-durably.js';
import { type Checkpoint, encodeCheckpoint, parseCheckpoint } from './checkpoint.js';

/** Raised if an older version cannot read what this one writes. */
const FORMAT = 1;
const HEADER = /^\{"file_log_checkpoint":(\d{1,9}),"crc32c":(\d{1,10})\}$/;

type FoundCheckpoint =
  | { readonly kind: 'found'; readonly checkpoint: Checkpoint }
  /** The file does not exist. */
  | { readonly kind: 'none' }
  /** The file was unusable and has been renamed. */
  | { readonly kind: 'set_aside' };

/** The checkpoint on disk: a line with format and checksum, and a line of JSON. */
export class CheckpointFile {
  readonly #files: StoreFiles;
  readonly #path: string;
  readonly #logger: Logger;

  constructor(files: StoreFiles, path: string, logger: Logger) {
    this.#files = files;
    this.#path = path;
    this.#logger = logger;
  }

  /** Loads the checkpoint; a damaged or newer one is renamed, with a warning. Throws disk errors. */
  async load(nowMs: number): Promise<FoundCheckpoint> {
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

  /** Replaces the file atomically; calls must not overlap. Throws disk errors. */
  write(checkpoint: Checkpoint): Promise<void> {
    const body = Buffer.from(encodeCheckpoint(checkpoint), 'utf8');
    const header = Buffer.from(`{"file_log_checkpoint":${FORMAT},"crc32c":${crc32c(body)}}\n`, 'latin1');
    return writeFileDurably(this.#files, this.#path, Buffer.concat([header, body, Buffer.from('\n', 'latin1')]));
  }
}

/** Returns the checkpoint, or the reason why it is unusable. */
function parseContent(content: Buffer): Checkpoint | string {
  const end = content.indexOf('\n');
  const [, format, checksum] = HEADER.exec(content.toString('latin1', 0, Math.min(Math.max(end, 0), 100))) ?? [];
  if (format === undefined) return 'it is not a checkpoint';
  if (Number(format) !== FORMAT) return `it has format ${format}, and this version reads format ${FORMAT}`;
  const body = content.subarray(end + 1, -1);
  if (crc32c(body) !== Number(checksum)) return 'it does not match its checksum';
  return parseCheckpoint(body.toString('utf8')) ?? 'its content is not that of a checkpoint';
}
