import { join } from 'node:path';
import type { DecidedSuggestion } from '../../../generated/reader-answers.js';
import { Fault } from '../../event/fault.js';
import { isJsonObject } from '../../event/json.js';
import type { DataFolder } from '../files/store-files.js';
import { hasCode } from '../files/system-error.js';
import { setAside } from '../files/write-durably.js';
import { parseJson } from '../record/commits/commit-record.js';

/** In the data folder: `{"decided": […]}`. */
export const SUGGESTIONS_FILE = 'suggestions.json';

/** Reads the decisions, the last first. A damaged file is reported, set aside by the writer, and reads as empty. */
export async function readDecided({
  directory,
  files,
  onFault,
  isWriter,
}: DataFolder & {
  onFault: ((fault: Fault) => void) | undefined;
  isWriter: boolean;
}): Promise<readonly DecidedSuggestion[]> {
  const path = join(directory, SUGGESTIONS_FILE);
  const content = await files.readFile(path).catch((error: unknown) => {
    if (hasCode(error, 'EISDIR')) return Buffer.alloc(0);
    throw error;
  });
  if (content === undefined) return [];
  // The checks are large, and most folders have no decisions.
  const { isDecidedSuggestion } = await import('../../../generated/answer-checks.js');
  const value = parseJson(content.toString('utf8'));
  const decided: unknown = isJsonObject(value) ? value['decided'] : undefined;
  if (Array.isArray(decided) && decided.every((one) => isDecidedSuggestion(one))) return decided;
  const sentence = `${path} is damaged: accepted and dismissed suggestions are forgotten, and new events are grouped without accepted rules.`;
  onFault?.(new Fault('SUGGESTIONS_UNUSABLE', sentence));
  if (isWriter) await setAside(files, path);
  return [];
}
