import { crc32c } from '@node-rs/crc32';
import { parseWellFormed } from '../../../event/json.js';
import type { StoreFiles } from '../../files/store-files.js';
import { hasCode } from '../../files/system-error.js';
import { placeFile } from '../../files/write-durably.js';
import { indexUnusable } from './index-fault.js';

export type DocumentKind = 'manifest' | 'events' | 'cards' | 'states' | 'hours';

/** Increase it whenever the content of a document changes its meaning; an index of another format is rebuilt. */
const INDEX_FORMAT = 13;

const HEADER = /^\{"document":"([a-z]{1,16})","format":(\d{1,9}),"crc32c":(\d{1,10}),"data":/;
const MAX_HEADER_BYTES = 80;

/** A document as its file: JSON behind a header with its kind, its format and the checksum of the JSON. */
export function encodeDocument(kind: DocumentKind, data: object): Buffer {
  const body = Buffer.from(JSON.stringify(data), 'utf8');
  const header = `{"document":"${kind}","format":${INDEX_FORMAT},"crc32c":${crc32c(body)},"data":`;
  return Buffer.concat([Buffer.from(header, 'latin1'), body, Buffer.from('}')]);
}

/** The data of `encodeDocument`. Throws `INDEX_UNUSABLE` for a document that is torn, foreign or of another format. */
export function decodeDocument(content: Buffer, path: string, kind: DocumentKind): unknown {
  const document = contentOf(content, kind);
  if (document === undefined) throw indexUnusable(path, `is not a "${kind}" document`);
  if (document.format !== INDEX_FORMAT) {
    throw indexUnusable(path, `has format ${document.format}, and this version reads format ${INDEX_FORMAT}`);
  }
  if (document.data === undefined) throw indexUnusable(path, 'does not match its checksum');
  try {
    return parseWellFormed(document.data.toString('utf8')).value;
  } catch (cause) {
    throw indexUnusable(path, 'is not JSON', cause);
  }
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

/** Reads a document of the index; undefined if the file is missing. Rejects with `INDEX_UNUSABLE` or the system's error. */
export async function readDocument(files: StoreFiles, path: string, kind: DocumentKind): Promise<unknown> {
  const content = await files.readFile(path).catch((error: unknown) => {
    throw hasCode(error, 'EISDIR') ? indexUnusable(path, 'is a folder') : error;
  });
  return content && decodeDocument(content, path, kind);
}

/** Replaces a document in an existing folder; its name is durable once the caller has synced the folder. Encodes `data` before it returns its promise. */
export async function placeDocument(files: StoreFiles, path: string, kind: DocumentKind, data: object): Promise<void> {
  await placeFile(files, path, encodeDocument(kind, data));
}
