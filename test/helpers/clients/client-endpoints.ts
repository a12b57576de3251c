import type { RunningCollector } from '../faultline-process.js';

/** The protocols of OTLP, as `OTEL_EXPORTER_OTLP_PROTOCOL` names them. */
export const OTLP_PROTOCOLS = ['http/json', 'http/protobuf', 'grpc'] as const;
export type OtlpProtocol = (typeof OTLP_PROTOCOLS)[number];

/** Where clients send, as the collector's own start-up text says. */
export interface ClientEndpoints {
  /** Base address of OTLP over HTTP. */
  readonly http: string;
  /** Address of OTLP over gRPC, with the scheme that the SDK asks for. */
  readonly grpc: string;
  readonly dsn: string;
}

/** Reads them from the text; throws what it found when one is missing. */
export function clientEndpoints({ output }: RunningCollector): ClientEndpoints {
  return {
    http: found(output.stdout, /^ +(?:events and )?OpenTelemetry +(http:\S+)$/m),
    grpc: found(output.stdout, /^ +OpenTelemetry gRPC +(\S+)$/m, 'http://'),
    dsn: found(output.stdout, /^ +Sentry DSN +(http:\S+)$/m),
  };
}

/** The environment by which an OpenTelemetry client finds a collector. */
export function otlpEnvironment(protocol: OtlpProtocol, { http, grpc }: ClientEndpoints): NodeJS.ProcessEnv {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: protocol === 'grpc' ? grpc : http,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  };
}

function found(text: string, pattern: RegExp, prefix = ''): string {
  const word = pattern.exec(text)?.[1];
  if (word === undefined) throw new Error(`the start-up text has no ${String(pattern)}: ${text}`);
  return prefix + word;
}
