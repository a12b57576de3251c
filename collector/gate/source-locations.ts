import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isAppFile } from '../../core/fingerprint/stack/in-app.js';
import { frameText, parseSourceLocation } from '../../core/source-code/source-location.js';

/** A place in a file of the working folder. */
export interface SourceLocation {
  /** Relative to the working folder, with `/`. */
  readonly file: string;
  readonly line: number;
}

const MAX_LINES = 500;
const MAX_LINE_LENGTH = 2_048;
const MAX_SEARCHED = 20_000;
/** A line number behind a path, in any form of frame. */
const LINE_NUMBER = /(?:^#\d{1,4} [^()]{1,1024}\(|:(?:line )?|, line )(\d{1,9})(?=$|[\s:,)])/;
/** These print the innermost call last. */
const INNERMOST_LAST = /^[^\S\n]{0,64}(?:\| +)?File "|^E {2,}/m;

/** Finds the innermost frame in a file below a folder; paths come from events, so links out of it are passed over, as libraries are. A path of compiled code that is only a name counts if one file has it. */
export async function createSourceLocations(
  folder: string,
): Promise<(stack: string | null) => Promise<SourceLocation | null>> {
  const root = await realpath(folder);
  let names: Promise<ReadonlyMap<string, string | null>> | undefined;

  const find = async (written: string): Promise<string | undefined> => {
    const path = written.replace(/^file:\/\//, '');
    if (!isAppFile(path) || path.includes('\0')) return undefined;
    const file = await fileBelow(root, resolve(root, path));
    if (file !== undefined || basename(path) !== path) return file;
    names ??= fileNames(root);
    return (await names).get(path) ?? undefined;
  };

  return async (stack) => {
    const places = (stack ?? '').split('\n', MAX_LINES).flatMap((line) => {
      const text = frameText(line.slice(0, MAX_LINE_LENGTH).trim());
      const number = LINE_NUMBER.exec(text)?.[1];
      return (number !== undefined && parseSourceLocation(text, Number(number))) || [];
    });
    if (INNERMOST_LAST.test(stack ?? '')) places.reverse();
    for (const { path, line } of places) {
      const file = await find(path);
      if (file !== undefined) return { file, line };
    }
    return null;
  };
}

async function fileBelow(root: string, path: string): Promise<string | undefined> {
  try {
    const file = relative(root, await realpath(path));
    const isBelow = file !== '' && !isAbsolute(file) && file.split(sep)[0] !== '..';
    if (!isBelow || !isAppFile(file) || !(await stat(join(root, file))).isFile()) return undefined;
    return file.split(sep).join('/');
  } catch {
    return undefined;
  }
}

/** The files below a folder by name; null for a name of several. */
async function fileNames(root: string): Promise<ReadonlyMap<string, string | null>> {
  const names = new Map<string, string | null>();
  for await (const path of filesBelow(root)) {
    const name = basename(path);
    names.set(name, names.has(name) ? null : path);
  }
  return names;
}

/** Yields the files of a folder, then those of the folders in it, until `MAX_SEARCHED` names were read. Hidden folders and packages do not count. */
async function* filesBelow(root: string): AsyncGenerator<string> {
  const folders = [''];
  let searched = 0;
  for (const folder of folders) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])) {
      searched += 1;
      if (searched > MAX_SEARCHED) return;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (isSearchedFolder(entry, path)) folders.push(path);
      if (entry.isFile()) yield path;
    }
  }
}

function isSearchedFolder(entry: Dirent, path: string): boolean {
  return entry.isDirectory() && !entry.name.startsWith('.') && isAppFile(`${path}/`);
}
