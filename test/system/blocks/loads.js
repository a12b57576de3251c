// Loads for the measurement of blocks: each is bounded, and `scale` multiplies its size. `run` returns in words what it did.
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import autocannon from 'autocannon';
import { waitForQuietStats } from '../chaos/check.js';
import { faultline, pause, waitUntil } from '../chaos/collector.js';
import { createFleet } from '../chaos/fleet.js';
import { createJournal, payloadOf } from '../chaos/journal.js';
import { createLogWriter } from '../chaos/log-writer.js';
import { writeOldHour } from '../chaos/old-hours.js';
import { startSenders } from '../chaos/senders.js';
import { startActing, startReleasing } from '../chaos/triage.js';

const { logs, trace } = createRequire(import.meta.url)(
  '@opentelemetry/otlp-transformer-oracle/build/src/generated/root.js',
).opentelemetry.proto.collector;
const NDJSON = { 'content-type': 'application/x-ndjson', prefer: 'return=minimal' };
const JSON_TYPE = { 'content-type': 'application/json' };
const STREAMS = 100;

/** A name of letters, which stays in a message: another issue for each number. */
const wordOf = (number) =>
  number.toString(26).replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)));
const stackOf = (word) =>
  `Error: x\n    at call_${word} (/srv/shop/${word}.js:10:5)\n    at serve (/srv/shop/server.js:3:3)`;

/** An event of one of `issues` issues, of one service unless `services` says otherwise. */
function eventOf(number, { issues = 100, services = 1, more = {} } = {}) {
  const word = wordOf(number % issues);
  return {
    app: 'shop',
    service: services === 1 ? 'api' : `service-${number % services}`,
    env: 'production',
    error_name: `${word}Error`,
    message: `the ${word} did not answer request ${number}`,
    stack: stackOf(word),
    route: '/cart',
    release: `v1.${number % 7}.0`,
    user_id: `user-${number % 1000}`,
    tags: { region: `region-${number % 5}` },
    ...more,
  };
}

async function post(url, body, headers) {
  const response = await fetch(url, { method: 'POST', body, headers });
  const text = await response.text();
  return { status: response.status, text };
}

/** Posts events in requests of `perRequest`, a few at a time. */
async function postEvents({ collector }, count, { perRequest = 500, senders = 4, ...kind } = {}) {
  let next = 0;
  const send = async () => {
    while (next < count) {
      const from = next;
      next += perRequest;
      const size = Math.min(perRequest, count - from);
      const lines = Array.from({ length: size }, (_, index) => JSON.stringify(eventOf(from + index, kind)));
      for (let status = 503; status === 503; await pause(status === 503 ? 100 : 0)) {
        status = (await post(`${collector.urls.ingest}/v1/events`, lines.join('\n'), NDJSON)).status;
      }
    }
  };
  await Promise.all(Array.from({ length: senders }, send));
  return `${count} events in requests of ${perRequest}`;
}

/** Starts the collector with events in its store, and waits until it is idle. */
const stored = (count, kind) => async (context) => {
  await context.collector.start(context.options);
  await postEvents(context, count * context.scale, kind);
  await waitForQuietStats(context.collector.urls.api, 1_000);
};

/** A commit of many partitions syncs each, which takes most of the time without blocking the event loop. */
function withoutSync({ collector }) {
  collector.settings.durability = 'os';
}

async function readAll({ collector }, paths) {
  const statuses = [];
  for (const path of paths) {
    const response = await fetch(collector.urls.api + path);
    await response.arrayBuffer();
    statuses.push(response.status);
  }
  return `${paths.length} reads, ${statuses.filter((status) => status !== 200).length} failed`;
}

async function untilRegrouped({ collector }) {
  const job = await waitUntil(async () => {
    const state = await (await fetch(`${collector.urls.api}/regroup`)).json();
    return state.state !== 'running' && state;
  }, 120_000);
  return job?.state;
}

function logRecords(count) {
  return Array.from({ length: count }, (_, number) => {
    const { message, error_name: name, stack } = eventOf(number);
    const attributes = { 'exception.type': name, 'exception.message': message, 'exception.stacktrace': stack };
    const values = Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } }));
    return { severityNumber: 17, body: { stringValue: message }, attributes: values };
  });
}

