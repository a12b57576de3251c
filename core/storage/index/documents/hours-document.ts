import { join } from 'node:path';
import type { StoreFiles } from '../../files/store-files.js';
import type { MeasuredHour } from '../../record/hour-sizes.js';
import { readDocument, writeDocument } from './document-adapter.js';
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

function hoursPath(root: string): string {
  return join(indexFolder(root), 'hours.json');
}

/** Reads the closed hours; a missing or unusable document says nothing: the record is measured again. */
export async function readClosedHours(files: StoreFiles, root: string): Promise<ClosedHours> {
  const path = hoursPath(root);
  const read = async (): Promise<ClosedHours> => {
    const data = await readDocument(files, path, 'hours');
    if (data === undefined) return NO_CLOSED_HOURS;
    const fields = new DocumentFields(path, data);
    const hours = fields.integers('hours');
    const partitions = fields.integers('partitions', hours.length);
    const rawBytes = fields.times('raw_bytes', hours.length);
    const commitBytes = fields.times('commit_bytes', hours.length);
    return {
      beforeHour: fields.count('before_hour'),
      hours: hours.map((hour, index) => ({
        hour,
        partitions: partitions[index] ?? 0,
        rawBytes: rawBytes[index] ?? 0,
        commitBytes: commitBytes[index] ?? 0,
      })),
    };
  };
  return await unlessUnusable(read, NO_CLOSED_HOURS);
}

/** Replaces the document; the folder of the index must exist. */
export async function writeClosedHours(
  files: StoreFiles,
  root: string,
  { beforeHour, hours }: ClosedHours,
): Promise<void> {
  await writeDocument(files, hoursPath(root), 'hours', {
    before_hour: beforeHour,
    hours: hours.map(({ hour }) => hour),
    partitions: hours.map(({ partitions }) => partitions),
    raw_bytes: hours.map(({ rawBytes }) => rawBytes),
    commit_bytes: hours.map(({ commitBytes }) => commitBytes),
  });
}
