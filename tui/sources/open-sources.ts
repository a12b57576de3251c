import { resolve } from 'node:path';
import { Fault } from '../../core/event/fault.js';
import type { FailureReader } from '../../core/reader.js';
import { createHttpReader } from '../http-reader.js';
import type { MergedReaderOptions } from './merged-reader.js';
import { openChosenSource, type SourceOpening } from './open-chosen-source.js';
import { createSingleReader } from './single-reader.js';
import type { NamedSource, SourceChoice } from './source.js';
import { distinctNames, folderName, urlAddress, urlName } from './source-names.js';
import type { TerminalReader } from './terminal-reader.js';

/**
 * What the terminal reads from: the sources that were named, merged where there are several; where none is, the default collector, or the default folder. Of several each is
 * opened when it is first read, so that one which is not there holds nobody up. Faults: `SOURCE_INVALID`, `URL_INVALID`, and of a single folder `FOLDER_NOT_FOUND`.
 */
export async function openSources(
  choices: readonly SourceChoice[],
  opening: SourceOpening<FailureReader>,
  options?: MergedReaderOptions,
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
