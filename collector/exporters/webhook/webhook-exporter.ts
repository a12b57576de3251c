import type { Logger } from 'pino';
import { parseDuration } from '../../../config/duration.js';
import type { WebhookExporterSettings } from '../../../config/settings.js';
import { Fault } from '../../../core/event/fault.js';
import { parseQuery } from '../../../core/query/parse-query.js';
import type { ExporterStats, FailureChanges, FailureReader } from '../../../core/reader.js';
import type { EventStore } from '../../../core/storage/event-store.js';
import { ArrivalBell } from '../../../core/storage/following/arrival-bell.js';
import type { Component } from '../../component.js';
import type { ComponentStates } from '../../telemetry/component-states.js';
import type { Meters } from '../../telemetry/meters.js';
import { beginBackoff } from '../sending/backoff.js';
import { readClientTls } from '../sending/client-tls.js';
import { createHttpClient, type HttpClient } from '../sending/http-client.js';
import { wait } from '../sending/wait.js';
import type { Call } from './alert.js';
import { AlertAccount } from './alert-account.js';
import { AlertBook, MAX_WAITING_ALERTS } from './alert-book.js';
import { callAll } from './call-all.js';
import { CallRate } from './call-rate.js';
import type { DeliverCallOptions } from './deliver-call.js';
import { jsonBody } from './json-body.js';
import { publicLookup, refusedLiteral } from './public-lookup.js';
import { signingKey } from './sign-call.js';
import { slackBody } from './slack-body.js';
import { beginNow, forgetEndedSpikes, type WatchOptions, watchChanges } from './watch-changes.js';

/** The store that a webhook watches; asked between `start` and `shutdown`. */
export interface WatchedStore {
  reader(): FailureReader;
  changes(): FailureChanges;
  following(): Pick<EventStore, 'note'>;
}

/** What the exporter is built from. */
export interface WebhookExporterOptions {
  /** Component id, `webhook` or `webhook/name`; names the note too. */
  readonly id: string;
  readonly settings: WebhookExporterSettings;
  readonly store: WatchedStore;
  readonly meters: Meters;
  readonly states: ComponentStates;
  readonly logger: Logger;
}

/** Exporter `webhook`: calls an address when an issue is new, comes back or spikes. */
export interface WebhookExporter extends Component {
  /** Scheme, host and port: the rest of the address may be a secret. */
  readonly destination: string;
  stats(): ExporterStats;
}

/** How long a running request may take when the exporter stops. */
const STOP_REQUEST_MS = 800;
/** What goes wrong on our side is tried again as often. */
const TROUBLE_WAIT_MS = 5_000;
const SPIKE_LOOK_MS = 60_000;
/** Alerts in one call. Slack's message names 10 and counts the others; in JSON all of a call are listed. */
const MAX_TOGETHER: Readonly<Record<WebhookExporterSettings['format'], number>> = {
  json: 100,
  slack: MAX_WAITING_ALERTS,
};

/** Builds the exporter. `start` reads the TLS files and the note. Faults: `QUERY_INVALID`, `TLS_UNREADABLE`. */
export function createWebhookExporter(options: WebhookExporterOptions): WebhookExporter {
  const { id, settings, store, meters, states, logger } = options;
  const destination = new URL(settings.endpoint).origin;
  const stop = new AbortController();
  const abort = new AbortController();
  let client: HttpClient | undefined;
  let book: AlertBook | undefined;
  let running: Promise<unknown> = Promise.resolve();
  const account = new AlertAccount({ id, destination, meters, states, logger, book: () => book });

  return {
    destination,
    stats: () => account.stats(),

    async start() {
      parseQuery(settings.query ?? '', 'issues');
      client = await openClient(id, settings);
      const opened = await AlertBook.open(store.following().note(id));
      book = opened;
      const bell = new ArrivalBell();
      const save = (): Promise<void> => saved(opened, account);
      const watch: WatchOptions = {
        changes: store.changes(),
        reader: store.reader(),
        book: opened,
        kinds: new Set(settings.on),
        query: settings.query,
        logger,
        stop: stop.signal,
        save,
        onAlerts: () => bell.ring(1),
      };
      if (opened.cursor === undefined) await beginNow(watch);
      account.open();
      const deliver = deliverOptions(settings, { client, account, stop: stop.signal, abort: abort.signal });
      const rate = new CallRate(settings.max_alerts_per_minute);
      const guarded = (work: () => Promise<void>): Promise<void> => untilStopped(work, account, stop.signal);
      running = Promise.all([
        guarded(() => watchSpikes(watch)),
        guarded(() => watchFromCursor(watch)),
        guarded(() => callAll(opened, { bell, rate, deliver, save, maxTogether: MAX_TOGETHER[settings.format] })),
      ]);
    },

    async shutdown() {
      stop.abort();
      const timer = setTimeout(() => abort.abort(), STOP_REQUEST_MS);
      await running;
      clearTimeout(timer);
      client?.close();
      if (book !== undefined) await saved(book, account);
      account.close();
      book = undefined;
    },
  };
}

async function openClient(id: string, settings: WebhookExporterSettings): Promise<HttpClient> {
  const tls = await readClientTls(`exporters.${id}.tls`, settings.tls);
  return createHttpClient({
    url: new URL(settings.endpoint),
    headers: settings.headers,
    timeoutMs: parseDuration(settings.timeout),
    tls,
    ...(!settings.allow_private_addresses && { lookup: publicLookup() }),
  });
}

function deliverOptions(
  settings: WebhookExporterSettings,
  around: Pick<DeliverCallOptions, 'client' | 'account' | 'stop' | 'abort'>,
): DeliverCallOptions {
  const { format, terminal_url: terminalUrl, signing_secret: secret, allow_private_addresses: isAnyAllowed } = settings;
  return {
    ...around,
    bodyOf: (call: Call) => (format === 'slack' ? slackBody(call, terminalUrl) : jsonBody(call, terminalUrl)),
    key: secret === undefined ? undefined : signingKey(secret),
    refused: isAnyAllowed ? undefined : refusedLiteral(new URL(settings.endpoint)),
    beginBackoff: () => beginBackoff(settings.retry_on_failure),
  };
}

/** Begins again after what went wrong on our side. */
async function untilStopped(work: () => Promise<void>, account: AlertAccount, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    try {
      await work();
      // The feed ends with the store, which outlives this.
      return;
    } catch (error) {
      if (stop.aborted) return;
      account.failing(error instanceof Fault ? error.message : `it failed: ${nameOf(error)}`);
      await wait(TROUBLE_WAIT_MS, stop);
    }
  }
}

/** A cursor that another version wrote is a beginning like any other. */
async function watchFromCursor(watch: WatchOptions): Promise<void> {
  try {
    await watchChanges(watch);
  } catch (error) {
    if (!(error instanceof Fault && error.code === 'CURSOR_INVALID')) throw error;
    watch.logger.warn('where it was cannot be read any more: alerts begin from now on');
    await beginNow(watch);
    await watchChanges(watch);
  }
}

async function watchSpikes(watch: WatchOptions): Promise<void> {
  while (!watch.stop.aborted) {
    await forgetEndedSpikes(watch);
    await wait(SPIKE_LOOK_MS, watch.stop);
  }
}

/** A note that cannot be kept stops nothing: the next one makes up for it, and a crash before that tells some alerts again. */
async function saved(book: AlertBook, account: AlertAccount): Promise<void> {
  try {
    await book.save();
  } catch (error) {
    account.failing(`its alerts could not be kept: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Never the words of what nobody raised on purpose: they may hold the event's. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
