import { gunzipSync } from 'node:zlib';
import { type BodyServer, openBodyServer } from '../helpers/body-server.js';
import { otlpRecordIds } from './otlp-bodies.js';

/** An OpenTelemetry backend in this process that accepts log records as gzipped protobuf. */
export interface OtlpBackend extends BodyServer {
  /** How often each event was received, by its id. */
  readonly timesById: ReadonlyMap<string, number>;
}

/** Listens on a loopback port; 0 for a free one. */
export async function openOtlpBackend(port: number): Promise<OtlpBackend> {
  const timesById = new Map<string, number>();
  const server = await openBodyServer((body, _request, response) => {
    for (const id of otlpRecordIds(gunzipSync(body))) timesById.set(id, (timesById.get(id) ?? 0) + 1);
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  }, port);
  return { ...server, timesById };
}