const logsOf = (count) => ({ resourceLogs: [{ resource: {}, scopeLogs: [{ logRecords: logRecords(count) }] }] });

function tracesOf(count) {
  const spans = logRecords(count).map(({ attributes }, number) => ({
    traceId: Buffer.from(number.toString(16).padStart(32, '0'), 'hex'),
    spanId: Buffer.from(number.toString(16).padStart(16, '0'), 'hex'),
    name: 'GET /cart',
    events: [{ name: 'exception', attributes }],
  }));
  return { resourceSpans: [{ resource: {}, scopeSpans: [{ spans }] }] };
}

const PROTOBUF = { 'content-type': 'application/x-protobuf' };
const encoded = (type, message) => Buffer.from(type.encode(type.fromObject(message)).finish());
const envelope = (...items) =>
  ['{}', ...items.map(([type, content]) => `${JSON.stringify({ type })}\n${JSON.stringify(content)}`)].join('\n');
const sentryUrl = ({ urls }) => `${urls.ingest}/api/1/envelope/?sentry_key=565626d49d522e34de49f2b5665fdf31`;

async function postTimes(times, url, body, headers) {
  const statuses = [];
  for (let count = 0; count < times; count += 1) statuses.push((await post(url, body, headers)).status);
  return `${times} requests of ${(body.length / 1e6).toFixed(1)} MB: ${[...new Set(statuses)].join(' ')}`;
}

const listOf = (count, entry) => Array.from({ length: count }, (_, index) => entry(index));

/** Frames as an SDK with local variables sends them, about 30 members each. */
const framesOf = (count) =>
  listOf(count, (index) => ({
    function: 'walk',
    module: 'app.tree',
    filename: 'app/tree.py',
    lineno: 10,
    in_app: true,
    context_line: '  return walk(node.next, depth + 1)',
    pre_context: listOf(5, () => 'def walk(node, depth):'),
    post_context: listOf(5, () => ''),
    vars: Object.fromEntries(listOf(10, (name) => [`v${name}`, `<Node ${index}>`])),
  }));

/** Recursions, an ANR, a mobile crash, a chain of exceptions, long lists: up to 16 MiB. */
function largeCrashes() {
  const crash = (depth, more = {}) => ({
    exception: { values: [{ type: 'RecursionError', value: 'too deep', stacktrace: { frames: framesOf(depth) } }] },
    ...more,
  });
  const threads = (count) => listOf(count, (id) => ({ id, crashed: id === 7, stacktrace: { frames: framesOf(60) } }));
  return [
    ...[500, 1_000, 5_000, 30_000].map((depth) => crash(depth)),
    ...[120, 400].map((count) => crash(2, { threads: { values: threads(count) } })),
    crash(2, {
      debug_meta: { images: listOf(700, (id) => ({ type: 'elf', code_file: `/lib/${id}.so`, debug_id: `${id}` })) },
      modules: Object.fromEntries(listOf(1_000, (id) => [`package${id}`, '1.0.0'])),
      breadcrumbs: listOf(1_000, (id) => ({ message: `step ${id}`, data: { id } })),
    }),
    {
      exception: {
        values: listOf(300, (id) => ({
          type: `E${id}`,
          stacktrace: { frames: framesOf(40) },
          mechanism: { type: 'chained', exception_id: 299 - id, parent_id: 300 - id },
        })),
      },
    },
    crash(2, { extra: { list: listOf(1_000_000, (id) => id) } }),
    crash(2, { contexts: { state: Object.fromEntries(listOf(500_000, (id) => [`key${id}`, id])) } }),
  ];
}

/** Opens streams that read everything. */
function openStreams({ collector }, count) {
  const stop = new AbortController();
  let bytes = 0;
  const read = async () => {
    const response = await fetch(`${collector.urls.api}/stream`, { signal: stop.signal });
    for await (const chunk of response.body) bytes += chunk.length;
  };
  const running = Array.from({ length: count }, () => read().catch(() => undefined));
  return async () => {
    stop.abort();
    await Promise.all(running);
    return `${count} streams read ${(bytes / 1e6).toFixed(1)} MB`;
  };
}

