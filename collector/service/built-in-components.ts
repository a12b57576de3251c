import type { BuiltIns } from '../component/built-in.js';
import { debugExporter } from '../exporters/debug-exporter.js';
import { natsExporter } from '../exporters/nats/nats-exporter.js';
import { otlpHttpExporter } from '../exporters/otlp-http/otlp-http-exporter.js';
import { storeExporter } from '../exporters/store-exporter.js';
import { webhookExporter } from '../exporters/webhook/webhook-exporter.js';
import { bearerTokenAuth } from '../extensions/bearer-token-auth.js';
import { healthCheckExtension } from '../extensions/health-check-extension.js';
import { mcpExtension } from '../extensions/mcp-extension.js';
import { queryExtension } from '../extensions/query-extension.js';
import { attributesProcessor } from '../processors/attributes/attributes-processor.js';
import { filterProcessor } from '../processors/filter-processor.js';
import { memoryLimiter } from '../processors/memory-limiter-processor.js';
import { redactionProcessor } from '../processors/redaction/redaction-processor.js';
import { rateLimitProcessor, sampleProcessor } from '../processors/sampling/sampling-processor.js';
import { eventsReceiver } from '../receivers/events/events-receiver.js';
import { fileLogReceiver } from '../receivers/file-log/file-log-receiver.js';
import { natsReceiver } from '../receivers/nats/nats-receiver.js';
import { otlpReceiver } from '../receivers/otlp/otlp-receiver.js';
import { sentryReceiver } from '../receivers/sentry/sentry-receiver.js';

/** The components that the collector has without plugins: a new one is added here and in config/schema.json. */
export const BUILT_INS: BuiltIns = {
  receivers: {
    events: eventsReceiver,
    file_log: fileLogReceiver,
    nats: natsReceiver,
    otlp: otlpReceiver,
    sentry: sentryReceiver,
  },
  processors: {
    attributes: attributesProcessor,
    filter: filterProcessor,
    memory_limiter: memoryLimiter,
    rate_limit: rateLimitProcessor,
    redaction: redactionProcessor,
    sample: sampleProcessor,
  },
  exporters: {
    debug: debugExporter,
    nats: natsExporter,
    otlp_http: otlpHttpExporter,
    store: storeExporter,
    webhook: webhookExporter,
  },
  extensions: {
    bearertokenauth: bearerTokenAuth,
    health_check: healthCheckExtension,
    mcp: mcpExtension,
    query: queryExtension,
  },
};
