import { pino } from 'pino';
import { IngestMemory } from '../../../../collector/component/ingest-memory.js';
import { SentryReceiver } from '../../../../collector/receivers/sentry/sentry-receiver.js';
import { Ledger } from '../../../../collector/telemetry/ledger.js';
import type { SessionReport } from '../../../../core/storage/releases/session-tally.js';
import type { SentryReceiverSettings } from '../../../../generated/settings.js';
import { OPEN_ENDPOINT } from '../../../helpers/endpoint-settings.js';
import { DEFAULT_LIMITS } from '../../../helpers/event-limits.js';
import { createMemoryConsumer, type MemoryConsumer } from '../../memory-consumer.js';
import { createServers, serveComponents } from '../../serve-components.js';

/** A Sentry receiver on a free port, with a consumer in memory. */
export interface RunningSentry {
  readonly urls: readonly string[];
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string;
  readonly consumer: MemoryConsumer;
  readonly ledger: Ledger;
  /** Sessions that were counted. */
  readonly sessions: readonly SessionReport[];
  /** The log, one object per line. */
  readonly logged: Record<string, unknown>[];
  /** Posts a body, by default to the envelope path of project 1 with a key. */
  post(body: string | Uint8Array<ArrayBuffer>, how?: SentryPost): Promise<SentryResponse>;
  close(): Promise<void>;
}

export interface SentryPost {
  readonly path?: string;
  readonly headers?: Record<string, string>;
}

export interface SentryResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { id?: string; detail?: string; causes?: string[]; code?: string };
}

/** Envelope path of project 1 with a key in the query. */
export const ENVELOPE_PATH = '/api/1/envelope/?sentry_version=7&sentry_key=abc&sentry_client=test';
export const STORE_PATH = '/api/1/store/?sentry_key=abc';

/** Short, because nothing is under way when most tests end, and `fetch` keeps its connections open. */
const DRAIN_MS = 20;

export async function startSentry(
  settings: Partial<SentryReceiverSettings> = {},
  maxEventSize = '16MiB',
  maxMemory?: number,
): Promise<RunningSentry> {
  const logged: Record<string, unknown>[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const servers = createServers({ logger }, DRAIN_MS);
  const consumer = createMemoryConsumer();
  const ledger = new Ledger();
  const sessions: SessionReport[] = [];
  const receiver = new SentryReceiver({
    id: 'sentry',
    authenticatorOf: () => undefined,
    keepAcrossReloads: (_, make) => make(),
    settings: {
      endpoint: '127.0.0.1:0',
      projects: {},
      releases: { auth: {} },
      min_log_level: 'error',
      idempotency_window: '10m',
      max_request_body_size: '200MiB',
      allowed_hosts: [],
      cors: { allowed_origins: [], allowed_headers: [], max_age: '2h' },
      ...OPEN_ENDPOINT,
      limits: { ...DEFAULT_LIMITS, max_event_size: maxEventSize },
      ...settings,
    },
    consumer,
    store: {
      opened: () => ({
        recordRelease: () => Promise.reject(new Error('recordRelease is not expected')),
        countSessions: async (reports) => void sessions.push(...reports),
        get reader(): never {
          throw new Error('the reader is not expected');
        },
      }),
    },
    servers,
    account: ledger.account('sentry'),
    ingest: new IngestMemory(maxMemory),
    logger,
  });
  const served = await serveComponents(servers, { sentry: receiver });
  const { origin } = new URL(receiver.urls[0] ?? '');
  return {
    urls: receiver.urls,
    origin,
    consumer,
    ledger,
    sessions,
    logged,
    async post(body, { path = ENVELOPE_PATH, headers = {} } = {}) {
      const response = await fetch(origin + path, { method: 'POST', body, headers });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: JSON.parse(text) };
    },
    close: () => served.stop(),
  };
}

export function envelope(...lines: readonly (string | object)[]): string {
  return lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
}
