import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The request ids of all raw lines in data folders, sorted. */
export async function storedRequestIds(...directories: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const directory of directories) {
    const entries = await readdir(join(directory, 'raw'), { recursive: true });
    for (const entry of entries.filter((name) => name.endsWith('raw.ndjson'))) {
      const lines = (await readFile(join(directory, 'raw', entry), 'utf8')).split('\n');
      for (const line of lines) {
        const id = line === '' ? undefined : (JSON.parse(line) as { request_id?: string }).request_id;
        if (id !== undefined) ids.push(id);
      }
    }
  }
  return ids.toSorted();
}
