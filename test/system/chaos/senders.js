// Clients of every receiver. Each event has a uid in its message; the journal records what was sent and acknowledged.
import { appendFileSync, copyFileSync, renameSync, truncateSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import { pause } from './collector.js';

const { ExportLogsServiceRequest, ExportLogsServiceResponse } = createRequire(import.meta.url)(
  '@opentelemetry/otlp-transformer-oracle/build/src/generated/root.js',
).opentelemetry.proto.collector.logs.v1;
const EXPORT = '/opentelemetry.proto.collector.logs.v1.LogsService/Export';
const NAMES = { app: ['shop', 'a/b', '..'], service: ['api', 'wörker', '%41'], env: ['production', 'staging'] };

export function createJournal(random) {
  return {
    /** Only for the traffic, which draws a varying number of values, so that the rounds repeat for a seed. */
    random,
    sent: new Map(),
    actions: new Map(),
    problems: [],
    /** Requests without a response, which a later run may repeat. */
    unanswered: [],
    /** The newest acknowledged event id; events sent later must have greater ids. */
    newest: '',
    /** The events that were acknowledged for the first time in the current run, by receiver. */
    life: { stored: {} },
    add(by, payload = {}, entry = {}) {
      const uid = random.uid();
      const message = `upstream ${uid} did not answer`;
      const event = {
        by,
        isAcknowledged: false,
        mostTimes: 1,
        payload: { ...payload, message },
        after: this.newest,
        ...entry,
      };
      this.sent.set(uid, event);
      return { uid, event };
    },
    acknowledge(receiver, event, address) {
      if (
        event.address !== undefined &&
        address !== undefined &&
        event.address.eventId !== address.eventId &&
        event.mostTimes === 1
      ) {
        this.problems.push({
          check: 'repeated',
          where: `${address.path}:${address.line}`,
          what: `was ${event.address.eventId} the first time`,
        });
      }
      if (!event.isAcknowledged) this.life.stored[receiver] = (this.life.stored[receiver] ?? 0) + 1;
      event.isAcknowledged = true;
      event.acknowledgedMs ??= Date.now();
      event.address ??= address;
      if (address !== undefined && address.eventId > this.newest) this.newest = address.eventId;
    },
  };
}

export function payloadOf(random) {
  const name = random.pick(['Alder', 'Birch', 'Cedar', 'Dogwood', 'Elm', 'Fir']);
  const names = Object.fromEntries(Object.entries(NAMES).map(([key, values]) => [key, random.pick(values)]));
  return {
    ...names,
    error_name: `${name}Error`,
    route: '/cart',
    status_code: 502,
    extra: { filler: 'x'.repeat(random.below(2000)) },
  };
}

/** Sends with small pauses until `life.isStopped`. With sampling only events with an address are acknowledged. */
export function startSenders({ journal, urls, life }) {
  const { random } = journal;
  const grpc = new Client(urls.grpc, credentials.createInsecure());
  const batch = (by, most) => Array.from({ length: 1 + random.below(most) }, () => journal.add(by, payloadOf(random)));
  const acknowledgeAll = (receiver, events) => {
    if (!life.isSampling) for (const { event } of events) journal.acknowledge(receiver, event);
  };
  const post = (path, body, headers) => fetch(urls.ingest + path, { method: 'POST', body, headers });

  const ways = {
    native() {
      const form = random.pick(['one', 'array', 'ndjson']);
      const events = batch('events', form === 'one' ? 1 : random.pick([3, 20]));
      const payloads = events.map(({ event }) => event.payload);
      const texts = {
        one: JSON.stringify(payloads[0]),
        array: JSON.stringify(payloads),
        ndjson: payloads.map((payload) => JSON.stringify(payload)).join('\n'),
      };
      const type = form === 'ndjson' ? 'application/x-ndjson' : 'application/json';
      const key = random.chance(0.5) ? { 'idempotency-key': events[0].uid } : undefined;
      const request = async () => {
        const { epoch } = journal;
        const response = await post('/v1/events', texts[form], { 'content-type': type, ...key });
        const body = await response.json();
        for (const { index, event_id: eventId, raw } of body.events ?? []) {
          journal.acknowledge('events', events[index].event, { eventId, path: raw.path, line: raw.line, epoch });
        }
        if (response.status === 200 && !life.isSampling && body.events.length !== events.length) {
          journal.problems.push({
            check: 'responses',
            where: events[0].uid,
            what: `200 for ${events.length} events lists ${body.events.length}`,
          });
        }
        return response.status;
      };
      return { events, request, isRepeatable: key !== undefined };
    },
    otlp() {
      const events = batch('otlp', 8);
      const attribute = (key, stringValue) => ({ key, value: { stringValue } });
      const logRecords = events.map(({ uid, event: { payload } }) => ({
        severityNumber: 17,
        body: { stringValue: payload.message },
        attributes: [
          attribute('log.record.uid', uid),
          attribute('exception.type', payload.error_name),
          attribute('exception.message', payload.message),
        ],
      }));
      const { app, service, env } = events[0].event.payload;
      const attributes = [
        attribute('service.namespace', app),
        attribute('service.name', service),
        attribute('deployment.environment.name', env),
      ];
      const message = { resourceLogs: [{ resource: { attributes }, scopeLogs: [{ logRecords }] }] };
      const bytes = ExportLogsServiceRequest.encode(ExportLogsServiceRequest.fromObject(message)).finish();
      const overHttp = async (type, body, decode) => {
        const response = await post('/v1/logs', body, { 'content-type': type });
        const bytes = Buffer.from(await response.arrayBuffer());
        return {
          status: response.status,
          rejected: response.status === 200 && Number(decode(bytes).partialSuccess?.rejectedLogRecords ?? 0),
        };
      };
      const overGrpc = () =>
        new Promise((resolve, reject) => {
          const done = (error, response) => {
            // The client also reports a lost connection as UNAVAILABLE.
            if (error?.code === 14 || error?.code === 4) reject(error);
            else
              resolve(
                error
                  ? { status: error.code }
                  : { status: 200, rejected: Number(response.partialSuccess?.rejectedLogRecords ?? 0) },
              );
          };
          grpc.makeUnaryRequest(
            EXPORT,
            (value) => value,
            (value) => ExportLogsServiceResponse.decode(value),
            Buffer.from(bytes),
            { deadline: Date.now() + 10_000 },
            done,
          );
        });
      const send = random.pick([
        () => overHttp('application/json', JSON.stringify(message), (body) => JSON.parse(body)),
        () => overHttp('application/x-protobuf', bytes, (body) => ExportLogsServiceResponse.decode(body)),
        overGrpc,
      ]);
      const request = async () => {
        const { status, rejected } = await send();
        if (rejected)
          journal.problems.push({
            check: 'responses',
            where: events[0].uid,
            what: `${rejected} of ${events.length} log records were rejected`,
          });
        if (status === 200) acknowledgeAll('otlp', events);
        return status;
      };
      return { events, request, isRepeatable: true };
    },
    sentry() {
      const events = batch('sentry', 1);
      const { uid, event } = events[0];
      const { error_name: type, message: value, env: environment, app, service } = event.payload;
      const id = uid.replaceAll('-', '');
      const content = { event_id: id, environment, tags: { app, service }, exception: { values: [{ type, value }] } };
      const body = `{"event_id":"${id}"}\n{"type":"event"}\n${JSON.stringify(content)}`;
      const request = async () => {
        const response = await post('/api/1/envelope/?sentry_key=565626d49d522e34de49f2b5665fdf31', body, {
          'content-type': 'application/x-sentry-envelope',
        });
        await response.arrayBuffer();
        if (response.status === 200) acknowledgeAll('sentry', events);
        return response.status;
      };
      return { events, request, isRepeatable: true };
    },
  };

  const attempt = async (sending, isFirst) => {
    const { events, request, isRepeatable } = sending;
    let status;
    try {
      status = await request();
    } catch {
      life.unanswered += 1;
      // Receivers remember requests in memory, so a request that is repeated to another process may be stored twice.
      if (isFirst && isRepeatable) journal.unanswered.push(sending);
      return;
    }
    life.statuses[status] = (life.statuses[status] ?? 0) + 1;
    if (![200, 503].includes(status)) {
      journal.problems.push({
        check: 'responses',
        where: events[0].uid,
        what: `${events[0].event.by} returned ${status}`,
      });
    }
    if (!isFirst || !isRepeatable || life.isStopped || !random.chance(0.15)) return;
    // If the disk also failed to roll back, a start may adopt refused events.
    if (status !== 200 && life.hasFaults) for (const { event } of events) event.mostTimes = 2;
    await attempt(sending, false);
  };
  const sender = async (way) => {
    while (!life.isStopped) {
      const again = random.chance(0.1) ? journal.unanswered.pop() : undefined;
      if (again === undefined) await attempt(ways[way](), true);
      else {
        for (const { event } of again.events) event.mostTimes = 2;
        await attempt(again, false);
      }
      await pause(random.below(30));
    }
  };
  Object.assign(life, { unanswered: 0, statuses: {}, isStopped: false });
  const running = Promise.all(['native', 'native', 'native', 'otlp', 'otlp', 'sentry'].map(sender));
  return {
    async finish() {
      life.isStopped = true;
      await running;
      grpc.close();
    },
  };
}

/** Sends actions on listed issues. */
export async function startActing({ journal, urls, life }) {
  const { random } = journal;
  while (!life.isStopped) {
    const uid = random.uid();
    const page = await fetch(`${urls.api}/issues?limit=20`)
      .then((response) => response.json())
      .catch(() => undefined);
    const issue = page?.issues?.length > 0 ? random.pick(page.issues) : undefined;
    if (issue !== undefined) {
      const action = random.pick([
        { action: 'comment', text: uid },
        { action: 'resolve', reason: uid },
        { action: 'reopen', reason: uid },
      ]);
      const entry = { isAcknowledged: false };
      journal.actions.set(uid, entry);
      const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(action) };
      const response = await fetch(`${urls.api}/issues/${issue.issue_id}/actions`, request).catch(() => undefined);
      entry.isAcknowledged = response?.status === 200;
    }
    await pause(20 + random.below(100));
  }
}

