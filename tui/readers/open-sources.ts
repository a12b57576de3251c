import { basename, resolve } from 'node:path';
import type { FailureActions, FailureChanges, FailureReader, FailureReleases } from '../../core/contract/reader.js';
import { Fault, messageOf } from '../../core/event/fault.js';
import type { CollectorToken } from '../../core/http-reader/collector-token.js';
import { parseCollectorUrl } from '../../core/http-reader/collector-url.js';
import { createHttpReader } from '../../core/http-reader/http-reader.js';
import { isRequestFault, isUnauthorized } from '../../core/merged/connection.js';
import {
  canAct,
  type NamedSource,
  type SourceReader,
  type SourceState,
  type SourcesReader,
  withPeers,
} from '../../core/merged/source.js';
import type { SourceLinkOptions } from '../../core/merged/source-link.js';
import { hasCode } from '../../core/storage/files/system-error.js';

/** A collector or a data folder to read from; exactly one of `url` and `data` is set. */
export interface SourceChoice {
  /** Address of a collector's reading API. */
  readonly url?: string | undefined;
  /** Path of a data folder. */
  readonly data?: string | undefined;
  /** Default: the token of the command. */
  readonly token?: CollectorToken | undefined;
  /** Default: host and port, or the last part of the path. */
  readonly name?: string;
}

/** The address is without credentials. */
function collectorAt(url: string, token: CollectorToken | undefined) {
  const { host, origin, pathname } = parseCollectorUrl(url);
  const reader = createHttpReader({ url, token });
  return { reader, name: host, address: origin + (pathname === '/' ? '' : pathname) };
}

function folderAt(directory: string) {
  const address = resolve(directory);
  return { name: basename(address) || address, address };
}

/** Makes names unique: the second source of a name gets the suffix ` 2`, and so on. */
function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let distinct = name;
    for (let number = 2; taken.has(distinct); number += 1) distinct = `${name} ${number}`;
    taken.add(distinct);
    return distinct;
  });
}

/** What to read if no source is named, and how to open a folder. */
export interface SourceDefaults<Folder extends FailureReader> {
  readonly defaultUrl: string;
  readonly defaultDirectory: string;
  /** For collectors without a token of their own. */
  readonly token?: CollectorToken | undefined;
  /** Throws `FOLDER_NOT_FOUND`. */
  readonly openFolder: (directory: string) => Promise<Folder>;
}

/** Opens the sources, several of them at their first read and merged. Faults: `SOURCE_INVALID`, `URL_INVALID`, `FOLDER_NOT_FOUND` (of one). */
export async function openSources(
  choices: readonly SourceChoice[],
  defaults: SourceDefaults<FailureReader>,
  options?: Partial<SourceLinkOptions>,
): Promise<SourcesReader> {
  for (const choice of choices) assertOne(choice);
  const [choice = {}, ...others] = choices;
  if (others.length === 0) {
    const { reader, name, address } = await openChosenSource(choice, defaults);
    return createSingleReader({ name: choice.name ?? name, address }, reader, options?.nowMs);
  }
  const sources = choices.map((one) => toSource(one, defaults));
  const names = distinctNames(sources.map(({ name }) => name));
  const { createMergedReader } = await import('../../core/merged/merged-reader.js');
  return createMergedReader(
    sources.map((source, index) => ({ ...source, name: names[index] ?? source.name })),
    options,
  );
}

/** Opens the chosen source, else the default collector or folder, else a reader that connects once the collector starts. */
export async function openChosenSource<Folder extends FailureReader>(
  { url, data, token: own }: SourceChoice,
  { defaultUrl, defaultDirectory, token, openFolder }: SourceDefaults<Folder>,
): Promise<{
  reader: Folder | (FailureReader & FailureActions & FailureChanges & FailureReleases);
  name: string;
  address: string;
}> {
  const folder = async (directory: string) => ({ reader: await openFolder(directory), ...folderAt(directory) });
  if (data !== undefined) return await folder(data);
  const collector = collectorAt(url ?? defaultUrl, own ?? token);
  if (url !== undefined) return collector;
  try {
    await collector.reader.stats();
    return collector;
  } catch (error) {
    if (!hasCode(error, 'COLLECTOR_UNREACHABLE')) throw error;
  }
  try {
    const opened = await folder(defaultDirectory);
    await collector.reader.close();
    return opened;
  } catch (error) {
    if (!hasCode(error, 'FOLDER_NOT_FOUND')) throw error;
    return collector;
  }
}

function toSource(
  { url, data = '', name, token: own }: SourceChoice,
  { token, openFolder }: SourceDefaults<FailureReader>,
): NamedSource {
  if (url !== undefined) {
    const { reader, ...collector } = collectorAt(url, own ?? token);
    return { ...collector, name: name ?? collector.name, open: async () => reader };
  }
  const folder = folderAt(data);
  return { ...folder, name: name ?? folder.name, open: () => openFolder(data), isReopened: true };
}

function assertOne({ url, data, name }: SourceChoice): void {
  if ((url === undefined) !== (data === undefined)) return;
  const which = name === undefined ? 'A source' : `The source "${name}"`;
  throw new Fault('SOURCE_INVALID', `${which} needs the address of a collector or a data folder, one of the two.`);
}

/** Wraps one source and records its state. Closing it closes the reader. */
export function createSingleReader(
  { name, address }: { readonly name: string; readonly address: string },
  reader: SourceReader,
  nowMs: () => number = Date.now,
): SourcesReader {
  let state: SourceState = { name, address, kind: 'connecting', stats: undefined };

  function connected(): void {
    state = { ...state, kind: 'connected', reason: undefined, sinceMs: undefined };
  }

  async function track<T>(call: Promise<T>): Promise<T> {
    try {
      const value = await call;
      connected();
      return value;
    } catch (error) {
      if (isRequestFault(error)) connected();
      else {
        const kind = isUnauthorized(error) ? 'unauthorized' : 'lost';
        state = { ...state, kind, reason: messageOf(error), sinceMs: state.sinceMs ?? nowMs(), canAct: undefined };
      }
      throw error;
    }
  }

  const act = reader.act?.bind(reader);
  const decide = reader.decide?.bind(reader);
  return {
    listIssues: (options) => track(reader.listIssues(options)),
    countIssues: (options) => track(reader.countIssues(options)),
    listValues: (options) => track(reader.listValues(options)),
    listIssuesSince: (options) => track(reader.listIssuesSince(options)),
    listReleases: (options) => track(reader.listReleases(options)),
    getRelease: (name) => track(reader.getRelease(name)),
    getIssue: (issueId) => track(reader.getIssue(issueId)),
    listEvents: (issueId, options) => track(reader.listEvents(issueId, options)),
    summarizeEvents: (issueId, options) => track(reader.summarizeEvents(issueId, options)),
    searchEvents: (options) => track(reader.searchEvents(options)),
    getEvent: (eventId) => track(reader.getEvent(eventId)),
    listRejected: (options) => track(reader.listRejected(options)),
    explain: (a, b) => track(reader.explain(a, b)),
    suggestions: (options) => track(reader.suggestions(options)),
    async stats() {
      const stats = await track(reader.stats());
      state = { ...state, stats };
      return stats;
    },
    async access() {
      const actions = await track(canAct(reader));
      state = { ...state, canAct: actions };
      return { actions };
    },
    ...(act !== undefined && { act: (issueId, request) => track(act(issueId, request)) }),
    ...(decide !== undefined && { decide: (...decision) => track(decide(...decision)) }),
    close: () => reader.close(),
    sources: () => withPeers(state),
    ownersOf: () => [],
  };
}
