import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns every raw payload of a data folder, in no order. */
export async function storedPayloads(directory: string): Promise<Record<string, unknown>[]> {
  const entries = await readdir(join(directory, 'raw'), { recursive: true }).catch(() => []);
  const files = entries.filter((entry) => entry.endsWith('raw.ndjson'));
  const texts = await Promise.all(files.map((file) => readFile(join(directory, 'raw', file), 'utf8')));
  return texts.flatMap((text) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line)),
  );
}
