import { join } from 'node:path';
import type { Low } from 'lowdb';
import { Fault } from '../../event/fault.js';
import { isJsonObject, type JsonValue, parseJson } from '../../event/json.js';
import { createDocument, type DocumentFormat } from '../files/durable-document.js';
import type { DataFolder } from '../files/store-files.js';
import { makeFolderDurably } from '../files/write-durably.js';
import { checksumOf } from '../record/commits/commit-record.js';
import { encodePartitionName } from '../record/partitions/partition-name.js';
import { CURSORS_FOLDER } from './cursor-file.js';

interface NoteFileOptions extends DataFolder {
  readonly name: string;
  /** Called for a note that is torn or foreign. */
  readonly onFault: (fault: Error) => void;
}

/** What the file of a note says. */
interface NoteData {
  /** JSON text without line breaks; undefined if there is none, or none that is usable. */
  readonly json: string | undefined;
  /** Whether the file is torn, or the note of another name. */
  readonly isDamaged: boolean;
}

const NO_NOTE: NoteData = { json: undefined, isDamaged: false };
const DAMAGED_NOTE: NoteData = { json: undefined, isDamaged: true };

/** A small JSON document that a follower stores in the data folder. */
export interface StoreNote {
  /** The last content; undefined if none is usable (`NOTE_UNUSABLE`, reported). Rejects with the system's error. */
  read(): Promise<JsonValue | undefined>;
  /** Durably replaces the content by JSON text without line breaks. Calls must not overlap. Rejects with the system's error. */
  write(json: string): Promise<void>;
}

/** The note `<root>/cursors/<name, percent-encoded>.note`. */
export class NoteFile implements StoreNote {
  readonly #options: NoteFileOptions;
  readonly #folder: string;
  readonly #path: string;
  readonly #document: Low<NoteData>;

  /** Does not open it yet. */
  constructor(options: NoteFileOptions) {
    const { files, directory, name } = options;
    this.#options = options;
    this.#folder = join(directory, CURSORS_FOLDER);
    this.#path = join(this.#folder, `${encodePartitionName(name)}.note`);
    const format = noteFormat(name);
    this.#document = createDocument({ files, path: this.#path, format, defaults: NO_NOTE, setsFolderAside: true });
  }

  async read(): Promise<JsonValue | undefined> {
    await this.#document.read();
    const { json, isDamaged } = this.#document.data;
    if (isDamaged) this.#options.onFault(unusable(this.#path));
    return json === undefined ? undefined : parseJson(json);
  }

  async write(json: string): Promise<void> {
    await makeFolderDurably(this.#options.files, this.#folder);
    this.#document.data = { json, isDamaged: false };
    await this.#document.write();
  }
}

const VERSION = 1;

/** The first line identifies the note, the second is its content. */
function noteFormat(name: string): DocumentFormat<NoteData> {
  return {
    encode({ json = '' }) {
      const head = JSON.stringify({ version: VERSION, name, crc32c: checksumOf(json) });
      return `${head}\n${json}\n`;
    },
    decode(content) {
      const [headText = '', json = ''] = content.toString('utf8').split('\n');
      const head = parseJson(headText);
      if (!isJsonObject(head) || head['version'] !== VERSION || head['name'] !== name) return DAMAGED_NOTE;
      const isWhole = head['crc32c'] === checksumOf(json) && parseJson(json) !== undefined;
      return isWhole ? { json, isDamaged: false } : DAMAGED_NOTE;
    },
  };
}

function unusable(path: string): Fault {
  return new Fault(
    'NOTE_UNUSABLE',
    `${path} is torn, a folder, or belongs to another exporter: its unsent changes are lost, and it continues with later ones. Check the list of issues for what it missed.`,
  );
}
