import { crc32c } from '@node-rs/crc32';
import { type Adapter, Low } from 'lowdb';
import type { StoreFiles } from '../../files/store-files.js';
import { hasCode } from '../../files/system-error.js';
import { writeFileDurably } from '../../files/write-file-durably.js';
import { indexUnusable } from './index-fault.js';

/** What a document of the index holds. */
export type DocumentKind = 'manifest' | 'events' | 'cards' | 'states';

/** Raised whenever a document's content changes its meaning: an index of another format is rebuilt. */
const INDEX_FORMAT = 6;

const HEADER = /^\{"document":"([a-z]{1,16})","format":(\d{1,9}),"crc32c":(\d{1,10}),"data":/;
const MAX_HEADER_BYTES = 80;

/**
 * How lowdb reads and writes one document: a whole file that is replaced durably, with its kind, format and a checksum of its content in front.
 * A missing file reads as null; one that is torn, foreign or of another format throws `INDEX_UNUSABLE`.
 */
class DocumentAdapter<Content> implements Adapter<Content> {
  bytesWritten = 0;
  readonly #files: StoreFiles;
  readonly #path: string;
  readonly #kind: DocumentKind;
  readonly #parse: (data: Buffer, path: string) => Content;

  constructor(files: StoreFiles, path: string, kind: DocumentKind, parse: (data: Buffer, path: string) => Content) {
    this.#files = files;
    this.#path = path;
    this.#kind = kind;
    this.#parse = parse;
  }

  async read(): Promise<Content | null> {
    const content = await this.#files.readFile(this.#path).catch((error: unknown) => {
      throw hasCode(error, 'EISDIR') ? indexUnusable(this.#path, 'is a folder') : error;
    });
    if (content === undefined) return null;
    const found = contentOf(content, this.#kind);
    if (found === undefined) throw indexUnusable(this.#path, `is no "${this.#kind}" document`);
    if (found.format !== INDEX_FORMAT) {
      throw indexUnusable(this.#path, `has format ${found.format}, and this version reads format ${INDEX_FORMAT}`);
    }
    if (found.data === undefined) throw indexUnusable(this.#path, 'does not match its checksum');
    return this.#parse(found.data, this.#path);
  }

  async write(data: Content): Promise<void> {
    const body = Buffer.from(jsonOf(data), 'utf8');
    const header = `{"document":"${this.#kind}","format":${INDEX_FORMAT},"crc32c":${crc32c(body)},"data":`;
    const content = Buffer.concat([Buffer.from(header, 'latin1'), body, Buffer.from('}', 'latin1')]);
    await writeFileDurably(this.#files, this.#path, content);
    this.bytesWritten = content.length;
  }
}

/** The format of a document, and its content where that matches the checksum; undefined for what is no document of this kind. */
export function contentOf(
  document: Buffer,
  kind: DocumentKind,
): { format: number; data: Buffer | undefined } | undefined {
  const header = HEADER.exec(document.toString('latin1', 0, MAX_HEADER_BYTES));
  if (header === null || header[1] !== kind) return undefined;
  const data = document.subarray(header[0].length, -1);
  return { format: Number(header[2]), data: crc32c(data) === Number(header[3]) ? data : undefined };
}

function jsonOf(data: unknown): string {
  return Array.isArray(data) ? `[${data.map((part) => JSON.stringify(part)).join('\n,')}]` : JSON.stringify(data);
}

function parseJson(data: Buffer, path: string): unknown {
  try {
    return JSON.parse(data.toString('utf8'));
  } catch (cause) {
    throw indexUnusable(path, 'is not JSON', cause);
  }
}

/** Two parts are two members of a list, each on a line of its own: JSON texts hold no bare line feed. */
function parseParts(data: Buffer, path: string): DocumentParts {
  const end = data.indexOf('\n');
  if (end < 0) throw indexUnusable(path, 'is not in two parts');
  return { head: parseJson(data.subarray(1, end), path), tail: Buffer.from(data.subarray(end + 2, -1)) };
}

/** A document of two parts, of which the second is not parsed yet. */
export interface DocumentParts {
  readonly head: unknown;
  /** JSON. */
  readonly tail: Buffer;
}

/** The content of a document, undefined when there is none; throws `INDEX_UNUSABLE`. */
export async function readDocument(files: StoreFiles, path: string, kind: DocumentKind): Promise<unknown> {
  const document = new Low<unknown>(new DocumentAdapter(files, path, kind, parseJson), null);
  await document.read();
  return document.data ?? undefined;
}

/** The same of a document that was written as a list of two; its whole content is checked against the checksum. */
export async function readDocumentParts(
  files: StoreFiles,
  path: string,
  kind: DocumentKind,
): Promise<DocumentParts | undefined> {
  const document = new Low<DocumentParts | null>(
    new DocumentAdapter<DocumentParts | null>(files, path, kind, parseParts),
    null,
  );
  await document.read();
  return document.data ?? undefined;
}

/** Writes a document durably and answers its bytes; its folder must exist. The content is taken before the call returns. */
export async function writeDocument(
  files: StoreFiles,
  path: string,
  kind: DocumentKind,
  data: object,
): Promise<number> {
  const adapter = new DocumentAdapter<unknown>(files, path, kind, parseJson);
  await new Low<unknown>(adapter, data).write();
  return adapter.bytesWritten;
}
