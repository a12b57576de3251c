import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { type BodyServer, openBodyServer } from '../../helpers/body-server.js';
import { decodeByOracle } from '../receivers/otlp/decode/oracle.js';

/** Response of a backend. */
export type Reply =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string | Buffer }
  /** No response. */
  | 'hang'
  /** Closes the connection. */
  | 'close'
  /** Closes the connection within a 200 response. */
  | 'break'
  /** Sends bytes that are not HTTP. */
  | 'garbage';

/** AnyValue of OTLP JSON. */
export interface AnyValueJson {
  readonly stringValue?: string;
  readonly intValue?: string;
  readonly boolValue?: boolean;
  readonly doubleValue?: number;
  readonly kvlistValue?: { readonly values: readonly AttributeJson[] };
  readonly arrayValue?: { readonly values: readonly AnyValueJson[] };
}
export interface AttributeJson {
  readonly key: string;
  readonly value: AnyValueJson;
}
export interface RecordJson {
  readonly timeUnixNano: string;
  readonly observedTimeUnixNano: string;
  readonly severityNumber: number | string;
  readonly severityText: string;
  readonly body: AnyValueJson;
  readonly attributes: readonly AttributeJson[];
  readonly eventName: string;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly flags?: number;
}
export interface RequestJson {
  readonly resourceLogs: readonly {
    readonly resource: { readonly attributes: readonly AttributeJson[] };
    readonly scopeLogs: readonly {
      readonly scope: { readonly name: string };
      readonly logRecords: readonly RecordJson[];
    }[];
  }[];
}

/** An OpenTelemetry backend on a free port. */
export interface Backend extends BodyServer {
  /** All received requests, with any response. */
  readonly received: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly request: RequestJson }[];
  /** Requests with a 2xx response. */
  readonly accepted: RequestJson[];
  /** Responses to the next requests; default 200. */
  respond: (request: RequestJson, nth: number) => Reply;
  /** Event ids of accepted records, in order. */
  ids(): string[];
}

export function recordsOf(request: RequestJson): RecordJson[] {
  return request.resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => [...logRecords]));
}

/** Event ids of the records of a request, in order. */
export function idsOf(request: RequestJson): string[] {
  return recordsOf(request).map((record) => attributeOf(record, 'log.record.uid')?.stringValue ?? '');
}

/** The value of an attribute by its key. */
export function attributeOf(record: Pick<RecordJson, 'attributes'>, key: string): AnyValueJson | undefined {
  return record.attributes.find((attribute) => attribute.key === key)?.value;
}

/** Starts a backend; `closeBodyServers` closes it after the test. */
export async function startBackend(port = 0): Promise<Backend> {
  const server = await openBodyServer((bytes, { url = '', headers }, response) => {
    const plain = headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
    const isProto = headers['content-type'] === 'application/x-protobuf';
    const request = (isProto ? decodeByOracle('logs', plain) : JSON.parse(plain.toString('utf8'))) as RequestJson;
    backend.received.push({ path: url, headers, request });
    reply(response, backend.respond(request, backend.received.length - 1), request, backend);
  }, port);
  const backend: Backend = {
    ...server,
    received: [],
    accepted: [],
    respond: () => ({ status: 200 }),
    ids: () => backend.accepted.flatMap(idsOf),
  };
  return backend;
}

function reply(response: ServerResponse, how: Reply, request: RequestJson, backend: Backend): void {
  if (how === 'hang') return;
  if (how === 'close') {
    response.socket?.destroy();
    return;
  }
  if (how === 'break') {
    response.writeHead(200, { 'content-length': '100' });
    response.write('a part of it', () => response.socket?.resetAndDestroy());
    return;
  }
  if (how === 'garbage') {
    response.socket?.end('\u0000\u001b[2J not HTTP at all\r\n\r\n');
    return;
  }
  if (how.status >= 200 && how.status < 300) backend.accepted.push(request);
  response.writeHead(how.status, how.headers);
  response.end(how.body);
}
