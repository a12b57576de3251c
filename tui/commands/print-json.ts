import { escapeHidden } from '../format/json-text.js';
import { print, type TextOutput } from './text-output.js';

/** Prints one JSON document whose hidden characters are escaped, so that it is safe on a terminal too. */
export async function printJson(output: TextOutput, document: object): Promise<void> {
  await print(output, `${escapeHidden(JSON.stringify(document, null, 2))}\n`);
}

/** Prints documents as NDJSON, one a line, as safe as `printJson`. */
export async function printJsonLines(output: TextOutput, documents: readonly object[]): Promise<void> {
  for (const document of documents) await print(output, `${escapeHidden(JSON.stringify(document))}\n`);
}