/** Every kind of load, by name. */
export const LOADS = {
  'the load of the rounds': {
    async run({ collector, random, scale }) {
      const journal = createJournal(random);
      const life = {};
      const { urls } = collector;
      const senders = startSenders({ journal, urls, life });
      const writer = createLogWriter({ journal, logs: collector.logs });
      const others = [writer.run(life), startActing({ journal, urls, life }), startReleasing({ journal, urls, life })];
      await pause(4_000 * scale);
      await Promise.all([senders.finish(), ...others]);
      return `${journal.sent.size} events`;
    },
  },
  'known issues': { run: (context) => postEvents(context, 20_000 * context.scale) },
  'new issues': { run: (context) => postEvents(context, 20_000 * context.scale, { issues: 1e9 }) },
  'new issues and 100 streams': {
    prepare: stored(1),
    async run(context) {
      const close = openStreams(context, STREAMS);
      await pause(500);
      await postEvents(context, 500, { perRequest: 100, issues: 1e9 });
      await pause(2_000);
      return await close();
    },
  },
  'one request of 100,000 events': {
    run: (context) => postEvents(context, 100_000 * context.scale, { perRequest: 1e5, senders: 1 }),
  },
  'single events': { run: (context) => postEvents(context, 1_000 * context.scale, { perRequest: 1, senders: 8 }) },
  '2,048 connections': {
    async run({ collector, scale }) {
      const { latency, errors, non2xx, ...counts } = await autocannon({
        url: `${collector.urls.ingest}/v1/events`,
        method: 'POST',
        headers: JSON_TYPE,
        body: JSON.stringify(eventOf(0)),
        connections: 2_048,
        duration: Math.ceil(10 * scale),
        timeout: 60,
      });
      return `${counts['2xx']} requests, ${non2xx} refused, ${errors} errors, 99 % within ${latency.p99} ms`;
    },
  },
  'events with 900,000 tags': {
    async run({ collector }) {
      const tags = Object.fromEntries(Array.from({ length: 900_000 }, (_, number) => [`tag${number}`, 'x']));
      return await postTimes(
        3,
        `${collector.urls.ingest}/v1/events`,
        JSON.stringify(eventOf(1, { more: { tags } })),
        JSON_TYPE,
      );
    },
  },
  'events with long texts': {
    async run({ collector }) {
      const message = 'upstream 10.0.0.1 said {"a": [1, 2, 3]} of anna@example.com at 2026-11-21T10:00:00Z; '.repeat(
        12_000,
      );
      const event = eventOf(1, { more: { message, stack: stackOf('long').repeat(10_000) } });
      return await postTimes(5, `${collector.urls.ingest}/v1/events`, JSON.stringify(event), JSON_TYPE);
    },
  },
  'Sentry crashes of many members': {
    async run({ collector }) {
      const statuses = [];
      for (const crash of largeCrashes()) {
        statuses.push(await postTimes(3, sentryUrl(collector), envelope(['event', crash]), {}));
      }
      return statuses.join(', ');
    },
  },
  'events of millions of members': {
    async run({ collector }) {
      const lists = [
        `[${'1,'.repeat(5e6)}1]`,
        `[${'{},'.repeat(4e6)}{}]`,
        '['.repeat(8e6),
        `${'['.repeat(5e6)}${']'.repeat(5e6)}`,
      ];
      const statuses = [];
      for (const list of lists) {
        const event = JSON.stringify(eventOf(1)).replace(/}$/, `,"list":${list}}`);
        statuses.push(await postTimes(2, `${collector.urls.ingest}/v1/events`, event, JSON_TYPE));
      }
      return statuses.join(', ');
    },
  },
  'large extra': {
    async run({ collector }) {
      const extra = Object.fromEntries(
        Array.from({ length: 5_000 }, (_, number) => [`key${number}`, 'value '.repeat(400)]),
      );
      return await postTimes(
        5,
        `${collector.urls.ingest}/v1/events`,
        JSON.stringify(eventOf(1, { more: { extra } })),
        JSON_TYPE,
      );
    },
  },
  'a gzip bomb': {
    async run({ collector }) {
      const body = gzipSync(Buffer.alloc(300e6, ' '));
      return await postTimes(3, `${collector.urls.ingest}/v1/events`, body, {
        ...JSON_TYPE,
        'content-encoding': 'gzip',
      });
    },
  },
  'rejected events': {
    async run({ collector, scale }) {
      const body = Array.from({ length: 20_000 * scale }, (_, number) => JSON.stringify({ app: 'shop', number })).join(
        '\n',
      );
      return await postTimes(3, `${collector.urls.ingest}/v1/events`, body, NDJSON);
    },
  },
  'OTLP logs as JSON': {
    run: ({ collector, scale }) =>
      postTimes(5, `${collector.urls.ingest}/v1/logs`, JSON.stringify(logsOf(10_000 * scale)), JSON_TYPE),
  },
  'OTLP logs as protobuf': {
    run: ({ collector, scale }) =>
      postTimes(
        5,
        `${collector.urls.ingest}/v1/logs`,
        encoded(logs.v1.ExportLogsServiceRequest, logsOf(10_000 * scale)),
        PROTOBUF,
      ),
  },
  'OTLP traces as protobuf': {
    run: ({ collector, scale }) =>
      postTimes(
        5,
        `${collector.urls.ingest}/v1/traces`,
        encoded(trace.v1.ExportTraceServiceRequest, tracesOf(10_000 * scale)),
        PROTOBUF,
      ),
  },
  'Sentry logs': {
    run({ collector, scale }) {
      // An item has at most 200,000 members.
      const items = Array.from({ length: 5_000 * scale }, (_, number) => {
        return {
          timestamp: Date.now() / 1000,
          trace_id: number.toString(16).padStart(32, '0'),
          level: 'error',
          body: eventOf(number).message,
        };
      });
      return postTimes(5, sentryUrl(collector), envelope(['log', { items }]), {});
    },
  },
  'Sentry sessions': {
    run({ collector, scale }) {
      const attrs = { release: 'shop@1.0.0', environment: 'production' };
      const items = Array.from({ length: 9_000 * scale }, (_, number) => [
        'session',
        { sid: `sid-${number}`, init: true, status: 'ok', attrs },
      ]);
      return postTimes(3, sentryUrl(collector), envelope(...items), {});
    },
  },
  'a log file of 20 MB': {
    async run({ collector, scale }) {
      const traces = Array.from({ length: 100_000 * scale }, (_, number) => {
        const word = wordOf(number % 100);
        return `RowanError: ${word} refused request ${number}\n    at call_${word} (/srv/shop/${word}.js:10:5)\n    at serve (/srv/shop/server.js:3:3)\n`;
      });
      appendFileSync(join(collector.logs, 'large.log'), traces.join(''));
      await waitUntil(async () => (await (await fetch(`${collector.urls.api}/stats`)).json()).events > 0);
      const { events } = await waitForQuietStats(collector.urls.api, 2_000);
      return `${events} events`;
    },
  },
  'chunks of a sidecar': {
    async prepare(context) {
      context.journal = createJournal(context.random);
      context.fleet = await createFleet({ gateway: context.collector, journal: context.journal });
    },
    async run({ collector, fleet, journal, random }) {
      if (fleet === undefined) return 'SKIPPED: nats-server is missing';
      const events = Array.from({ length: 10_000 }, () => journal.add('nats', payloadOf(random)).event.payload);
      for (let from = 0; from < events.length; from += 500) {
        await post(
          `${fleet.ingest}/v1/events`,
          events
            .slice(from, from + 500)
            .map((event) => JSON.stringify(event))
            .join('\n'),
          NDJSON,
        );
      }
      const { events: count } = await waitForQuietStats(collector.urls.api, 2_000);
      await fleet.close();
      return `${count} events`;
    },
  },
  'reads of lists': {
    prepare: stored(50_000, { issues: 10_000 }),
    run(context) {
      const sorts = ['last_seen', 'first_seen', 'status', 'level', 'count', 'trend', 'users'];
      const fields = [
        'app',
        'service',
        'env',
        'level',
        'release',
        'error_name',
        'message',
        'title',
        'culprit',
        'new_in',
      ];
      const from = new Date(Date.now() - 3.6e6).toISOString();
      const before = new Date(Date.now() - 7.2e6).toISOString();
      return readAll(context, [
        ...sorts.map((sort) => `/issues?limit=500&sort=${sort}`),
        ...fields.map((field) => `/issues/values?field=${field}&limit=500`),
        '/issues/counts?query=level:error%20service:api&terms=true',
        `/issues/since?from=${from}&before=${before}&limit=500`,
        '/releases?limit=500',
        '/suggestions',
        '/stats',
      ]);
    },
  },
  'searches of events': {
    prepare: stored(50_000, { issues: 1_000 }),
    async run(context) {
      const { issues } = await (await fetch(`${context.collector.urls.api}/issues?limit=20`)).json();
      return await readAll(context, [
        '/events?limit=500',
        '/events?limit=500&query=message:~nothing',
        '/events?limit=500&query=tags.region:region-3',
        '/events?limit=500&query=request%20answer',
        ...issues.map(({ issue_id: id }) => `/issues/${id}/summary?buckets=240`),
        ...issues.map(({ issue_id: id }) => `/issues/${id}/events?limit=500`),
        ...issues.map(({ issue_id: id }) => `/issues/${id}`),
        `/explain?a=${issues[0].issue_id}&b=${issues[1].issue_id}`,
      ]);
    },
  },
  'merging and undoing 500 issues': {
    prepare: stored(20_000, { issues: 5_000 }),
    async run({ collector }) {
      const { issues } = await (await fetch(`${collector.urls.api}/issues?limit=500`)).json();
      const [first, ...others] = issues.map(({ issue_id: id }) => id);
      const url = `${collector.urls.api}/issues/${first}/actions`;
      const act = async (action) => (await post(url, JSON.stringify(action), JSON_TYPE)).status;
      const statuses = [];
      for (let times = 0; times < 5; times += 1) {
        statuses.push(
          await act({ action: 'merge', issues: others }),
          await act({ action: 'resolve' }),
          await act({ action: 'undo' }),
        );
        statuses.push(await act({ action: 'split' }));
      }
      return `${statuses.length} actions: ${[...new Set(statuses)].join(' ')}`;
    },
  },
  'releases with 500 commits': {
    async run({ collector, scale }) {
      const statuses = new Set();
      for (let release = 0; release < 200 * scale; release += 1) {
        const commits = Array.from({ length: 500 }, (_, number) => ({
          id: `c${release}-${number}`,
          message: 'fix '.repeat(20),
          paths: ['a.js', 'b.js'],
        }));
        statuses.add(
          (await post(`${collector.urls.api}/releases`, JSON.stringify({ version: `v${release}`, commits }), JSON_TYPE))
            .status,
        );
      }
      const reads = await readAll({ collector }, ['/releases?limit=500', `/releases/v${200 * scale - 1}`]);
      return `${200 * scale} releases: ${[...statuses].join(' ')}, ${reads}`;
    },
  },
  'regrouping 50,000 events': {
    prepare: stored(50_000, { issues: 10_000 }),
    async run(context) {
      const { api } = context.collector.urls;
      const rules = [{ query: 'service:api', fingerprint: ['{{ default }}', '{{ message }}'] }];
      await post(`${api}/regroup/apply`, JSON.stringify({ rules }), JSON_TYPE);
      const applied = await untilRegrouped(context);
      await post(`${api}/regroup/roll_back`, '{}', JSON_TYPE);
      return `${applied}, ${await untilRegrouped(context)}`;
    },
  },
  'accepting a suggestion': {
    prepare: stored(20_000, { issues: 5_000, more: { error_name: 'ThemeError', stack: null } }),
    async run(context) {
      const { api } = context.collector.urls;
      const { suggestions } = await (await fetch(`${api}/suggestions`)).json();
      if (suggestions.length === 0) return 'no suggestions';
      await post(`${api}/suggestions/${suggestions[0].id}/accept`, '{}', JSON_TYPE);
      return `${suggestions.length} suggestions, ${await untilRegrouped(context)}`;
    },
  },
  '2,000 services': {
    prepare: withoutSync,
    async run(context) {
      const sent = await postEvents(context, 4_000 * context.scale, { services: 2_000 });
      return `${sent}, ${await readAll(context, ['/stats', '/stats', '/issues/values?field=service&limit=500'])}`;
    },
  },
  'retention of 300 hours': {
    async prepare({ collector, random, options }) {
      const journal = createJournal(random);
      for (let hoursAgo = 2; hoursAgo < 300; hoursAgo += 1) writeOldHour({ collector, journal, random, hoursAgo });
      collector.settings.retention = { max_age: '0', max_size: '0' };
      await collector.start(options);
    },
    async run({ collector }) {
      collector.settings.retention = { max_age: '0', max_size: '1KiB' };
      collector.writeConfig();
      collector.child.kill('SIGHUP');
      const isDone = await waitUntil(
        async () => (await (await fetch(`${collector.urls.api}/stats`)).json()).removed.events > 5_900,
      );
      return isDone ? 'removed' : 'not removed in 30 s';
    },
  },
  'arguments that MCP refuses': {
    async prepare({ collector, options }) {
      collector.settings.hasMcp = true;
      await collector.start(options);
    },
    async run({ collector }) {
      const unknown = Object.fromEntries(Array.from({ length: 30_000 }, (_, number) => [`argument${number}`, 1]));
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_issues', arguments: unknown } };
      const headers = { ...JSON_TYPE, accept: 'application/json, text/event-stream' };
      return await postTimes(3, `${collector.urls.query}/mcp`, JSON.stringify(call), headers);
    },
  },
  redaction: {
    async prepare({ collector, options }) {
      collector.settings.processors = { redaction: {}, filter: { drop: ['message:~never'] } };
      await collector.start(options);
    },
    async run(context) {
      const text = 'password=hunter2 card 4111 1111 1111 1111 of anna@example.com; '.repeat(2_000);
      const sent = await postEvents(context, 200 * context.scale, {
        perRequest: 20,
        more: { extra: { text, list: Array(1_000).fill(text.slice(0, 100)) } },
      });
      return `${sent}, ${await postEvents(context, 10_000 * context.scale)}`;
    },
  },
  'a start': {
    async prepare({ collector, options }) {
      await collector.start(options);
      await collector.end('SIGTERM');
    },
    run: startAgain,
  },
  'a start after SIGKILL': {
    async prepare(context) {
      context.collector.settings.checkpoint = '60s';
      await stored(50_000, { issues: 10_000 })(context);
      await context.collector.end('SIGKILL');
    },
    run: startAgain,
  },
  'a start with many partitions': {
    async prepare(context) {
      await withoutSync(context);
      await stored(4_000, { services: 2_000 })(context);
      await context.collector.end('SIGKILL');
    },
    run: startAgain,
  },
  'a stop with new issues': {
    async prepare(context) {
      context.collector.settings.checkpoint = '60s';
      await stored(50_000, { issues: 1e9 })(context);
    },
    async run({ collector }) {
      const { code, signal } = await collector.end('SIGTERM');
      return `ended with ${code ?? signal}`;
    },
  },
  'an import, then a start': {
    async prepare({ collector }) {
      const lines = Array.from({ length: 20_000 }, (_, number) => JSON.stringify(eventOf(number)));
      const file = join(collector.root, 'events.ndjson');
      appendFileSync(file, `${lines.join('\n')}\n`);
      await faultline('import', '--data', collector.directory, file).ended;
    },
    run: startAgain,
  },
};

async function startAgain({ collector, options, begin }) {
  begin();
  const isUp = (await collector.start(options)) !== undefined;
  await pause(500);
  return isUp ? 'started' : `did not start: ${(await collector.child.ended).output}`;
}
