import { access, constants, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { RawAddress } from '../../core/event/stages.js';
import { hasCode } from '../../core/storage/files/system-error.js';

/** Whether an editor on this machine can open the raw line of an event. */
export type LocalLine =
  | {
      readonly kind: 'here';
      readonly path: string;
      /** One-based, as editors count. */
      readonly line: number;
    }
  | {
      readonly kind: 'elsewhere';
      /** One sentence for people, without the path. */
      readonly why: string;
    };

/** Looks for the partition file of an event. A collector on another machine may name a path that is here too: nothing tells them apart. */
export async function findLocalLine({ path, line }: RawAddress): Promise<LocalLine> {
  if (!isAbsolute(path) || path.includes('\0')) return elsewhere('the address is no path of a file');
  try {
    if (!(await stat(path)).isFile()) return elsewhere('the path is no file here');
    await access(path, constants.R_OK);
  } catch (error) {
    return elsewhere(
      hasCode(error, 'EACCES', 'EPERM')
        ? 'the file may not be read by you'
        : 'the file is not on this machine; its collector runs elsewhere',
    );
  }
  return { kind: 'here', path, line: line + 1 };
}

function elsewhere(why: string): LocalLine {
  return { kind: 'elsewhere', why };
}
