import { pino } from 'pino';
import { IngestMemory } from '../../../../collector/component/ingest-memory.js';
import { OtlpReceiver } from '../../../../collector/receivers/otlp/otlp-receiver.js';
import { Ledger } from '../../../../collector/telemetry/ledger.js';
import { Meters } from '../../../../collector/telemetry/meters.js';
import type { ReceiverLedger } from '../../../../generated/reader-answers.js';
import type { OtlpGrpcSettings, OtlpHttpSettings, OtlpReceiverSettings } from '../../../../generated/settings.js';
import { OPEN_ENDPOINT } from '../../../helpers/endpoint-settings.js';
import { DEFAULT_LIMITS } from '../../../helpers/event-limits.js';
import { createMemoryConsumer, type MemoryConsumer } from '../../memory-consumer.js';
import { createServers, serveComponents } from '../../serve-components.js';

/** An OTLP receiver on free ports, with a consumer in memory. */
export interface RunningOtlp {
  readonly receiver: OtlpReceiver;
  /** `http://…`, without path. */
  readonly httpUrl: string;
  /** `host:port`. */
  readonly grpcAddress: string;
  readonly consumer: MemoryConsumer;
  readonly meters: Meters;
  /** The payloads that were stored. */
  payloads(): MemoryConsumer['events'][number]['payload'][];
  account(): ReceiverLedger | undefined;
  close(): Promise<void>;
}

/** Differences from the default receiver. */
export interface OtlpVariant {
  readonly settings?: Partial<OtlpReceiverSettings>;
  readonly http?: Partial<OtlpHttpSettings>;
  readonly grpc?: Partial<OtlpGrpcSettings>;
  readonly drainMs?: number;
  /** Limit of decompressed bytes of concurrent requests; default: no limit. */
  readonly maxMemory?: number;
  /** A protocol that is not served. */
  readonly without?: 'http' | 'grpc';
}

const HTTP: OtlpHttpSettings = {
  endpoint: '127.0.0.1:0',
  logs_url_path: '/v1/logs',
  traces_url_path: '/v1/traces',
  max_request_body_size: '64MiB',
  allowed_hosts: [],
  cors: { allowed_origins: [], allowed_headers: [], max_age: '2h' },
  ...OPEN_ENDPOINT,
};
const GRPC: OtlpGrpcSettings = {
  endpoint: '127.0.0.1:0',
  max_recv_msg_size: '64MiB',
  ...OPEN_ENDPOINT,
};

/** Short, because nothing is under way when most tests end, and `fetch` keeps its connections open. */
const DRAIN_MS = 20;

/** The receiver of the current test, in files that call `startForEachTest`. */
export let running: RunningOtlp;

/** Starts a receiver before each test of a file or `describe`, and closes it after. */
export function startForEachTest(variant?: OtlpVariant): void {
  beforeEach(async () => {
    running = await startOtlp(variant);
  });
  afterEach(() => running.close());
}

/** Starts a receiver before the first test of a file, and closes it after the last one. */
export function startOnce(variant?: OtlpVariant): void {
  beforeAll(async () => {
    running = await startOtlp(variant);
  });
  afterAll(() => running.close());
}

/** Replaces the receiver of the current test. */
export async function restart(variant: OtlpVariant): Promise<void> {
  await running.close();
  running = await startOtlp(variant);
}

export const JSON_TYPE = { 'content-type': 'application/json' };
export const PROTOBUF_TYPE = { 'content-type': 'application/x-protobuf' };

export interface OtlpReply {
  readonly status: number;
  readonly type: string | null;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly text: string;
}

/** Sends a request to the receiver of the current test. */
export async function send(
  body: string | Uint8Array | undefined,
  headers: Record<string, string> = JSON_TYPE,
  { path = '/v1/logs', method = 'POST' } = {},
): Promise<OtlpReply> {
  const init = { method, headers, ...(body !== undefined && { body: new Uint8Array(Buffer.from(body)) }) };
  const response = await fetch(running.httpUrl + path, init);
  const bytes = Buffer.from(await response.arrayBuffer());
  const type = response.headers.get('content-type');
  return { status: response.status, type, headers: response.headers, bytes, text: String(bytes) };
}

function otlpSettings({ settings, http, grpc, without }: OtlpVariant = {}): OtlpReceiverSettings {
  return {
    protocols: {
      ...(without !== 'http' && { http: { ...HTTP, ...http } }),
      ...(without !== 'grpc' && { grpc: { ...GRPC, ...grpc } }),
    },
    min_severity: 'error',
    request_id_attributes: ['request_id', 'request.id', 'req_id', 'reqId'],
    join_window: '30s',
    accept_sampled_counts: false,
    signals: { metrics: 'drop', profiles: 'drop' },
    defaults: { service: 'unknown_service', env: 'production' },
    limits: DEFAULT_LIMITS,
    ...settings,
  };
}

export async function startOtlp(variant: OtlpVariant = {}): Promise<RunningOtlp> {
  const logger = pino({ level: 'silent' });
  const drainMs = variant.drainMs ?? DRAIN_MS;
  const consumer = createMemoryConsumer();
  const ledger = new Ledger();
  const meters = new Meters();
  const servers = createServers({ logger, meters }, drainMs);
  const receiver = new OtlpReceiver({
    id: 'otlp',
    settings: otlpSettings(variant),
    consumer,
    servers,
    authenticatorOf: () => undefined,
    keepAcrossReloads: (_, make) => make(),
    meters,
    account: ledger.account('otlp'),
    ingest: new IngestMemory(variant.maxMemory, meters),
    logger,
    grpcDrainMs: drainMs,
  });
  const served = await serveComponents(servers, { otlp: receiver });
  const urlOf = (scheme: string) => receiver.urls.find((url) => url.startsWith(scheme)) ?? '';
  return {
    receiver,
    httpUrl: urlOf('http://'),
    grpcAddress: urlOf('grpc://').slice('grpc://'.length),
    consumer,
    meters,
    payloads: () => consumer.events.map(({ payload }) => payload),
    account: () => ledger.snapshot()['otlp'],
    close: () => served.stop(),
  };
}
