import type { FailureActions, FailureReader } from '../../core/reader.js';
import type { CollectorToken } from '../http/collector-token.js';

/** Where failures are read from: a collector or a data folder, one of the two. */
export interface SourceChoice {
  /** Address of a collector's reading API. */
  readonly url?: string;
  /** A data folder. */
  readonly data?: string;
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
