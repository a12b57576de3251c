import type { FailureActions, FailureReader } from '../../core/reader.js';
import type { CollectorToken } from '../http/collector-token.js';
import { openChosenSource, type SourceOpening } from '../sources/open-chosen-source.js';

/** What a person asked to read, and what is read when nobody asked for anything. */
export interface ReaderChoice<Folder extends FailureReader> extends SourceOpening<Folder> {
  /** Address of a collector's reading API. */
  readonly url: string | undefined;
  /** Token of the collector; absent: none. */
  readonly token?: CollectorToken | undefined;
  /** A data folder. */
  readonly directory: string | undefined;
}

/** The reader of what was asked for, for commands that print and act: see `openChosenSource`. */
export async function openChosenReader<Folder extends FailureReader>(
  choice: ReaderChoice<Folder>,
): Promise<Folder | (FailureReader & FailureActions)> {
  return (await openChosenSource({ url: choice.url, data: choice.directory, token: choice.token }, choice)).reader;
}
