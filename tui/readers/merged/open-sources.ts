import { resolve } from 'node:path';
import type { FailureActions, FailureReader } from '../../../core/contract/reader.js';
import { Fault } from '../../../core/event/fault.js';
import type { CollectorToken } from '../http/collector-token.js';
import { createHttpReader } from '../http/http-reader.js';
import { createSingleReader } from '../single-reader.js';
import type { NamedSource, SourceChoice, TerminalReader } from '../source.js';
import { distinctNames, folderName, urlAddress, urlName } from '../source-names.js';
import type { SourceLinkOptions } from './source-link.js';

/** What is read when nobody asked for anything, and how a folder is opened. */
export interface SourceOpening<Folder extends FailureReader> {
  readonly defaultUrl: string;
  readonly defaultDirectory: string;
  /** For collectors that are named without a token of their own; absent: none. */
  readonly token?: CollectorToken | undefined;
  /** Throws Fault `FOLDER_NOT_FOUND`. */
  readonly openFolder: (directory: string) => Promise<Folder>;
}

/**
 * What the terminal reads from: the sources that were named, merged where there are several; where none is, the default collector, or the default folder. Of several each is
 * opened when it is first read, so that one which is not there holds nobody up. Faults: `SOURCE_INVALID`, `URL_INVALID`, and of a single folder `FOLDER_NOT_FOUND`.
 */
export async function openSources(
  choices: readonly SourceChoice[],
  opening: SourceOpening<FailureReader>,
  options?: Partial<SourceLinkOptions>,
): Promise<TerminalReader> {
  for (const choice of choices) assertOne(choice);
  const [choice = {}, ...others] = choices;
  if (others.length === 0) {
    const { reader, name, address } = await openChosenSource(choice, opening);
    return createSingleReader({ name: choice.name ?? name, address }, reader, options?.nowMs);
  }
  const sources = choices.map((one) => toSource(one, opening));
  const names = distinctNames(sources.map(({ name }) => name));
  const { createMergedReader } = await import('./merged-reader.js');
  return createMergedReader(
    sources.map((source, index) => ({ ...source, name: names[index] ?? source.name })),
    options,
  );
}

/**
 * The source that was asked for, named by its address; else the default collector, or the default folder where no collector answers.
 * Where neither is there it is the collector's, which says so when it is read and finds it once it starts.
 */
export async function openChosenSource<Folder extends FailureReader>(
  { url, data, token: own }: SourceChoice,
  { defaultUrl, defaultDirectory, token, openFolder }: SourceOpening<Folder>,
): Promise<{ reader: Folder | (FailureReader & FailureActions); name: string; address: string }> {
  const folder = async (directory: string) => {
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

function toSource(
  { url, data, name, token: own }: SourceChoice,
  { token, openFolder }: SourceOpening<FailureReader>,
): NamedSource {
  if (url !== undefined) {
    const reader = createHttpReader({ url, token: own ?? token });
    return { name: name ?? urlName(url), address: urlAddress(url), open: async () => reader };
  }
  const directory = data ?? '';
  return {
    name: name ?? folderName(directory),
    address: resolve(directory),
    open: () => openFolder(directory),
    isReopened: true,
  };
}

function assertOne({ url, data, name }: SourceChoice): void {
  if ((url === undefined) !== (data === undefined)) return;
  const which = name === undefined ? 'A source' : `The source "${name}"`;
  throw new Fault('SOURCE_INVALID', `${which} needs the address of a collector or a data folder, one of the two.`);
}
