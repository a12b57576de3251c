import { randomBytes } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Where the last copy of a session also lies, for terminals that drop what they are told. */
export interface CopyFile {
  /** Writes a new file that only its owner can read, takes the previous one away, and answers the path; undefined where no file can be written. */
  replace(text: string): Promise<string | undefined>;
}

/** The owner reads and writes, nobody else does anything. */
const PRIVATE = 0o600;

/** Makes the place; nothing is written before the first copy. The last file stays when the session ends, because somebody may still need it. */
export function createCopyFile(env: NodeJS.ProcessEnv): CopyFile {
  let previous: string | undefined;
  return {
    async replace(text) {
      for (const directory of await directories(env)) {
        const path = join(directory, `faultline-copy-${randomBytes(8).toString('hex')}.txt`);
        try {
          await writeFile(path, text, { flag: 'wx', mode: PRIVATE });
        } catch {
          // Read-only, full or not ours: the next one is tried, and without any the copy says so.
          await rm(path, { force: true }).catch(() => undefined);
          continue;
        }
        if (previous !== undefined) await rm(previous, { force: true }).catch(() => undefined);
        previous = path;
        return path;
      }
      return undefined;
    },
  };
}

async function directories(env: NodeJS.ProcessEnv): Promise<string[]> {
  const runtime = env['XDG_RUNTIME_DIR'] ?? '';
  const isUsable =
    isAbsolute(runtime) &&
    (await stat(runtime).then(
      (found) => found.isDirectory(),
      () => false,
    ));
  return isUsable ? [runtime, tmpdir()] : [tmpdir()];
}