/** Writes log files: one that is rotated by renaming, and one that is truncated and may lose lines. */
export function createLogWriter({ journal, logs }) {
  const { random } = journal;
  let rotations = 0;
  const write = (name, entry) => {
    const { message } = journal.add('file_log', {}, entry).event.payload;
    const line = { level: 'error', time: new Date().toISOString(), msg: message, err: { type: 'RowanError', message } };
    const trace = `RowanError: ${message}\n    at open (/srv/shop/upstream.js:10:5)\n    at next (/srv/shop/router.js:20:3)\n`;
    appendFileSync(join(logs, name), random.chance(0.5) ? `${JSON.stringify(line)}\n` : trace);
  };
  return {
    async run(life) {
      while (!life.isStopped) {
        for (let count = random.below(4); count > 0; count -= 1)
          write('renamed.log', { isAcknowledged: !life.isSampling, mostTimes: life.hasFaults ? 2 : 1 });
        if (random.chance(0.5)) write('emptied.log', { mostTimes: life.hasFaults ? 2 : 1 });
        await pause(random.below(40));
      }
    },
    rename() {
      rotations += 1;
      renameSync(join(logs, 'renamed.log'), join(logs, `renamed.log.${rotations}`));
    },
    empty() {
      copyFileSync(join(logs, 'emptied.log'), join(logs, 'emptied.log.1'));
      truncateSync(join(logs, 'emptied.log'), 0);
    },
  };
}
