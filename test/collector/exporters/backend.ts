import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { decodeByOracle } from '../receivers/otlp/decoding/oracle.js';

/** How a backend answers a request. */
export type Reply =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string | Buffer }
  /** Never. */
  | 'hang'
  /** By closing the connection. */
  | 'close'
  /** By closing it in the middle of a success. */
  | 'break'
  /** By what is no HTTP. */
  | 'garbage';

/** A value as OTLP's JSON has it. */
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
export interface Backend {
  readonly url: string;
  readonly port: number;
  /** Everything that came, whatever the answer was. */
  readonly came: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly request: RequestJson }[];
  /** Requests that were answered with 2xx. */
  readonly taken: RequestJson[];
  /** What the next requests are answered with; default 200. */
  answer: (request: RequestJson, nth: number) => Reply;
  /** Event ids of what was taken, in order. */
  ids(): string[];
  /** Attribute by name. */
  close(): Promise<void>;
}

export function recordsOf(request: RequestJson): RecordJson[] {
  return request.resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => [...logRecords]));
}

export function attributeOf(record: Pick<RecordJson, 'attributes'>, key: string): AnyValueJson | undefined {
  return record.attributes.find((attribute) => attribute.key === key)?.value;
}

const opened: Backend[] = [];

/** Starts one; `closeBackends` ends it after the test. */
export async function startBackend(port = 0): Promise<Backend> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const plain = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
      const isProto = request.headers['content-type'] === 'application/x-protobuf';
      const decoded = (isProto ? decodeByOracle('logs', plain) : JSON.parse(plain.toString('utf8'))) as RequestJson;
      backend.came.push({ path: request.url ?? '', headers: request.headers, request: decoded });
      reply(response, backend.answer(decoded, backend.came.length - 1), decoded, backend);
    });
    request.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const bound = (server.address() as AddressInfo).port;
  const backend: Backend = {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    came: [],
    taken: [],
    answer: () => ({ status: 200 }),
    ids: () =>
      backend.taken.flatMap(recordsOf).map((record) => attributeOf(record, 'log.record.uid')?.stringValue ?? ''),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  opened.push(backend);
  return backend;
}

export async function closeBackends(): Promise<void> {
  await Promise.all(opened.splice(0).map((backend) => backend.close()));
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
  if (how.status >= 200 && how.status < 300) backend.taken.push(request);
  response.writeHead(how.status, how.headers);
  response.end(how.body);
}
