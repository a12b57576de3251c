// Requests of OTLP: logs and traces, over HTTP as JSON and protobuf and over gRPC.
import { createRequire } from 'node:module';
import { Client, credentials } from '@grpc/grpc-js';
import { payloadOf, stackOf } from './journal.js';

const { logs, trace } = createRequire(import.meta.url)(
  '@opentelemetry/otlp-transformer-oracle/build/src/generated/root.js',
).opentelemetry.proto.collector;
const SIGNALS = {
  logs: {
    path: '/v1/logs',
    method: '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
    Request: logs.v1.ExportLogsServiceRequest,
    Response: logs.v1.ExportLogsServiceResponse,
    rejectedOf: ({ partialSuccess }) => Number(partialSuccess?.rejectedLogRecords ?? 0),
  },
  traces: {
    path: '/v1/traces',
    method: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
    Request: trace.v1.ExportTraceServiceRequest,
    Response: trace.v1.ExportTraceServiceResponse,
    rejectedOf: ({ partialSuccess }) => Number(partialSuccess?.rejectedSpans ?? 0),
  },
};
/** The client also reports a lost connection as UNAVAILABLE. */
const LOST = new Set([4, 14]);

const attribute = (key, stringValue) => ({ key, value: { stringValue } });
const exceptionAttributes = ({ error_name: type, message, stack }) => [
  attribute('exception.type', type),
  attribute('exception.message', message),
  ...(stack === undefined ? [] : [attribute('exception.stacktrace', stack)]),
];
const resourceOf = ({ app, service, env }) => ({
  attributes: [
    attribute('service.namespace', app),
    attribute('service.name', service),
    attribute('deployment.environment.name', env),
  ],
});
const nanos = () => `${Date.now()}000000`;

function logsMessage(events, more = () => ({})) {
  const logRecords = events.map(({ uid, event: { payload } }) => ({
    severityNumber: 17,
    timeUnixNano: nanos(),
    body: { stringValue: payload.message },
    attributes: [attribute('log.record.uid', uid), ...exceptionAttributes(payload)],
    ...more(payload),
  }));
  return { resourceLogs: [{ resource: resourceOf(events[0].event.payload), scopeLogs: [{ logRecords }] }] };
}

/** One span for each event, with the ids of `context` or with those of the event. */
function tracesMessage(events, context) {
  const spans = events.map(({ uid, event: { payload } }) => ({
    traceId: uid.replaceAll('-', ''),
    spanId: uid.replaceAll('-', '').slice(0, 16),
    ...context,
    name: 'GET /cart',
    kind: 2,
    startTimeUnixNano: nanos(),
    endTimeUnixNano: nanos(),
    events: [{ name: 'exception', timeUnixNano: nanos(), attributes: exceptionAttributes(payload) }],
  }));
  return { resourceSpans: [{ resource: resourceOf(events[0].event.payload), scopeSpans: [{ spans }] }] };
}

/** The ways to send; `close` closes the connection of gRPC. */
export function otlpRequests({ journal, urls, batch, acknowledgeAll, post }) {
  const { random } = journal;
  const grpc = new Client(urls.grpc, credentials.createInsecure());

  const overHttp = async (signal, type, body, decode) => {
    const response = await post(signal.path, body, { 'content-type': type });
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, rejected: response.status === 200 ? signal.rejectedOf(decode(bytes)) : 0 };
  };
  const overGrpc = (signal, bytes) =>
    new Promise((resolve, reject) => {
      const done = (error, response) => {
        if (LOST.has(error?.code)) reject(error);
        else resolve(error ? { status: error.code } : { status: 200, rejected: signal.rejectedOf(response) });
      };
      const encode = (value) => value;
      const decode = (value) => signal.Response.decode(value);
      grpc.makeUnaryRequest(signal.method, encode, decode, bytes, { deadline: Date.now() + 10_000 }, done);
    });

  /** Chooses an encoding and a protocol; returns a request that may be repeated. */
  const requestOf = (signal, message, events) => {
    const bytes = Buffer.from(signal.Request.encode(signal.Request.fromObject(binaryIds(message))).finish());
    const send = random.pick([
      () => overHttp(signal, 'application/json', JSON.stringify(message), (body) => JSON.parse(body)),
      () => overHttp(signal, 'application/x-protobuf', bytes, (body) => signal.Response.decode(body)),
      () => overGrpc(signal, bytes),
    ]);
    return async () => {
      const { status, rejected } = await send();
      if (rejected) journal.report('responses', events[0].uid, `${rejected} of ${events.length} records were rejected`);
      if (status === 200) acknowledgeAll('otlp', events);
      return status;
    };
  };

  const ways = {
    otlp() {
      const events = batch('otlp', 8);
      return { events, request: requestOf(SIGNALS.logs, logsMessage(events), events), isRepeatable: true };
    },
    traces() {
      const events = batch('otlp', 4);
      return { events, request: requestOf(SIGNALS.traces, tracesMessage(events), events), isRepeatable: true };
    },
    /** An exception as a log record and on its span, with different outer frames: both are stored and count once. */
    exceptionPair() {
      const payload = { ...payloadOf(random), stack: stackOf(random, 'Gorse') };
      const event = journal.add('otlp', payload, { mostTimes: 2 });
      const context = { traceId: event.uid.replaceAll('-', ''), spanId: event.uid.replaceAll('-', '').slice(16) };
      const longer = { ...event, event: { ...event.event, payload: { ...event.event.payload } } };
      longer.event.payload.stack += '\n    at listen (/srv/shop/main.js:3:1)';
      const log = logsMessage([event], () => context);
      log.resourceLogs[0].scopeLogs[0].logRecords[0].attributes.shift();
      const requests = [
        requestOf(SIGNALS.logs, log, [event]),
        requestOf(SIGNALS.traces, tracesMessage([longer], context), [event]),
      ];
      const request = async () => {
        const [first, second] = random.chance(0.5) ? requests : requests.toReversed();
        return Math.max(await first(), await second());
      };
      return { events: [event], request, isRepeatable: false };
    },
  };
  return { ways, close: () => grpc.close() };
}

/** JSON of OTLP has ids in hexadecimal; protobufjs reads them as base64. */
function binaryIds(message) {
  const copy = structuredClone(message);
  const records = [
    ...(copy.resourceLogs ?? []).flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords)),
    ...(copy.resourceSpans ?? []).flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  ];
  for (const record of records) {
    for (const key of ['traceId', 'spanId']) if (key in record) record[key] = Buffer.from(record[key], 'hex');
  }
  return copy;
}
