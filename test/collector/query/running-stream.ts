import { pino } from 'pino';
import { createQueryExtension } from '../../../collector/extensions/query-extension.js';
import type { StreamBounds } from '../../../collector/query/change-streams.js';
import { RegroupJobs } from '../../../collector/query/regroup-jobs.js';
import { Ledger } from '../../../collector/telemetry/ledger.js';
import { Meters } from '../../../collector/telemetry/meters.js';
import type { FailureChanges, IssueChange } from '../../../core/contract/reader.js';
import type { IssueId } from '../../../core/event/ids.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { type EventStore, openEventStore } from '../../../core/storage/event-store.js';
import type { ActionRequest } from '../../../generated/reader-answers.js';
import { OPEN_QUERY } from '../../helpers/endpoint-settings.js';
import { serverPayload } from '../../helpers/payloads.js';
import { createServers, serveComponents } from '../serve-components.js';
import { type EventStream, openStream } from './event-stream.js';

/** A store behind the reading API. */
export interface RunningStream {
  readonly store: EventStore;
  readonly url: string;
  readonly port: number;
  put(...payloads: readonly RawPayload[]): Promise<IssueId[]>;
  act(issueId: IssueId | undefined, request: ActionRequest): Promise<void>;
  ended(): number;
  readonly meters: Meters;
  stop(): Promise<void>;
}

const opened: { stop(): Promise<void> }[] = [];
const streams: EventStream[] = [];

/** Call in `afterEach`. */
export async function stopStreams(): Promise<void> {
  for (const stream of streams.splice(0)) stream.close();
  for (const one of opened.splice(0)) await one.stop();
}

/** Starts a store and its reading API. */
export async function startStream(
  directory: string,
  streamBounds: StreamBounds = {},
  onChange: (change: IssueChange) => void = () => undefined,
): Promise<RunningStream> {
  const store = await openEventStore({ directory, durability: 'os' });
  const logger = pino({ level: 'silent' });
  const servers = createServers({ logger }, 2_000);
  const regroupings = new RegroupJobs({ store: () => store, logger });
  let ended = 0;
  const changes: FailureChanges = {
    async *changes(options) {
      try {
        for await (const change of store.changes(options)) {
          if ('issue' in change) onChange(change);
          yield change;
        }
      } finally {
        ended += 1;
      }
    },
  };
  const sources = {
    reader: () => store.reader,
    actions: () => store,
    releases: () => store,
    changes: () => changes,
    ledger: new Ledger(),
    meters: new Meters(),
  };
  const context = {
    ...sources,
    servers,
    regroupings,
    serviceStats: () => ({ endpoints: {} }),
    authenticatorOf: () => undefined,
  };
  const extension = createQueryExtension('query', OPEN_QUERY, context, streamBounds);
  const served = await serveComponents(servers, { query: extension });
  let isStopped = false;
  const running: RunningStream = {
    store,
    url: `${extension.url}/api/v1/stream`,
    port: Number(new URL(extension.url ?? '').port),
    async put(...payloads) {
      const { grouper } = store;
      const grouped = payloads.map((payload) => ({ payload, fingerprint: grouper.fingerprint(payload) }));
      return (await store.append(grouped, { groupedBy: grouper.key })).map(({ issue_id: id }) => id);
    },
    async act(issueId, request) {
      if (issueId === undefined) throw new Error('no issue to act on');
      await store.act(issueId, request);
    },
    ended: () => ended,
    meters: sources.meters,
    async stop() {
      if (isStopped) return;
      isStopped = true;
      await served.stop();
      await store.close();
    },
  };
  opened.push(running);
  return running;
}

/** Opens a stream that `stopStreams` closes. */
export async function open(url: string, lastEventId?: string): Promise<EventStream> {
  const stream = await openStream(url, lastEventId);
  streams.push(stream);
  return stream;
}

/** A payload of an issue of its own for each name. */
export const failure = (name: string, changes: Partial<RawPayload> = {}) =>
  serverPayload({ error_name: name, stack: null, ...changes });
