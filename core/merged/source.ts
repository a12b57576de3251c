import type { Stats } from '../../generated/reader-answers.js';
import type { FailureActions, FailureReader } from '../contract/reader.js';
import type { IssueId } from '../event/ids.js';
import type { Regrouping } from '../storage/regroup/regrouping.js';

/** A reader that may also act on issues and decide about suggestions. */
export type SourceReader = FailureReader & Partial<FailureActions & Pick<Regrouping, 'decide'>>;

/** A source that is not open yet. */
export interface NamedSource {
  /** Unique among the sources that are read together. */
  readonly name: string;
  /** URL without credentials, or path. */
  readonly address: string;
  /** Called at the first read, and again if it failed. */
  readonly open: () => Promise<SourceReader>;
  /** Whether to reopen it after a failed read, which finds a folder that was replaced. Default false. */
  readonly isReopened?: boolean;
}

/** Whether a source allows actions on its issues. */
export async function canAct(reader: SourceReader): Promise<boolean> {
  return reader.act !== undefined && (await reader.access()).actions;
}

const COLLECTOR_ADDRESS = /^https?:\/\//;

/** Whether a source is a data folder and not a collector. */
export function isFolder({ address }: Pick<SourceState, 'address'>): boolean {
  return !COLLECTOR_ADDRESS.test(address);
}

/** Whether a source does not respond, or needs another token. */
export function isLost({ kind }: SourceState): boolean {
  return kind === 'lost' || kind === 'unauthorized';
}

/** State of one source. */
export interface SourceState {
  readonly name: string;
  /** URL without credentials, or path. */
  readonly address: string;
  /** Of `lost` and `unauthorized` sources only the issues that were read before are listed, until they respond again. */
  readonly kind: 'connecting' | 'connected' | 'lost' | 'unauthorized';
  /** Untrusted text, not yet neutralised; undefined unless `lost` or `unauthorized`. */
  readonly reason?: string | undefined;
  /** Start of the outage, milliseconds since the epoch; undefined unless `lost` or `unauthorized`. */
  readonly sinceMs?: number | undefined;
  /** Time of the next retry, milliseconds since the epoch; undefined like `sinceMs`. */
  readonly retryAtMs?: number | undefined;
  /** The last ones; undefined before the first. */
  readonly stats: Stats | undefined;
  /** Undefined before the source was queried. */
  readonly canAct?: boolean | undefined;
  /** Whether only other sources are read, by `readOnly`. Default false. */
  readonly isLeftOut?: boolean;
  /** Whether it is read through the source before it. Default false. */
  readonly isPeer?: boolean;
}

/** A source with the peers that it answers for. */
export function withPeers(source: SourceState): readonly SourceState[] {
  const peers = source.kind === 'connected' && source.isLeftOut !== true ? source.stats?.peers : undefined;
  const others = (peers ?? []).map(({ state: kind, reason, since, ...peer }): SourceState => {
    const lost = { reason: reason ?? undefined, sinceMs: since === null ? undefined : Date.parse(since) };
    return { ...peer, kind, ...lost, stats: undefined, isPeer: true };
  });
  return [source, ...others];
}

/** Reads one source, or several merged into one. */
export interface SourcesReader extends SourceReader {
  /** State of each source, in the order in which they were named, each followed by its peers. */
  sources(): readonly SourceState[];
  /** Names of the sources known to have an issue; empty for a single source. */
  ownersOf(issueId: IssueId): readonly string[];
  /** Reads only this one of several sources from now on; undefined: all. */
  readOnly?(name: string | undefined): void;
}
