import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../fixtures/tui/screens/', import.meta.url));
const ENDING = '.txt';

/** Names of the golden files without extension. */
export function goldenNames(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length));
}

/** Returns undefined if the file does not exist. */
export function readGolden(name: string): string | undefined {
  return goldenNames().includes(name) ? readFileSync(`${FOLDER}${name}${ENDING}`, 'utf8') : undefined;
}

export function writeGolden(name: string, text: string): void {
  writeFileSync(`${FOLDER}${name}${ENDING}`, text);
}
