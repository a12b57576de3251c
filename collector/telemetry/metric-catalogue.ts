/**
 * Every metric that the collector has, by the name that Prometheus sees; counters get `_total` there. The names are the OpenTelemetry Collector's with
 * our prefix (protocol reference OTLP, section 3), so that its dashboards fit with few changes. Seconds and bytes are the units.
 */
export const METRICS = {
  faultline_receiver_accepted_log_records: counter(
    'Events that a receiver handed on and that were taken: stored, filtered or sampled.',
  ),
  faultline_receiver_refused_log_records: counter('Events that the line refused, so that their sender comes again.'),
  faultline_receiver_failed_log_records: counter('Events that a receiver rejected.'),
  faultline_receiver_events: counter('The ledger: events by receiver and by what became of them.'),
  faultline_receiver_reasons: counter('The ledger: events that were not stored, by receiver and reason.'),
  faultline_receiver_cuts: counter('Fields that were cut to a limit, by receiver and limit.'),
  faultline_receiver_lost_by_clients: counter('Events that senders say they lost before they came here.'),
  faultline_receiver_requests: counter('Requests by receiver and outcome: success, refused or failure.'),
  faultline_processor_incoming_items: counter('Events that came to a processor.'),
  faultline_processor_outgoing_items: counter(
    'Events that a processor passed on, those included that `rate_limit` and `sample` keep later on behalf of others.',
  ),
  faultline_processor_dropped_items: counter('Events that a processor dropped, by reason.'),
  faultline_processor_changed_items: counter('Events that a processor changed.'),
  faultline_processor_failed_items: counter('Events at which a processor failed.'),
  faultline_processor_internal_duration: histogram(
    'Seconds that a processor worked on a batch.',
    [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1],
  ),
  faultline_processor_watched_issues: gauge('Issues that rate_limit or sample watches now.'),
  faultline_processor_memory_limiter_accepted_log_records: counter('Events that memory_limiter let pass.'),
  faultline_processor_memory_limiter_refused_log_records: counter('Events that memory_limiter refused.'),
  faultline_processor_redacted_values: counter('Values that redaction masked, by kind of secret.'),
  faultline_exporter_sent_log_records: counter(
    'Events that an exporter delivered; for the store those that are durable.',
  ),
  faultline_exporter_send_failed_log_records: counter('Events whose delivery failed for good.'),
  faultline_exporter_enqueue_failed_log_records: counter('Events that retention removed before an exporter took them.'),
  faultline_exporter_send_attempts: counter('Requests of an exporter by outcome: success, retry or failure.'),
  faultline_exporter_queue_size: gauge('Events that wait for an exporter.'),
  faultline_exporter_queue_age_seconds: gauge('Age of the oldest event that waits for an exporter.'),
  faultline_exporter_in_flight_requests: gauge('Requests of an exporter that have no answer yet.'),
  faultline_exporter_alerts: counter('Alerts of a webhook by kind and outcome: sent or failed.'),
  faultline_exporter_retention_held: gauge('1 while retention waits for an exporter.'),
  faultline_store_commit_duration_seconds: histogram(
    'Seconds from handing a batch to the store until it is durable.',
    [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5],
  ),
  faultline_store_reopenings: counter(
    'Attempts to open a store again whose files were pulled away, by outcome: success or failure.',
  ),
  faultline_store_queue_size: gauge('Batches that wait for the disk.'),
  faultline_store_checkpoint_lag_events: gauge('Events whose index entries are not on the disk yet.'),
  faultline_store_events: gauge('Events in the record, summaries of sampled ones included.'),
  faultline_store_issues: gauge('Issues in the index.'),
  faultline_store_raw_bytes: gauge('Bytes of all raw partitions.'),
  faultline_store_dead_letter_bytes: gauge('Bytes of rejected payloads that are kept.'),
  faultline_store_removed_events: gauge('Events that retention removed.'),
  faultline_http_connections: gauge('Open connections by endpoint.'),
  faultline_http_evicted_connections: counter(
    'Connections that were closed for newer ones or for being slow, by endpoint and reason.',
  ),
  faultline_tls_refused_connections: counter('Connections that TLS kept out, by endpoint and reason.'),
  faultline_http_unauthorized_requests: counter('Requests without a valid token, by component.'),
  faultline_http_rate_limited_requests: counter('Requests beyond the rate of their client, by endpoint.'),
  faultline_ingest_held_bytes: gauge('Decompressed bytes of requests that all receivers hold now.'),
  faultline_ingest_limit_bytes: gauge('Most of them: `service.ingest.max_memory`.'),
  faultline_ingest_refused_requests: counter('Requests that were refused because of that limit.'),
  faultline_config_reloads: counter('Reloads of the configuration by outcome: success or refused.'),
  faultline_component_healthy: gauge('1 while a component is well.'),
  faultline_process_uptime_seconds: gauge('Seconds since the start of the process.'),
  faultline_process_cpu_seconds: counter('CPU seconds of the process.'),
  faultline_process_memory_rss_bytes: gauge('Resident memory of the process.'),
  faultline_process_memory_limit_bytes: gauge(
    'Most memory that the process may have: of its control group, else of the machine.',
  ),
  faultline_process_runtime_heap_alloc_bytes: gauge('Heap of JavaScript in use.'),
  faultline_process_runtime_heap_limit_bytes: gauge('Largest heap of JavaScript; beyond it the process ends.'),
  faultline_process_event_loop_delay_seconds: gauge('Delay of the event loop since the last look, by quantile.'),
} as const;

type Metrics = typeof METRICS;
type NamesOf<Kind> = { [Name in keyof Metrics]: Metrics[Name]['kind'] extends Kind ? Name : never }[keyof Metrics];

/** Names of metrics by kind. */
export type CounterName = NamesOf<'counter'>;
export type GaugeName = NamesOf<'gauge'>;
export type HistogramName = NamesOf<'histogram'>;

/** Names of all metrics of a kind, in the order of the catalogue. */
export function metricNames<Kind extends Metrics[keyof Metrics]['kind']>(kind: Kind): NamesOf<Kind>[] {
  return Object.keys(METRICS).filter((name): name is NamesOf<Kind> => KINDS[name]?.kind === kind);
}

const KINDS: Readonly<Record<string, { readonly kind: string }>> = METRICS;

function counter(help: string): { readonly kind: 'counter'; readonly help: string } {
  return { kind: 'counter', help };
}

function gauge(help: string): { readonly kind: 'gauge'; readonly help: string } {
  return { kind: 'gauge', help };
}

function histogram(
  help: string,
  bounds: readonly number[],
): { readonly kind: 'histogram'; readonly help: string; readonly bounds: readonly number[] } {
  return { kind: 'histogram', help, bounds };
}
