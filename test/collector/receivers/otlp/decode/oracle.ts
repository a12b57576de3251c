import { createRequire } from 'node:module';
import type { JsonObject } from '../../../../../core/event/json.js';

/** The members of a message class of protobufjs that are used here. */
interface GeneratedMessage {
  fromObject(value: object): object;
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
  toObject(message: object, options: object): JsonObject;
}

interface Generated {
  readonly opentelemetry: {
    readonly proto: {
      readonly collector: {
        readonly logs: { readonly v1: { readonly ExportLogsServiceRequest: GeneratedMessage } };
        readonly trace: { readonly v1: { readonly ExportTraceServiceRequest: GeneratedMessage } };
      };
    };
  };
}

/** The decoder that OpenTelemetry JS shipped in an earlier version. */
const generated: Generated = createRequire(import.meta.url)(
  '@opentelemetry/otlp-transformer-oracle/build/src/generated/root.js',
);
const { collector } = generated.opentelemetry.proto;

export const MESSAGES = {
  logs: collector.logs.v1.ExportLogsServiceRequest,
  traces: collector.trace.v1.ExportTraceServiceRequest,
} as const;

export type Signal = keyof typeof MESSAGES;

const ID_KEYS: ReadonlySet<string> = new Set(['traceId', 'spanId', 'parentSpanId']);

/** Converts ids: OTLP JSON has them in hexadecimal, protobufjs in base64. */
function withIds(request: object, from: BufferEncoding, to: BufferEncoding): object {
  return JSON.parse(JSON.stringify(request), (key, value) =>
    ID_KEYS.has(key) && typeof value === 'string' ? Buffer.from(value, from).toString(to) : value,
  );
}

/** Encodes a request in OTLP JSON as protobuf. */
export function encodeByOracle(signal: Signal, request: object): Buffer {
  const message = MESSAGES[signal].fromObject(withIds(request, 'hex', 'base64'));
  return Buffer.from(MESSAGES[signal].encode(message).finish());
}

/** Decodes protobuf to OTLP JSON. */
export function decodeByOracle(signal: Signal, body: Buffer): object {
  const message = MESSAGES[signal].decode(body);
  const object = MESSAGES[signal].toObject(message, { longs: String, bytes: String, json: true });
  return withIds(object, 'base64', 'hex');
}
