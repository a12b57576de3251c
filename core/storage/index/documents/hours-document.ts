import { join } from 'node:path';
import type { Low } from 'lowdb';
import { type DocumentFormat, openDocument } from '../../files/durable-document.js';
import type { StoreFiles } from '../../files/store-files.js';
import type { MeasuredHour } from '../../record/hour-sizes.js';
import { decodeDocument, encodeDocument } from './checked-document.js';
import { DocumentFields } from './document-fields.js';
import { unlessUnusable } from './index-fault.js';
import { indexFolder } from './index-folder.js';

/** The hours of the record in which nothing is stored any more, as the index keeps them. */
export interface ClosedHours {
  /** All hours before this one, in hours since the epoch. */
  readonly beforeHour: number;
  readonly hours: readonly MeasuredHour[];
}

/** Says nothing of any hour. */
export const NO_CLOSED_HOURS: ClosedHours = { beforeHour: 0, hours: [] };

/**
 * Opens the document of the closed hours, in the folder of the index. A missing or unusable one says nothing: the record is measured again.
 * Rejects with the system's error.
 */
export function openClosedHours(files: StoreFiles, root: string): Promise<Low<ClosedHours>> {
  const path = join(indexFolder(root), 'hours.json');
  const format: DocumentFormat<ClosedHours> = {
    encode: (closed) => encodeDocument('hours', fieldsOf(closed)),
    decode: (content) => unlessUnusable(async () => parseHours(content, path), NO_CLOSED_HOURS),
  };
  return openDocument({ files, path, format, defaults: NO_CLOSED_HOURS });
}

function fieldsOf({ beforeHour, hours }: ClosedHours): object {
  return {
    before_hour: beforeHour,
    hours: hours.map(({ hour }) => hour),
    partitions: hours.map(({ partitions }) => partitions),
    raw_bytes: hours.map(({ rawBytes }) => rawBytes),
    commit_bytes: hours.map(({ commitBytes }) => commitBytes),
  };
}

/** Throws `INDEX_UNUSABLE`. */
function parseHours(content: Buffer, path: string): ClosedHours {
  const fields = new DocumentFields(path, decodeDocument(content, path, 'hours'));
  const hours = fields.integers('hours');
  const partitions = fields.integers('partitions', hours.length);
  const rawBytes = fields.integers('raw_bytes', hours.length);
  const commitBytes = fields.integers('commit_bytes', hours.length);
  return {
    beforeHour: fields.count('before_hour'),
    hours: hours.map((hour, index) => ({
      hour,
      partitions: partitions[index] ?? 0,
      rawBytes: rawBytes[index] ?? 0,
      commitBytes: commitBytes[index] ?? 0,
    })),
  };
}
