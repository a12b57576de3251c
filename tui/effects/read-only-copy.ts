import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set<string>();

/** A file that only its owner can read and nobody can change; it is removed at the latest when this process ends. */
export async function writeReadOnlyCopy(name: string, text: string): Promise<{ path: string; remove: () => void }> {
  const folder = await mkdtemp(join(tmpdir(), 'faultline-'));
  if (folders.size === 0) process.once('exit', () => folders.forEach(removeFolder));
  folders.add(folder);
  const path = join(folder, name);
  await writeFile(path, text, { mode: 0o400, flag: 'wx' });
  return { path, remove: () => removeFolder(folder) };
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
