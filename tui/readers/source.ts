import type { FailureActions, FailureReader } from '../../core/contract/reader.js';
import type { IssueId } from '../../core/event/ids.js';
import type { CollectorToken } from './http/collector-token.js';

/** Where failures are read from: a collector or a data folder, one of the two. */
export interface SourceChoice {
  /** Address of a collector's reading API. */
  readonly url?: string | undefined;
  /** A data folder. */
  readonly data?: string | undefined;
  /** Token of the collector; absent: that of the command. */
  readonly token?: CollectorToken | undefined;
  /** Shown; default the host and port, or the folder's last name. */
  readonly name?: string;
}

/** Reads, and acts where it can. */
export type SourceReader = FailureReader & Partial<FailureActions>;

/** A source that is not opened yet. */
export interface NamedSource {
  /** Different from that of every other source that is read with it. */
  readonly name: string;
  /** URL without credentials, or path. */
  readonly address: string;
  /** Called at the first reading, and again after it failed. */
  readonly open: () => Promise<SourceReader>;
  /** Whether it is closed and opened anew after it failed, which finds a folder that was replaced. Default: it is kept. */
  readonly isReopened?: boolean;
}

/** Whether a source lets this terminal act on its issues. */
export async function canAct(reader: SourceReader): Promise<boolean> {
  return reader.act !== undefined && (await reader.access()).actions;
}

const COLLECTOR_ADDRESS = /^https?:\/\//;

/** Whether a source is a data folder: its address is a path then. */
export function isFolder({ address }: Pick<SourceState, 'address'>): boolean {
  return !COLLECTOR_ADDRESS.test(address);
}

/** How one source is doing: one line for people. */
export interface SourceState {
  readonly name: string;
  /** URL without credentials, or path. */
  readonly address: string;
  /** `lost` is left out of what is read until it answers again; so is `unauthorized`, which answers, and wants another token. */
  readonly kind: 'connecting' | 'connected' | 'lost' | 'unauthorized';
  /** Why it is left out, from outside: not yet neutralised. Undefined where it is not. */
  readonly reason: string | undefined;
  /** Since when it is left out, milliseconds since the epoch; undefined where it is not. */
  readonly sinceMs: number | undefined;
  /** Events that are stored there, without those for which they stand, by its latest numbers; undefined before it told any. */
  readonly events: number | undefined;
  readonly issues: number | undefined;
  /** Whether its issues may be acted on; undefined before it told. */
  readonly canAct: boolean | undefined;
}

/** What the terminal reads from: one source or several, which look like one. */
export interface TerminalReader extends FailureReader, Partial<FailureActions> {
  /** How each source is doing, in the order in which they were named; also where there is one. */
  sources(): readonly SourceState[];
  /** Names of the sources that have an issue, as far as it was read; empty where there is only one source. */
  ownersOf(issueId: IssueId): readonly string[];
}
