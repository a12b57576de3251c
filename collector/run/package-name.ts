import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The name in a folder's package.json, without its scope; undefined when there is none that can be read. */
export async function readPackageName(folder: string): Promise<string | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const name = typeof manifest === 'object' && manifest !== null && 'name' in manifest ? manifest.name : undefined;
    return typeof name === 'string' ? name.replace(/^@[^/]{0,214}\//, '') || undefined : undefined;
  } catch {
    return undefined;
  }
}
