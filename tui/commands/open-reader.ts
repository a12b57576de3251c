import { Fault } from '../../core/event/fault.js';
import type { FailureActions, FailureReader } from '../../core/reader.js';
import { createHttpReader } from '../http-reader.js';

/** What a person asked to read, and what is read when nobody asked for anything. */
export interface ReaderChoice<Folder extends FailureReader> {
  /** Address of a collector's reading API. */
  url: string | undefined;
  /** A data folder. */
  directory: string | undefined;
  defaultUrl: string;
  defaultDirectory: string;
  /** Throws Fault `FOLDER_NOT_FOUND`. */
  openFolder: (directory: string) => Promise<Folder>;
}

/**
 * The reader that was asked for; else the default collector, or the default folder where no collector answers.
 * Where neither is there it is the collector's, which says so when it is read and finds it once it starts.
 */
export async function openChosenReader<Folder extends FailureReader>(
  choice: ReaderChoice<Folder>,
): Promise<Folder | (FailureReader & FailureActions)> {
  if (choice.directory !== undefined) return await choice.openFolder(choice.directory);
  if (choice.url !== undefined) return createHttpReader({ url: choice.url });
  const collector = createHttpReader({ url: choice.defaultUrl });
  try {
    await collector.stats();
    return collector;
  } catch (error) {
    if (!hasCode(error, 'COLLECTOR_UNREACHABLE')) throw error;
  }
  try {
    const folder = await choice.openFolder(choice.defaultDirectory);
    await collector.close();
    return folder;
  } catch (error) {
    if (!hasCode(error, 'FOLDER_NOT_FOUND')) throw error;
    return collector;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Fault && error.code === code;
}
