/** All metrics, named as the OpenTelemetry Collector's, https://opentelemetry.io/docs/collector/internal-telemetry/; counters get `_total`. Units: seconds and bytes. */
export const METRICS = {
  faultline_receiver_accepted_log_records: counter(
    'Events that a receiver forwarded and the pipeline accepted: stored, filtered or sampled.',
  ),
  faultline_receiver_refused_log_records: counter('Events that the pipeline refused; their sender retries.'),
  faultline_receiver_failed_log_records: counter('Events that a receiver rejected.'),
  faultline_receiver_events: counter('The ledger: events by receiver and outcome.'),
  faultline_receiver_reasons: counter('The ledger: events that were not stored, by receiver and reason.'),
  faultline_receiver_cuts: counter('Fields that were cut to a limit, by receiver and limit.'),
  faultline_receiver_lost_by_clients: counter('Events that clients report as lost before sending.'),
  faultline_receiver_requests: counter('Requests by receiver and outcome: success, refused or failure.'),
  faultline_receiver_unsupported_encodings: counter('Requests refused because of their compression, by receiver.'),
  faultline_receiver_dropped_requests: counter('Requests with metrics or profiles that `otlp` dropped, by signal.'),
  faultline_processor_incoming_items: counter('Events that a processor received.'),
  faultline_processor_outgoing_items: counter(
    'Events that a processor forwarded, including the summaries of `rate_limit` and `sample`.',
  ),
  faultline_processor_dropped_items: counter('Events that a processor dropped, by reason.'),
  faultline_processor_changed_items: counter('Events that a processor changed.'),
  faultline_processor_failed_items: counter('Events that a processor failed to process.'),
  faultline_processor_internal_duration: histogram(
    'Seconds that a processor needed for a batch.',
    [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1],
  ),
  faultline_processor_watched_issues: gauge('Issues that rate_limit or sample tracks.'),
  faultline_processor_memory_limiter_accepted_log_records: counter('Events that memory_limiter accepted.'),
  faultline_processor_memory_limiter_refused_log_records: counter('Events that memory_limiter refused.'),
  faultline_processor_redacted_values: counter('Values that redaction masked, by kind of secret.'),
  faultline_plugin_items: counter('What a component of a plugin counts, by component and name.'),
  faultline_receiver_redelivered_messages: counter('Messages of the receiver nats whose events were stored before.'),
  faultline_receiver_gaps: counter(
    'Times the receiver nats lacked events of a source and asked it to send them again.',
  ),
  faultline_receiver_lost_chunks: counter(
    'Chunks that the receiver nats passed over because they were unreadable each time; the log names their range.',
  ),
  faultline_receiver_pending_messages: gauge('Messages that wait for the receiver nats.'),
  faultline_receiver_lag_seconds: gauge('Time from the receipt of the last event at its source until nats stored it.'),
  faultline_exporter_sent_log_records: counter('Events that an exporter delivered; for the store, durable events.'),
  faultline_exporter_send_failed_log_records: counter('Events whose delivery failed permanently.'),
  faultline_exporter_enqueue_failed_log_records: counter('Events that retention removed before an exporter sent them.'),
  faultline_exporter_send_attempts: counter('Requests of an exporter by outcome: success, retry or failure.'),
  faultline_exporter_queue_size: gauge('Events that wait for an exporter.'),
  faultline_exporter_queue_age_seconds: gauge('Age of the oldest event that waits for an exporter.'),
  faultline_exporter_in_flight_requests: gauge('Requests of an exporter without a response yet.'),
  faultline_exporter_rewinds: counter('Times the exporter nats sent events again that gateways lacked.'),
  faultline_exporter_alerts: counter('Alerts of a webhook by kind and outcome: sent or failed.'),
  faultline_exporter_retention_held: gauge('1 while retention waits for an exporter.'),
  faultline_store_commit_duration_seconds: histogram(
    'Seconds from handing a batch to the store until it is durable.',
    [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5],
  ),
  faultline_store_reopenings: counter(
    'Attempts to reopen a store whose files were replaced, by outcome: success or failure.',
  ),
  faultline_store_queue_size: gauge('Batches that wait for the disk.'),
  faultline_store_checkpoint_lag_events: gauge('Events that are not in a checkpoint of the index yet.'),
  faultline_store_replayed_events: counter('Events that were read again from the record when the store was opened.'),
  faultline_store_events: gauge('Events in the record, including summaries of sampled events.'),
  faultline_store_issues: gauge('Issues in the index.'),
  faultline_store_raw_bytes: gauge('Bytes of all raw partitions.'),
  faultline_store_dead_letter_bytes: gauge('Bytes of stored rejected payloads.'),
  faultline_store_removed_events: gauge('Events that retention removed.'),
  faultline_http_connections: gauge('Open connections by endpoint.'),
  faultline_http_evicted_connections: counter(
    'Connections that were closed for newer ones or because they were slow, by endpoint and reason.',
  ),
  faultline_tls_refused_connections: counter('Connections refused by TLS, by endpoint and reason.'),
  faultline_http_unauthorized_requests: counter(
    'Requests without a valid token, or not from this machine where only it may call, by component.',
  ),
  faultline_http_rate_limited_requests: counter('Requests above the rate limit of their client, by endpoint.'),
  faultline_query_streams: gauge('Open streams of changes.'),
  faultline_query_dropped_streams: counter('Streams of changes that ended because their client did not read.'),
  faultline_query_refused_streams: counter('Streams of changes that were refused because 100 were open.'),
  faultline_ingest_held_bytes: gauge('Decompressed request bytes that all receivers hold.'),
  faultline_ingest_limit_bytes: gauge('Limit of these bytes: `service.ingest.max_memory`.'),
  faultline_ingest_refused_requests: counter('Requests refused because of this limit.'),
  faultline_config_reloads: counter('Reloads of the configuration by outcome: success or refused.'),
  faultline_component_healthy: gauge('1 while a component is healthy.'),
  faultline_process_uptime_seconds: gauge('Seconds since the start of the process.'),
  faultline_process_cpu_seconds: counter('CPU seconds of the process.'),
  faultline_process_memory_rss_bytes: gauge('Resident memory of the process.'),
  faultline_process_memory_limit_bytes: gauge(
    'Memory limit of the process: of its control group, else of the machine.',
  ),
  faultline_process_runtime_heap_alloc_bytes: gauge('JavaScript heap in use.'),
  faultline_process_runtime_heap_limit_bytes: gauge('Limit of the JavaScript heap; beyond it the process ends.'),
  faultline_process_event_loop_delay_seconds: gauge('Delay of the event loop since the last scrape, by quantile.'),
} as const;

type Metrics = typeof METRICS;
type NamesOf<Kind> = { [Name in keyof Metrics]: Metrics[Name]['kind'] extends Kind ? Name : never }[keyof Metrics];

export type CounterName = NamesOf<'counter'>;
export type GaugeName = NamesOf<'gauge'>;
export type HistogramName = NamesOf<'histogram'>;

/** Names of all metrics of a kind, in catalogue order. */
export function metricNames<Kind extends Metrics[keyof Metrics]['kind']>(kind: Kind): NamesOf<Kind>[] {
  return Object.keys(METRICS).filter((name): name is NamesOf<Kind> => KINDS[name]?.kind === kind);
}

const KINDS: Readonly<Record<string, { readonly kind: string }>> = METRICS;

function counter(help: string) {
  return { kind: 'counter' as const, help };
}

function gauge(help: string) {
  return { kind: 'gauge' as const, help };
}

function histogram(help: string, bounds: readonly number[]) {
  return { kind: 'histogram' as const, help, bounds };
}
