import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import { ACTION_LOG } from '../actions/action-log.js';
import type { FolderEntry } from '../files/store-files.js';
import { missingActions, readKnownActions } from '../index/checkpoint/manifest.js';
import { ReadHandles } from '../record/io/file-handles.js';
import { scanLines } from '../record/io/read-lines.js';
import type { LogFile } from '../record/io/read-log.js';
import { SALVAGE_FOLDER } from '../record/io/salvage.js';
import { FOLDER_ID_FILE, isSameId, openFolderIdCopies } from '../record/partitions/folder-id.js';
import { COMMITS_FILE, parsePartitionFolder, RAW_FILE, RAW_FOLDER } from '../record/partitions/partition-path.js';
import type { FindingCode, FindingDetails } from './finding.js';
import type { VerifyContext } from './verify-context.js';

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
    if (SET_ASIDE.test(name)) report(setAside(name));
    else if (!TOP_LEVEL_NAMES.some((pattern) => pattern.test(name))) report(foreignName(name, kind));
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
      if (SET_ASIDE.test(name)) context.report(setAside(path));
    } else if (!belongsAt(depth, path, { name, kind })) {
      context.report(foreignName(path, kind));
    } else if (depth < PARTITION_DEPTH) {
      await checkBelow(context, path, depth + 1);
    }
  }
}

/** Whether the layout has such a name at a depth below `raw/`. */
function belongsAt(depth: number, path: string, { name, kind }: FolderEntry): boolean {
  if (depth === PARTITION_DEPTH) return name === RAW_FILE || name === COMMITS_FILE;
  const isHour = depth === PARTITION_DEPTH - 1;
  return kind === 'folder' && (!isHour || parsePartitionFolder(path) !== undefined);
}

function setAside(file: string): FindingDetails {
  return { code: 'INDEX_SET_ASIDE', file, what: 'It was set aside.' };
}

function foreignName(file: string, kind: string): FindingDetails {
  const what = kind === 'other' ? 'This is neither a file nor a folder.' : `This ${kind} does not belong here.`;
  return { code: 'FOREIGN_NAME', file, what };
}

/** Checks both copies of the id of the folder. */
export async function checkFolderId({ files, directory, partitions, report }: VerifyContext): Promise<void> {
  const copies = await openFolderIdCopies({ files, directory });
  const valid = copies.find(({ id }) => id !== undefined);
  if (valid === undefined) {
    const isUsed = partitions.length > 0 || copies.some(({ isPresent }) => isPresent);
    const paths = copies.map(({ path }) => path).join(' and ');
    const what = `${paths} are missing or damaged, and no event has the id that it was given.`;
    if (isUsed) report({ code: 'FOLDER_ID_LOST', file: FOLDER_ID_FILE, what });
    return;
  }
  for (const { path, isPresent, id } of copies) {
    if (isSameId(id, valid.id)) continue;
    if (id !== undefined)
      report({ code: 'FOLDER_ID_DIFFERS', file: path, what: `It holds another id than ${valid.path}.` });
    else if (isPresent)
      report({ code: 'FOLDER_ID_INVALID', file: path, what: 'It does not hold the id of the folder.' });
    else report({ code: 'FOLDER_ID_MISSING', file: path, what: `It is missing, and ${valid.path} is there.` });
  }
}

/** Checks every line of the action log, and that it holds the actions that the index knows. */
export async function checkActions(context: VerifyContext): Promise<void> {
  // Read before the log, because a running collector appends to it.
  const known = await readKnownActions(context.files, context.directory);
  const actions = await checkLog(context, ACTION_LOG, 'ACTION_TORN', 'ACTION_INVALID');
  const missing = missingActions(known, actions);
  if (missing !== undefined) {
    context.report({ code: 'ACTIONS_MISSING', file: ACTION_LOG.name, what: missing });
  }
}

/** Checks every line of a log, and returns the valid ones. */
export async function checkLog<Line>(
  { files, directory, writer, report, nextSlice }: VerifyContext,
  { name: file, maxLineBytes, parseLine }: Pick<LogFile<Line>, 'name' | 'maxLineBytes' | 'parseLine'>,
  torn: FindingCode,
  invalid: FindingCode,
): Promise<Line[]> {
  const valid: Line[] = [];
  const accepts = (text: string): boolean => {
    try {
      const line = parseLine(text);
      if (line !== undefined) valid.push(line);
      return line !== undefined;
    } catch (error) {
      // A later version wrote it; opening the log reports that.
      if (error instanceof Fault) return true;
      throw error;
    }
  };
  await using handles = new ReadHandles(files, 1);
  for await (const lines of scanLines(handles.file(join(directory, file)), { maxLineBytes })) {
    for (const { number: line, start: offset, bytes, isTorn } of lines) {
      if (isTorn) {
        const severity = writer === undefined ? 'damage' : 'note';
        report({ code: torn, file, line, offset, what: 'The last line has no end.', severity });
      } else if (bytes === undefined || !accepts(bytes.toString('utf8'))) {
        report({ code: invalid, file, line, offset, what: 'The line is not one of this log.' });
      }
    }
    await nextSlice(`checking ${file}`, 0, 0);
  }
  return valid;
}
