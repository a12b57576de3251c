import { dirname } from 'node:path';
import { crc32c } from '@node-rs/crc32';
import { type Adapter, Low } from 'lowdb';
import type { StoreFiles } from '../../files/store-files.js';
import { hasCode } from '../../files/system-error.js';
import { placeFile } from '../../files/write-durably.js';
import { indexUnusable } from './index-fault.js';

export type DocumentKind = 'manifest' | 'events' | 'cards' | 'states' | 'hours';

/** Increase it whenever the content of a document changes its meaning; an index of another format is rebuilt. */
const INDEX_FORMAT = 12;

const HEADER = /^\{"document":"([a-z]{1,16})","format":(\d{1,9}),"crc32c":(\d{1,10}),"data":/;
const MAX_HEADER_BYTES = 80;

/**
 * lowdb adapter for one document: an atomically replaced file that begins with its kind, format and checksum. `read` returns its JSON, null for a
 * missing file, and throws `INDEX_UNUSABLE` for one that is torn, foreign or of another format.
 */
function documentAdapter(files: StoreFiles, path: string, kind: DocumentKind): Adapter<object | null> {
  return {
    async read() {
      const content = await files.readFile(path).catch((error: unknown) => {
        throw hasCode(error, 'EISDIR') ? indexUnusable(path, 'is a folder') : error;
      });
      if (content === undefined) return null;
      const found = contentOf(content, kind);
      if (found === undefined) throw indexUnusable(path, `is not a "${kind}" document`);
      if (found.format !== INDEX_FORMAT) {
        throw indexUnusable(path, `has format ${found.format}, and this version reads format ${INDEX_FORMAT}`);
      }
      if (found.data === undefined) throw indexUnusable(path, 'does not match its checksum');
      return found.data;
    },
    async write(data) {
      const body = Buffer.from(JSON.stringify(data), 'utf8');
      const header = `{"document":"${kind}","format":${INDEX_FORMAT},"crc32c":${crc32c(body)},"data":`;
      await placeFile(files, path, Buffer.concat([Buffer.from(header, 'latin1'), body, Buffer.from('}')]));
    },
  };
}

/** Splits a document into format and content (undefined if the checksum differs); undefined for another kind of document. */
export function contentOf(
  document: Buffer,
  kind: DocumentKind,
): { format: number; data: Buffer | undefined } | undefined {
  const header = HEADER.exec(document.toString('latin1', 0, MAX_HEADER_BYTES));
  if (header === null || header[1] !== kind) return undefined;
  const data = document.subarray(header[0].length, -1);
  return { format: Number(header[2]), data: crc32c(data) === Number(header[3]) ? data : undefined };
}

/** Throws `INDEX_UNUSABLE`. */
function parseJson(data: Buffer, path: string): unknown {
  try {
    return JSON.parse(data.toString('utf8'));
  } catch (cause) {
    throw indexUnusable(path, 'is not JSON', cause);
  }
}

/** Returns the content of a document, undefined if the file is missing; rejects with `INDEX_UNUSABLE`. */
export async function readDocument(files: StoreFiles, path: string, kind: DocumentKind): Promise<unknown> {
  const data = await load(files, path, kind);
  return data && parseJson(data, path);
}

async function load(files: StoreFiles, path: string, kind: DocumentKind): Promise<Buffer | undefined> {
  const document = new Low(documentAdapter(files, path, kind), null);
  await document.read();
  return document.data instanceof Buffer ? document.data : undefined;
}

/** Writes a document durably into an existing folder; `data` may change once the call has returned its promise. */
export async function writeDocument(files: StoreFiles, path: string, kind: DocumentKind, data: object): Promise<void> {
  await placeDocument(files, path, kind, data);
  await files.syncFolder(dirname(path));
}

/** As `writeDocument`, but its name is durable only once the caller has synced the folder. Encodes `data` before it returns its promise. */
export async function placeDocument(files: StoreFiles, path: string, kind: DocumentKind, data: object): Promise<void> {
  await new Low<object | null>(documentAdapter(files, path, kind), data).write();
}
