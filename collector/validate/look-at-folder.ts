import { constants } from 'node:fs';
import { access, mkdtemp, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { nodeFiles } from '../../core/storage/files/node-files.js';
import { hasCode } from '../../core/storage/files/system-error.js';
import { nameOf } from '../../core/storage/record/lock-holder.js';
import { readWriterLock } from '../../core/storage/record/writer-lock.js';
import { reasonOf } from './read-small-file.js';

/** Why a component could not keep its files in a folder, in a sentence; undefined when it could. Nothing that is made stays. */
export async function faultOfFolder(directory: string): Promise<string | undefined> {
  const wanted = resolve(directory);
  for (let path = wanted; ; path = dirname(path)) {
    try {
      if (!(await stat(path)).isDirectory()) return `${path} is no folder`;
      await access(path, constants.W_OK | constants.X_OK);
      return await faultOfMaking(path, wanted);
    } catch (error) {
      // A folder that is not there is made in the nearest one above it.
      if (hasCode(error, 'ENOENT') && path !== dirname(path)) continue;
      if (hasCode(error, 'ENOTDIR')) return `a part of the path ${path} is no folder`;
      const what = path === wanted ? `the folder ${path} cannot be written` : `${wanted} cannot be made in ${path}`;
      return `${what}: ${reasonOf(error)}`;
    }
  }
}

/** Some folders may be written by their mode, and yet nothing can be made in them, for example in `/proc`: only trying tells. */
async function faultOfMaking(path: string, wanted: string): Promise<string | undefined> {
  try {
    await rmdir(await mkdtemp(join(path, '.faultline-validate-')));
    return undefined;
  } catch (error) {
    const reason = hasCode(error, 'ENOENT') ? 'the system makes no folders there (ENOENT)' : reasonOf(error);
    return path === wanted
      ? `nothing can be made in ${path}: ${reason}`
      : `${wanted} cannot be made in ${path}: ${reason}`;
  }
}

/** As `faultOfFolder` for the folder of a store, which only one process writes into. */
export async function faultOfDataFolder(directory: string): Promise<string | undefined> {
  const fault = await faultOfFolder(directory);
  return fault ?? (await faultOfLock(resolve(directory)));
}

async function faultOfLock(directory: string): Promise<string | undefined> {
  try {
    const { isHeld, holder } = await readWriterLock(nodeFiles, directory);
    return isHeld ? `the folder is written by ${nameOf(holder)}; stop it first` : undefined;
  } catch (error) {
    return `${join(directory, 'LOCK')} cannot be read: ${reasonOf(error)}`;
  }
}
