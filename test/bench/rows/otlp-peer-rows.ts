import type { ClosedLoop } from '../peers/closed-loop.js';
import { freshOtlp } from '../peers/fresh-bodies.js';
import { inTurns } from '../peers/in-turns.js';
import { measureLoad, measureOurs } from '../peers/measure-load.js';
import { type CollectorExporter, startOpenTelemetryCollector } from '../peers/open-telemetry-collector.js';
import { buildOpenTelemetryCollector } from '../peers/peer-tools.js';
import { type Row, row, withoutHeadline } from '../row.js';
import { costRows, ratioBar } from './cost-rows.js';

const RECORDS = 100;
const OTLP_CONNECTIONS = 8;

/** OTLP beside the OpenTelemetry Collector. */
export async function otlpPeerRows(folder: string): Promise<Row[]> {
  const program = buildOpenTelemetryCollector();
  if (program === undefined) return [];
  const protobuf = freshOtlp('protobuf', RECORDS);
  const withoutIds = freshOtlp('protobuf', RECORDS, false);
  const json = freshOtlp('json', RECORDS);
  const http = (url: string, bodies = protobuf): ClosedLoop => ({
    url: `${url}/v1/logs`,
    contentType: bodies === json ? 'application/json' : 'application/x-protobuf',
    bodies,
    connections: OTLP_CONNECTIONS,
  });
  const grpc = (url: string): ClosedLoop => ({
    url,
    contentType: 'grpc',
    bodies: protobuf,
    connections: OTLP_CONNECTIONS,
  });
  const start = (own: string, exporter: CollectorExporter) => () => startOpenTelemetryCollector(program, own, exporter);
  const cost = await inTurns(folder, {
    protobuf: (own) => measureOurs(own, ({ ingestUrl }) => http(ingestUrl)),
    queue: (own) => measureLoad(start(own, 'queue'), ({ url }) => http(url)),
    withoutIds: (own) => measureOurs(own, ({ ingestUrl }) => http(ingestUrl, withoutIds)),
    grpc: (own) => measureOurs(own, ({ grpcUrl }) => grpc(grpcUrl)),
    grpcQueue: (own) => measureLoad(start(own, 'queue'), ({ grpcUrl }) => grpc(grpcUrl)),
    json: (own) => measureOurs(own, ({ ingestUrl }) => http(ingestUrl, json)),
    jsonFile: (own) => measureLoad(start(own, 'file'), ({ url }) => http(url, json)),
  });
  const queue = "OpenTelemetry Collector's queue on disk with fsync";
  const file = "OpenTelemetry Collector's file without fsync";
  return [
    ...costRows('OTLP protobuf', cost.protobuf, queue, cost.queue, ratioBar(0.7), ratioBar(0.6)),
    ...costRows('OTLP gRPC', cost.grpc, queue, cost.grpcQueue, ratioBar(1)).map(withoutHeadline),
    ...costRows('OTLP JSON', cost.json, file, cost.jsonFile, ratioBar(1.7)),
    row(
      'OTLP protobuf with trace ids, per second',
      cost.protobuf.perSecond,
      'the same without trace ids',
      cost.withoutIds.perSecond,
      'higher',
      ratioBar(0.95),
    ),
    row('memory after OTLP protobuf, MB', cost.protobuf.residentMb, queue, cost.queue.residentMb, 'lower'),
  ];
}
