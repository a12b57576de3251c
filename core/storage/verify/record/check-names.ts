import { join } from 'node:path';
import { SALVAGE_FOLDER } from '../../record/io/salvage.js';
import { COMMITS_FILE, parsePartitionFolder, RAW_FILE, RAW_FOLDER } from '../../record/partitions/partition-path.js';
import type { FindingDetails } from '../finding.js';
import type { VerifyContext } from '../verify-context.js';

const TOP_LEVEL_NAMES: readonly RegExp[] = [
  /^(raw|index|rejected|salvage|cursors|origins|LOCK)$/,
  /^(actions|groupings|releases|retention)\.ndjson(\.tmp)?$/,
  /^(folder-id|suggestions)\.json(\.tmp)?$/,
  /^LOCK\./,
];
const SET_ASIDE = /^(index|cursors|(@?folder-id|suggestions)\.json)\.(unusable-\d+|replaced)$/;
/** In `raw/`, also set aside or being written. */
const FOLDER_ID_COPIES = /^@folder-id\.json(\.tmp|\.unusable-\d+)?$/;
/** Environment, service, app, year, month, day and hour. */
const PARTITION_DEPTH = 7;

/** Reports names that do not belong to the layout, and what recovery and rebuilds set aside. */
export async function checkNames(context: VerifyContext): Promise<void> {
  const { files, directory, report } = context;
  for (const { name, kind } of await files.list(directory)) {
    if (SET_ASIDE.test(name)) report({ code: 'INDEX_SET_ASIDE', file: name, what: 'It was set aside.' });
    else if (!TOP_LEVEL_NAMES.some((known) => known.test(name))) report(foreignName(name, kind));
  }
  for (const { name } of await files.list(join(directory, SALVAGE_FOLDER))) {
    report({ code: 'SALVAGED', file: `${SALVAGE_FOLDER}/${name}`, what: 'These bytes were cut from a file.' });
  }
  await checkBelow(context, RAW_FOLDER, 0);
}

async function checkBelow(context: VerifyContext, folder: string, depth: number): Promise<void> {
  await context.nextSlice('checking names', 0, 0);
  for (const { name, kind } of await context.files.list(join(context.directory, folder))) {
    const path = `${folder}/${name}`;
    if (depth === 0 && FOLDER_ID_COPIES.test(name)) {
      if (SET_ASIDE.test(name)) context.report({ code: 'INDEX_SET_ASIDE', file: path, what: 'It was set aside.' });
    } else if (depth === PARTITION_DEPTH) {
      if (name !== RAW_FILE && name !== COMMITS_FILE) context.report(foreignName(path, kind));
    } else if (kind !== 'folder' || (depth === PARTITION_DEPTH - 1 && parsePartitionFolder(path) === undefined)) {
      context.report(foreignName(path, kind));
    } else {
      await checkBelow(context, path, depth + 1);
    }
  }
}

function foreignName(file: string, kind: string): FindingDetails {
  const what = kind === 'other' ? 'This is neither a file nor a folder.' : `This ${kind} does not belong here.`;
  return { code: 'FOREIGN_NAME', file, what };
}
