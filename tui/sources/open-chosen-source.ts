import { resolve } from 'node:path';
import { Fault } from '../../core/event/fault.js';
import type { FailureActions, FailureReader } from '../../core/reader.js';
import type { CollectorToken } from '../http/collector-token.js';
import { createHttpReader } from '../http-reader.js';
import { folderName, urlAddress, urlName } from './source-names.js';

/** What is read when nobody asked for anything, and how a folder is opened. */
export interface SourceOpening<Folder extends FailureReader> {
  readonly defaultUrl: string;
  readonly defaultDirectory: string;
  /** For collectors that are named without a token of their own; absent: none. */
  readonly token?: CollectorToken | undefined;
  /** Throws Fault `FOLDER_NOT_FOUND`. */
  readonly openFolder: (directory: string) => Promise<Folder>;
}

/** What a person asked to read: a collector's address, or a data folder. */
interface AskedSource {
  readonly url?: string | undefined;
  readonly data?: string | undefined;
  /** Of the collector; absent: that of the opening. */
  readonly token?: CollectorToken | undefined;
}

/** A source that was opened. */
export interface ChosenSource<Folder extends FailureReader> {
  readonly reader: Folder | (FailureReader & FailureActions);
  /** By its address. */
  readonly name: string;
  readonly address: string;
}

/**
 * The source that was asked for; else the default collector, or the default folder where no collector answers.
 * Where neither is there it is the collector's, which says so when it is read and finds it once it starts.
 */
export async function openChosenSource<Folder extends FailureReader>(
  { url, data, token: own }: AskedSource,
  { defaultUrl, defaultDirectory, token, openFolder }: SourceOpening<Folder>,
): Promise<ChosenSource<Folder>> {
  const folder = async (directory: string): Promise<ChosenSource<Folder>> => {
    return { reader: await openFolder(directory), name: folderName(directory), address: resolve(directory) };
  };
  if (data !== undefined) return await folder(data);
  const address = url ?? defaultUrl;
  const reader = createHttpReader({ url: address, token: own ?? token });
  const collector = { reader, name: urlName(address), address: urlAddress(address) };
  if (url !== undefined) return collector;
  try {
    await reader.stats();
    return collector;
  } catch (error) {
    if (!hasCode(error, 'COLLECTOR_UNREACHABLE')) throw error;
  }
  try {
    const opened = await folder(defaultDirectory);
    await reader.close();
    return opened;
  } catch (error) {
    if (!hasCode(error, 'FOLDER_NOT_FOUND')) throw error;
    return collector;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Fault && error.code === code;
}
