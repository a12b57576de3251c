import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Service } from '../../../collector/service/service.js';
import { Log } from '../../../collector/telemetry/logger.js';
import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { exceptionJson, logJson, logProtobuf, logsBody, spanJson, tracesBody } from '../receivers/otlp/bodies.js';
import { originOf, settingsFor, statsOf } from '../running-service.js';

afterAll(removeTemporaryFolders);

/** Occurs in every text of an event; must not occur in the log. */
const MARKER = 'XyzzyMarker';
const STACK = `${MARKER}: ${MARKER}\n    at ${MARKER} (/srv/${MARKER}.js:1:2)`;
const EVENT = serverPayload({
  error_name: MARKER,
  message: `${MARKER} did not answer`,
  stack: STACK,
  route: `/${MARKER}`,
  tags: { [MARKER]: MARKER },
  extra: { [MARKER]: { [MARKER]: [MARKER] } },
  user_id: MARKER,
});
const ATTRIBUTES = {
  'exception.type': MARKER,
  'exception.message': MARKER,
  'exception.stacktrace': STACK,
  [MARKER]: MARKER,
};
const SENTRY_EVENT = {
  exception: { values: [{ type: MARKER, value: MARKER }] },
  tags: { [MARKER]: MARKER },
  extra: { [MARKER]: 1 },
};

async function startLogging() {
  const directory = await temporaryFolder();
  const lines: string[] = [];
  const settings = settingsFor(
    join(directory, 'data'),
    'service.telemetry.logs={ level: trace, encoding: json }',
    `receivers.file_log={ include: ["${directory}/*.log"], start_at: beginning, storage: { directory: "${directory}/checkpoint" }, defaults: { app: a } }`,
    'receivers.otlp.protocols={ http: { endpoint: "127.0.0.1:0" }, grpc: { endpoint: "127.0.0.1:0" } }',
    'receivers.sentry.endpoint=127.0.0.1:0',
    'service.pipelines.events.receivers=[events, otlp, sentry, file_log]',
    'processors={ redaction: {}, filter: { drop: ["level:debug"] }, attributes: { actions: [{ key: tags.a, action: insert, value: b }] }, rate_limit: { max_events: 5, interval: 1h } }',
    'service.pipelines.events.processors=[redaction, filter, attributes, rate_limit]',
  );
  const { logger } = new Log(settings.service.telemetry.logs, { write: (line: string) => void lines.push(line) });
  const service = new Service(settings, { logger });
  await service.start();
  const { extensions } = service.describe();
  return { service, lines, directory, apiUrl: `${extensions[0]?.url ?? ''}/api/v1` };
}

describe('the log at level trace', () => {
  it('contains no text of any event, for all outcomes', async () => {
    const { service, lines, directory, apiUrl } = await startLogging();
    const [events, otlp, sentry] = ['events', 'otlp', 'sentry'].map((id) => originOf({ service }, id));
    const json = { 'content-type': 'application/json' };
    const send = async (
      url: string,
      body: string | Uint8Array<ArrayBuffer>,
      headers: Record<string, string> = json,
    ) => {
      const response = await fetch(url, { method: 'POST', body, headers });
      await response.text();
      return response.status;
    };
    const statuses: number[] = [];
    const many = Array.from({ length: 20 }, () => EVENT);
    for (const body of [
      JSON.stringify([EVENT, { ...EVENT, level: 'debug' }, { [MARKER]: MARKER }, MARKER, { ...EVENT, message: 5 }]),
      JSON.stringify(many),
      `{"message":"${MARKER}`,
      `[${JSON.stringify(EVENT)}, ${MARKER}]`,
      MARKER,
    ]) {
      statuses.push(await send(`${events}/v1/events`, body));
      statuses.push(await send(`${events}/v1/events`, body, { 'content-type': 'application/x-ndjson' }));
      statuses.push(await send(`${events}/v1/events`, body, { ...json, 'content-encoding': 'gzip' }));
      statuses.push(await send(`${events}/v1/events`, body, { ...json, 'idempotency-key': MARKER }));
      statuses.push(await send(`${otlp}/v1/logs`, body));
      statuses.push(await send(`${sentry}/api/1/envelope/?sentry_key=${'0'.repeat(32)}`, body));
      statuses.push(await send(`${sentry}/api/1/store/?sentry_key=${'0'.repeat(32)}`, body));
    }
    const zipped = new Uint8Array(gzipSync(JSON.stringify(EVENT)));
    statuses.push(await send(`${events}/v1/events`, zipped, { ...json, 'content-encoding': 'gzip' }));
    statuses.push(await send(`${otlp}/v1/logs`, logsBody(logJson(ATTRIBUTES), { body: MARKER })));
    statuses.push(
      await send(`${otlp}/v1/traces`, tracesBody(spanJson(ATTRIBUTES, { events: [exceptionJson(ATTRIBUTES)] }))),
    );
    const protobuf = new Uint8Array(logProtobuf(MARKER));
    for (const body of [protobuf, protobuf.subarray(0, -3)]) {
      statuses.push(await send(`${otlp}/v1/logs`, body, { 'content-type': 'application/x-protobuf' }));
    }
    const item = JSON.stringify(SENTRY_EVENT);
    for (const envelope of [
      `{}\n{"type":"event"}\n${item}\n`,
      `{}\n{"type":"event"}\n${item.slice(0, -3)}\n`,
      `{}\n{"type":"${MARKER}"}\n${item}\n`,
      `{"dsn":"${MARKER}"}\n{"type":"log","item_count":1,"content_type":"application/vnd.sentry.items.log+json"}\n{"items":[{"level":"error","body":"${MARKER}"}]}\n`,
    ]) {
      statuses.push(await send(`${sentry}/api/1/envelope/?sentry_key=${'0'.repeat(32)}`, envelope, {}));
    }
    await appendFile(
      join(directory, 'app.log'),
      `${STACK}\n\n{"level":"error","msg":"${MARKER}"}\n{"level":"error","${MARKER}\n`,
    );
    await waitFor('the failures of the file', async () => {
      const { receivers } = await statsOf({ apiUrl });
      return (receivers['file_log']?.received ?? 0) >= 2;
    });
    await fetch(`${apiUrl}/issues?query=${encodeURIComponent(`"${MARKER}`)}`);
    await fetch(`${apiUrl}/issues/${MARKER}`);
    await service.shutdown();
    // Proves that the test made events of each kind.
    expect(new Set(statuses)).toEqual(new Set([200, 400, 422]));
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter((line) => line.includes(MARKER))).toEqual([]);
  });
});
