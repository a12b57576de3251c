// Records exceptions with the OpenTelemetry web SDK; the URL of the page has the endpoint.
import { logs, SeverityNumber } from '@opentelemetry/api-logs';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { WebTracerProvider } from '@opentelemetry/sdk-trace-web';

const endpoint = new URL(location.href).searchParams.get('endpoint');
const resource = resourceFromAttributes({
  'service.name': 'shop-page',
  'service.namespace': 'shop',
  'deployment.environment.name': 'test-page',
});

const spans = new SimpleSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }));
const tracer = new WebTracerProvider({ resource, spanProcessors: [spans] }).getTracer('page');
const records = new SimpleLogRecordProcessor({ exporter: new OTLPLogExporter({ url: `${endpoint}/v1/logs` }) });
const provider = new LoggerProvider({ resource, processors: [records] });

function pay() {
  throw new RangeError('no such card');
}

window.report = async () => {
  const span = tracer.startSpan('checkout');
  try {
    pay();
  } catch (error) {
    span.recordException(error);
    provider.getLogger('page').emit({ severityNumber: SeverityNumber.ERROR, body: 'checkout was not possible' });
  }
  span.end();
  await Promise.all([spans.forceFlush(), records.forceFlush()]);
  logs.disable();
  return true;
};
