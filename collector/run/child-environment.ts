import { type RunSource, runNamesOf } from './run-source.js';

/** The endpoints of a collector for the SDKs of a program. */
export interface CollectorEndpoints {
  /** Base URL of the collector. */
  readonly url: string;
  /** Base URL for OTLP over HTTP; undefined if the collector does not accept it. */
  readonly otlpUrl?: string | undefined;
  /** DSN for Sentry SDKs; undefined if the collector does not accept it. */
  readonly sentryDsn?: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Adds the variables with which SDKs find the collector to the environment of a program. Variables that are already set stay. */
export function childEnvironment(
  environment: Environment,
  endpoints: CollectorEndpoints | undefined,
  source: RunSource,
): Environment {
  if (endpoints === undefined) return environment;
  return {
    FAULTLINE_URL: endpoints.url,
    ...otlpVariables(environment, endpoints, source),
    ...sentryVariables(environment, endpoints, source),
    ...environment,
  };
}

function otlpVariables(environment: Environment, { otlpUrl }: CollectorEndpoints, source: RunSource): Environment {
  if (otlpUrl === undefined) return {};
  const { app, service, env, release } = runNamesOf(source);
  const attributes = {
    'service.namespace': app,
    'deployment.environment.name': env,
    ...(release === undefined ? {} : { 'service.version': release }),
  };
  // Some SDKs default to gRPC, which has another port. An endpoint that is already set has its own protocol.
  const isEndpointSet = environment['OTEL_EXPORTER_OTLP_ENDPOINT'] !== undefined;
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: otlpUrl,
    // The collector drops metrics. A program with an endpoint for them sends them there.
    ...(isEndpointSet || environment['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'] !== undefined
      ? {}
      : { OTEL_METRICS_EXPORTER: 'none' }),
    ...(isEndpointSet ? {} : { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }),
    OTEL_SERVICE_NAME: service,
    // The OpenTelemetry specification requires percent-encoded values here.
    OTEL_RESOURCE_ATTRIBUTES: Object.entries(attributes)
      .map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
      .join(','),
  };
}

function sentryVariables(environment: Environment, { sentryDsn }: CollectorEndpoints, source: RunSource): Environment {
  // A program with its own DSN reports elsewhere and keeps its names there.
  if (sentryDsn === undefined || environment['SENTRY_DSN'] !== undefined) return {};
  const { env, release } = runNamesOf(source);
  return {
    SENTRY_DSN: sentryDsn,
    SENTRY_ENVIRONMENT: env,
    ...(release === undefined ? {} : { SENTRY_RELEASE: release }),
  };
}
