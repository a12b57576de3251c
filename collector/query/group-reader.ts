import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { collectorName } from '../../core/http-reader/collector-url.js';
import { createHttpReader } from '../../core/http-reader/http-reader.js';
import { createMergedReader, type MergedReader } from '../../core/merged/merged-reader.js';
import type { NamedSource, SourceReader, SourceState } from '../../core/merged/source.js';
import { SOURCE_IS_SELF } from '../../core/merged/source-link.js';
import type { PeerStats } from '../../generated/reader-answers.js';
import type { QueryExtensionSettings } from '../../generated/settings.js';
import { RequestFault } from '../http/messages/http-fault.js';

/** The group of a collector: its own store and its peers, as one. */
export interface GroupReader extends MergedReader {
  /** Whether a request asks for this collector's own data. Throws `SOURCE_IS_SELF` for one that this collector sent itself. */
  isOwnOnly(request: IncomingMessage): boolean;
  peers(): PeerStats[];
}

/** `local` asks a collector for its own data, so that collectors that are peers of each other do not ask in circles. */
const SCOPE = 'faultline-scope';
const OWN_NAME = 'local';
/** A slow peer must not look like a lost one; a lost one is waited for only once. */
const WAIT_MS = 5_000;

/** Creates the reader of a group, which connects at the first call; `own` is this collector's part. */
export function createGroupReader(
  { peers, peers_token: token }: Pick<QueryExtensionSettings, 'peers' | 'peers_token'>,
  own: () => SourceReader,
): GroupReader {
  const sentAs = `local; reader=${randomUUID()}`;
  const options = {
    headers: { [SCOPE]: sentAs },
    token: token === undefined ? undefined : { value: token, reload: async () => token },
  };
  const others = peers.map((url): NamedSource => {
    return { name: collectorName(url), address: url, open: async () => createHttpReader({ url, ...options }) };
  });
  const itself: NamedSource = { name: OWN_NAME, address: OWN_NAME, open: async () => own(), isReopened: true };
  const merged = createMergedReader([itself, ...others], { waitMs: WAIT_MS, remembersLost: false });
  return Object.assign(merged, {
    isOwnOnly({ headers: { [SCOPE]: scope } }: IncomingMessage): boolean {
      if (scope === sentAs) throw new RequestFault(SOURCE_IS_SELF, 'the peer is this collector');
      return typeof scope === 'string' && scope.startsWith('local');
    },
    peers: (): PeerStats[] => merged.sources().flatMap(peerStats),
  });
}

function peerStats({ name, address, kind, sinceMs, reason, isLeftOut }: SourceState): PeerStats[] {
  if (name === OWN_NAME || isLeftOut === true) return [];
  const since = sinceMs === undefined ? null : new Date(sinceMs).toISOString();
  return [{ name, address, state: kind, since, reason: reason ?? null }];
}
