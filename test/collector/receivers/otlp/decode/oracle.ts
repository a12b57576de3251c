import { createRequire } from 'node:module';
import type { JsonObject } from '../../../../../core/event/json.js';

/** What protobufjs generates of one message, as far as it is used here. */
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

/** The code that OpenTelemetry JS once shipped to decode requests. */
const generated: Generated = createRequire(import.meta.url)(
  '@opentelemetry/otlp-transformer-oracle/build/src/generated/root.js',
);
const { collector } = generated.opentelemetry.proto;

/** The requests that it reads and writes. */
export const MESSAGES = {
  logs: collector.logs.v1.ExportLogsServiceRequest,
  traces: collector.trace.v1.ExportTraceServiceRequest,
} as const;

/** What the oracle reads and writes. */
export type Signal = keyof typeof MESSAGES;

const ID_KEYS: ReadonlySet<string> = new Set(['traceId', 'spanId', 'parentSpanId']);

/** The same request with its ids in another text form: hexadecimal in OTLP's JSON, base64 for protobufjs. */
function withIds(request: object, from: BufferEncoding, to: BufferEncoding): object {
  return JSON.parse(JSON.stringify(request), (key, value) =>
    ID_KEYS.has(key) && typeof value === 'string' ? Buffer.from(value, from).toString(to) : value,
  );
}

/** Protobuf of a request in OTLP's JSON, written by the oracle. */
export function encodeByOracle(signal: Signal, request: object): Buffer {
  const message = MESSAGES[signal].fromObject(withIds(request, 'hex', 'base64'));
  return Buffer.from(MESSAGES[signal].encode(message).finish());
}

/** OTLP's JSON of a request, read by the oracle. */
export function decodeByOracle(signal: Signal, body: Buffer): object {
  const message = MESSAGES[signal].decode(body);
  const object = MESSAGES[signal].toObject(message, { longs: String, bytes: String, json: true });
  return withIds(object, 'base64', 'hex');
}
