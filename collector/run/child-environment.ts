import { type RunSource, runNamesOf } from './run-source.js';

/** Where a collector takes what programs report themselves. */
export interface ServedEndpoints {
  /** Base address of the collector's ingest. */
  readonly url: string;
  /** Base address for OTLP over HTTP; undefined when the collector does not take it. */
  readonly otlpUrl?: string | undefined;
  /** DSN for Sentry SDKs; undefined when the collector takes none, or none of ours. */
  readonly sentryDsn?: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of a program that is run: ours, and where its SDKs find the collector. What is set already stays. */
export function childEnvironment(
  own: Environment,
  served: ServedEndpoints | undefined,
  source: RunSource,
): Environment {
  if (served === undefined) return own;
  return { FAULTLINE_URL: served.url, ...otlpPart(own, served, source), ...sentryPart(own, served, source), ...own };
}

function otlpPart(own: Environment, { otlpUrl }: ServedEndpoints, source: RunSource): Environment {
  if (otlpUrl === undefined) return {};
  const { app, service, env, release } = runNamesOf(source);
  const attributes = {
    'service.namespace': app,
    'deployment.environment.name': env,
    ...(release === undefined ? {} : { 'service.version': release }),
  };
  // The default of some SDKs is gRPC, which answers on another port. An endpoint that is set already has its own protocol.
  const isEndpointSet = own['OTEL_EXPORTER_OTLP_ENDPOINT'] !== undefined;
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: otlpUrl,
    ...(isEndpointSet ? {} : { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }),
    OTEL_SERVICE_NAME: service,
    // Values are percent-encoded: OpenTelemetry's resource SDK, "Specifying resource information via an environment variable".
    OTEL_RESOURCE_ATTRIBUTES: Object.entries(attributes)
      .map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
      .join(','),
  };
}

function sentryPart(own: Environment, { sentryDsn }: ServedEndpoints, source: RunSource): Environment {
  // A program with a DSN of its own reports elsewhere, and is not renamed there.
  if (sentryDsn === undefined || own['SENTRY_DSN'] !== undefined) return {};
  const { env, release } = runNamesOf(source);
  return {
    SENTRY_DSN: sentryDsn,
    SENTRY_ENVIRONMENT: env,
    ...(release === undefined ? {} : { SENTRY_RELEASE: release }),
  };
}
