import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { otlpRecordIds } from './otlp-bodies.js';

/** An OpenTelemetry backend in this process that takes whatever comes as compressed protobuf. */
export interface OtlpBackend {
  readonly port: number;
  /** How often each event came, by its id. */
  readonly timesById: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** Listens on a port of loopback; 0 takes any. */
export async function openOtlpBackend(port: number): Promise<OtlpBackend> {
  const timesById = new Map<string, number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      for (const id of otlpRecordIds(gunzipSync(Buffer.concat(chunks))))
        timesById.set(id, (timesById.get(id) ?? 0) + 1);
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the backend has no port');
  return {
    port: address.port,
    timesById,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
