import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import express from 'express';
import type { ReceiverLedger } from '../../generated/reader-answers.js';
import type { MetricsSettings } from '../../generated/settings.js';
import type { Extension, Internal } from '../component/built-in.js';
import { sendJson } from '../http/messages/respond.js';
import { allow } from '../http/middleware/allow.js';
import { availableBytes } from '../telemetry/available-memory.js';
import type { ComponentStates } from '../telemetry/component-states.js';
import type { Ledger } from '../telemetry/ledger.js';
import type { Labels, Sample } from '../telemetry/meters.js';
import { EXPOSITION_TYPES, type OtherSamples, writeExposition } from './exposition.js';

const PATH = '/metrics';
/** Key of its settings. */
export const METRICS_KEY = 'service.telemetry.metrics';
const MAX_ACCEPT_LENGTH = 2_000;
const OUTCOMES = ['received', 'stored', 'rejected', 'filtered', 'sampled', 'refused'] as const;

/** Creates what serves `GET /metrics`, also during start and stop; undefined at level `none`, as its `url` unless its endpoint listens. */
export function createMetricsServer(
  settings: MetricsSettings,
  context: Pick<Internal, 'servers' | 'ledger' | 'meters' | 'states' | 'toleratesTakenPorts'>,
): Extension | undefined {
  const { servers, ledger, meters, states, toleratesTakenPorts } = context;
  if (settings.level === 'none') return undefined;
  const eventLoop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const others = { ...ledgerSamples(ledger), ...stateSamples(states), ...processSamples(eventLoop) };
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get(PATH, ...allow({ kind: 'open' }), async (request, response) => {
    const format = expositionFormatFor(request.headers.accept);
    sendJson(response, 200, await writeExposition(format, meters, others), {
      'content-type': EXPOSITION_TYPES[format],
    });
  });
  return {
    routes: [
      {
        endpoint: settings.address,
        router,
        allowedHosts: settings.allowed_hosts,
        reportsHealth: true,
        setting: `${METRICS_KEY}.address`,
        toleratesTakenPort: toleratesTakenPorts,
      },
    ],
    get url() {
      const url = servers.urlOf(settings.address);
      return url === undefined ? undefined : url + PATH;
    },
    async start() {
      eventLoop.enable();
    },
    async shutdown() {
      eventLoop.disable();
    },
  };
}

/** 1 for a healthy component. */
function stateSamples(states: ComponentStates): OtherSamples {
  return {
    faultline_component_healthy: () =>
      states.snapshot().map(({ kind, id, status }) => ({
        labels: { kind, component: id },
        value: status === 'StatusOK' ? 1 : 0,
      })),
  };
}

/** The format that `Accept` asks for (RFC 9110, 12.5.1): OpenMetrics if it is listed with at least the weight of plain text. */
function expositionFormatFor(accept: string | undefined): keyof typeof EXPOSITION_TYPES {
  if (accept === undefined || accept.length > MAX_ACCEPT_LENGTH) return 'prometheus';
  const ranges = accept.toLowerCase().split(',').map(parseRange);
  const weightOf = (type: string) => ranges.find((range) => range.type === type)?.weight;
  const open = weightOf('application/openmetrics-text') ?? 0;
  const plain = weightOf('text/plain') ?? 0;
  return open > 0 && open >= plain ? 'openmetrics' : 'prometheus';
}

function parseRange(text: string): { readonly type: string; readonly weight: number } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim());
  const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
  return { type, weight: Number.isNaN(weight) ? 0 : weight };
}

/** The ledger as metrics. A receiver has all of them from the start, because an alert on growth needs the zero before it. */
function ledgerSamples(ledger: Ledger): OtherSamples {
  const each = (samplesOf: (labels: Labels, account: ReceiverLedger) => readonly Sample[]) => (): readonly Sample[] =>
    Object.entries(ledger.snapshot()).flatMap(([receiver, account]) => samplesOf({ receiver }, account));
  const by = (name: string, counts: (account: ReceiverLedger) => Readonly<Record<string, number>>) =>
    each((labels, account) =>
      Object.entries(counts(account)).map(([key, value]) => ({ labels: { ...labels, [name]: key }, value })),
    );
  return {
    faultline_receiver_accepted_log_records: each((labels, { stored, filtered, sampled }) => [
      { labels, value: stored + filtered + sampled },
    ]),
    faultline_receiver_refused_log_records: each((labels, { refused }) => [{ labels, value: refused }]),
    faultline_receiver_failed_log_records: each((labels, { rejected }) => [{ labels, value: rejected }]),
    faultline_receiver_events: each((labels, account) =>
      OUTCOMES.map((outcome) => ({ labels: { ...labels, outcome }, value: account[outcome] })),
    ),
    faultline_receiver_reasons: by('reason', ({ reasons }) => reasons),
    faultline_receiver_cuts: by('limit', ({ cuts }) => cuts),
    faultline_receiver_lost_by_clients: by('reason', (account) => account.lost_by_clients),
  };
}

function processSamples(eventLoop: IntervalHistogram): OtherSamples {
  return {
    faultline_process_uptime_seconds: () => one(process.uptime()),
    faultline_process_cpu_seconds: () => {
      const { user, system } = process.cpuUsage();
      return one((user + system) / 1e6);
    },
    faultline_process_memory_rss_bytes: () => one(process.memoryUsage.rss()),
    faultline_process_memory_limit_bytes: () => one(availableBytes()),
    faultline_process_runtime_heap_alloc_bytes: () => one(getHeapStatistics().used_heap_size),
    faultline_process_runtime_heap_limit_bytes: () => one(getHeapStatistics().heap_size_limit),
    faultline_process_event_loop_delay_seconds: () => readDelay(eventLoop),
  };
}

function one(value: number): readonly Sample[] {
  return [{ labels: {}, value }];
}

const RESOLUTION_MS = 20;
const QUANTILES = [0.5, 0.9, 0.99, 1];

/** Returns quantiles of the delay of the event loop since the last call; empty if nothing was measured. */
function readDelay(histogram: IntervalHistogram): Sample[] {
  if (histogram.count === 0) return [];
  // Node counts the whole time between two samples.
  const lateBy = (ns: number) => Math.max(0, ns / 1e9 - RESOLUTION_MS / 1e3);
  const samples = QUANTILES.map((quantile) => ({
    labels: { quantile: String(quantile) },
    value: lateBy(quantile === 1 ? histogram.max : histogram.percentile(quantile * 100)),
  }));
  histogram.reset();
  return samples;
}
