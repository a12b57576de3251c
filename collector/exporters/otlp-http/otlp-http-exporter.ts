import type { Logger } from 'pino';
import { parseDuration } from '../../../config/duration.js';
import type { OtlpHttpExporterSettings } from '../../../config/settings.js';
import { Fault } from '../../../core/event/fault.js';
import type { ExporterStats } from '../../../core/reader.js';
import type { EventStore } from '../../../core/storage/event-store.js';
import type {
  FollowedBatch,
  FollowedEvent,
  FollowPosition,
  RecordFollower,
} from '../../../core/storage/following/record-follower.js';
import type { Component } from '../../component.js';
import type { ComponentStates } from '../../telemetry/component-states.js';
import type { Meters } from '../../telemetry/meters.js';
import { beginBackoff } from '../sending/backoff.js';
import { readClientTls } from '../sending/client-tls.js';
import { ExportAccount } from '../sending/export-account.js';
import { createHttpClient, type HttpClient } from '../sending/http-client.js';
import { wait } from '../sending/wait.js';
import { type DeliverOptions, deliver } from './deliver.js';

/** What the exporter is built from. */
export interface OtlpHttpExporterOptions {
  /** Component id, `otlp_http` or `otlp_http/name`; names the cursor too. */
  readonly id: string;
  readonly settings: OtlpHttpExporterSettings;
  /** The store of its pipeline; asked between `start` and `shutdown`. */
  readonly store: () => Pick<EventStore, 'follow'>;
  readonly meters: Meters;
  readonly states: ComponentStates;
  readonly logger: Logger;
}

/** Exporter `otlp_http`: sends what the store keeps, in order of arrival. */
export interface OtlpHttpExporter extends Component {
  /** Where it sends, for people. */
  readonly destination: string;
  stats(): ExporterStats;
}

/** How long a running request may take when the exporter stops. */
const STOP_REQUEST_MS = 800;
/** What goes wrong on our side is tried again as often. */
const TROUBLE_WAIT_MS = 5_000;

/** Builds the exporter. `start` reads the TLS files and the cursor. Faults: `TLS_UNREADABLE`, `FOLLOWER_EXISTS`. */
export function createOtlpHttpExporter(options: OtlpHttpExporterOptions): OtlpHttpExporter {
  const { id, settings, store, meters, states, logger } = options;
  const { sending_queue: queue, retry_on_failure: retry } = settings;
  const url = urlOf(settings);
  const destination = `${url.origin}${url.pathname}`;
  const stop = new AbortController();
  const abort = new AbortController();
  let follower: RecordFollower | undefined;
  let client: HttpClient | undefined;
  let running: Promise<void> = Promise.resolve();
  const account = new ExportAccount({ id, destination, meters, states, logger, status: () => follower?.status() });

  const open = async (): Promise<{ follower: RecordFollower; deliver: DeliverOptions }> => {
    const tls = await readClientTls(`exporters.${id}.tls`, settings.tls);
    client = createHttpClient({ url, headers: settings.headers, timeoutMs: parseDuration(settings.timeout), tls });
    follower = await store().follow({ name: id, startAt: queue.start_at, holdMs: parseDuration(queue.retention_hold) });
    const { encoding, compression } = settings;
    const how = { encoding, isCompressed: compression === 'gzip', beginBackoff: () => beginBackoff(retry) };
    return { follower, deliver: { ...how, client, account, stop: stop.signal, abort: abort.signal } };
  };

  return {
    destination,
    stats: () => account.stats(),

    async start() {
      const opened = await open();
      account.open();
      const bounds = { maxEvents: queue.max_batch_events, waitMs: parseDuration(queue.flush_interval) };
      const next = () => opened.follower.next({ ...bounds, signal: stop.signal });
      running = sendAll(next, { follower: opened.follower, deliver: opened.deliver });
    },

    async shutdown() {
      stop.abort();
      const timer = setTimeout(() => abort.abort(), STOP_REQUEST_MS);
      await running;
      clearTimeout(timer);
      client?.close();
      account.close();
      await follower?.close();
      follower = undefined;
    },
  };
}

interface SendAllOptions {
  readonly follower: RecordFollower;
  readonly deliver: DeliverOptions;
}

/** One batch after the other until it is told to stop. One request at a time keeps the order, and never slows whoever stores. */
async function sendAll(next: () => Promise<FollowedBatch>, options: SendAllOptions): Promise<void> {
  const { account, stop } = options.deliver;
  /** What was taken from the record and not answered yet. */
  let batch: FollowedBatch | undefined;
  while (!stop.aborted) {
    try {
      batch ??= await next();
      if (batch.events.length === 0) return;
      if (!(await sendBatch(batch, options))) return;
      batch = undefined;
    } catch (error) {
      account.failing(error instanceof Fault ? error.message : `it failed: ${nameOf(error)}`);
      await wait(TROUBLE_WAIT_MS, stop);
    }
  }
}

/** False where it was told to stop. What is to be divided is halved, as often as it takes. */
async function sendBatch(
  { events, after }: FollowedBatch,
  { follower, deliver: how }: SendAllOptions,
): Promise<boolean> {
  const parts: (readonly FollowedEvent[])[] = [events];
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const delivered = await deliver(part, how);
    if (delivered === 'stopped') return false;
    if (delivered === 'divide') {
      const half = Math.ceil(part.length / 2);
      parts.unshift(part.slice(0, half), part.slice(half));
      continue;
    }
    const done = parts.length === 0 ? after : part.at(-1)?.after;
    if (done !== undefined) await commit(follower, done, how.account);
  }
  return true;
}

/** A cursor that cannot be kept stops nothing: the next one makes up for it, and a crash before that sends some events again. */
async function commit(follower: RecordFollower, position: FollowPosition, account: ExportAccount): Promise<void> {
  try {
    await follower.commit(position);
  } catch (error) {
    account.failing(`its cursor could not be kept: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function urlOf({ endpoint, logs_endpoint: logsEndpoint }: OtlpHttpExporterSettings): URL {
  if (logsEndpoint !== undefined) return new URL(logsEndpoint);
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/logs`;
  return url;
}

/** Never the words of what nobody raised on purpose: they may hold the event's. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
