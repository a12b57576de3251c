import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJsonObject } from '../../../../core/event/json.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import type { Stats } from '../../../../generated/reader-answers.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { post } from '../../post.js';
import { exceptionJson, logJson, logsBody, spanJson, tracesBody } from '../../receivers/otlp/bodies.js';
import {
  originOf,
  type RunningService,
  settingsFor,
  startService,
  statsOf,
  stopServices,
} from '../../running-service.js';
import { withoutHops } from './next-faultline.js';

const forwarders: Server[] = [];

afterEach(async () => {
  await stopServices();
  for (const server of forwarders.splice(0)) server.close();
});
afterAll(removeTemporaryFolders);

/** Starts a Faultline with the receivers `events`, `otlp` and `sentry`, which exports to `next` if set. */
interface Link extends RunningService {
  readonly origin: string;
  stats(): Promise<Stats>;
  issues(): Promise<Issue[]>;
  payloads(): Promise<RawPayload[]>;
}

interface Issue {
  readonly issue_id: string;
  readonly fingerprint: string;
  readonly title: string;
  readonly level: string;
  readonly count: number;
  readonly sampled: number;
}

const UNCHANGED = ['issue_id', 'fingerprint', 'title', 'level', 'count', 'sampled'] as const;

async function start(to: string | undefined, ...sets: string[]): Promise<Link> {
  const sending =
    to === undefined
      ? []
      : [
          'service.pipelines.events.exporters=[store, otlp_http]',
          `exporters.otlp_http.endpoint=${to}`,
          'exporters.otlp_http.retry_on_failure.initial_interval=5ms',
          'exporters.otlp_http.retry_on_failure.max_interval=20ms',
          'exporters.otlp_http.sending_queue.flush_interval=5ms',
        ];
  const started = await startService(
    settingsFor(
      await temporaryFolder(),
      'service.pipelines.events.receivers=[events, otlp, sentry]',
      'receivers.otlp.protocols.http.endpoint=127.0.0.1:0',
      'receivers.otlp.protocols.grpc.endpoint=127.0.0.1:0',
      'receivers.sentry.endpoint=127.0.0.1:0',
      ...sending,
      ...sets,
    ),
  );
  const read = async (path: string) => (await (await fetch(`${started.apiUrl}${path}`)).json()) as never;
  return {
    ...started,
    origin: originOf(started, 'otlp'),
    stats: () => statsOf(started),
    issues: async () => ((await read('/issues?limit=100&sort=first_seen')) as { issues: Issue[] }).issues,
    payloads: async () => {
      const { events } = (await read('/events?limit=100')) as { events: { event_id: string }[] };
      const details = await Promise.all(events.map(({ event_id }) => read(`/events/${event_id}`)));
      return details.map(({ raw }: { raw: { payload: RawPayload } }) => raw.payload);
    },
  };
}

/** A proxy, so that the URL is known before the Faultline behind it starts. */
async function forwarder(): Promise<{ readonly origin: string; to: string }> {
  const forward = { origin: '', to: '' };
  const server = createServer((request, response) => {
    const { method, headers, url } = request;
    const to = new URL(url ?? '/', forward.to);
    const onward = httpRequest(to, { method, headers: { ...headers, host: to.host } }, (upstream) => {
      response.writeHead(upstream.statusCode ?? 502, upstream.headers);
      upstream.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  forwarders.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  forward.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return forward;
}

/** JSON with the members of every object in alphabetical order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    isJsonObject(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one,
  );

const byMessage = (payloads: RawPayload[]) =>
  payloads.map(withoutHops).sort((one, other) => canonical(one).localeCompare(canonical(other)));

/** Removes times that depend on the time of receipt. */
const NATIVE = {
  app: 'shop',
  service: 'api',
  env: 'production',
  route: '/a',
  timestamp: '2026-11-20T10:00:00.25+02:00',
};

async function sendOneOfEachKind(link: Link): Promise<void> {
  const stack = 'TypeError: x\n    at f (/srv/app/a.js:1:5)';
  const events = [
    {
      ...NATIVE,
      error_name: 'TypeError',
      message: 'boom 1',
      stack,
      level: 'critical',
      tags: { region: 'eu', 'exception.type': 'Fake' },
    },
    { ...NATIVE, error_name: '', message: 'only said', level: 'notice', tags: { 'user.id': 'tagged', '': 'empty' } },
    { ...NATIVE, error_name: '', message: '', stack, level: null, status_code: 500, method: 'GET' },
    {
      ...NATIVE,
      error_name: 'Grouped',
      message: 'm',
      session_id: '',
      extra: { fingerprint: ['mine', '{{ default }}'], 'user.id': 7 },
    },
  ];
  expect((await post(link.eventsUrl, JSON.stringify(events))).body.accepted).toBe(events.length);
  const json = { 'content-type': 'application/json' };
  const resource = [
    { key: 'service.name', value: { stringValue: 'checkout' } },
    { key: 'host.name', value: { stringValue: 'h1' } },
    { key: 'k8s.pod.name', value: { stringValue: 'p1' } },
  ];
  const logs = JSON.parse(
    logsBody(
      logJson(),
      logJson(
        { a: 1 },
        {
          body: { kvlistValue: { values: [{ key: 'code', value: { intValue: '7' } }] } },
          severityNumber: 18,
          severityText: 'ERR2',
          eventName: 'my.event',
          traceId: '',
        },
      ),
    ),
  );
  logs.resourceLogs[0].resource.attributes = resource;
  logs.resourceLogs[0].scopeLogs[0].scope = {
    name: 'lib',
    version: '1',
    attributes: [{ key: 's', value: { boolValue: true } }],
  };
  const traces = tracesBody(
    spanJson(
      { 'http.route': '/r', 'db.system': 'pg' },
      { traceId: 'a'.repeat(32), kind: 2, events: [exceptionJson()] },
    ),
  );
  for (const [path, body] of [
    ['/v1/logs', JSON.stringify(logs)],
    ['/v1/traces', traces],
  ] as const) {
    expect((await fetch(link.origin + path, { method: 'POST', headers: json, body })).status).toBe(200);
  }
  for (const [index, level] of ['warning', 'fatal'].entries()) {
    const event_id = `${index}`.padStart(32, '0');
    const exception = {
      values: [
        { type: 'Inner', value: 'i' },
        {
          type: 'Outer',
          value: 'o',
          stacktrace: { frames: [{ function: 'f', filename: 'a.js', lineno: 1, in_app: true }] },
        },
      ],
    };
    const event = {
      event_id,
      level,
      platform: 'javascript',
      timestamp: 1_795_365_208.42,
      ...(index === 0 ? { message: 'captured' } : { exception, fingerprint: ['{{ default }}', 'grp'] }),
    };
    const body = `{"event_id":"${event_id}"}\n{"type":"event"}\n${JSON.stringify(event)}\n`;
    const url = `${originOf(link, 'sentry')}/api/1/envelope/?sentry_key=565626d49d522e34de49f2b5665fdf31`;
    expect(
      (await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/x-sentry-envelope' } })).status,
    ).toBe(200);
  }
}

const KINDS = 9;

describe.each(['proto', 'json'])('a chain of three Faultlines that send in %s', (encoding) => {
  it('has the same failures at each', async () => {
    const sets = [`exporters.otlp_http.encoding=${encoding}`];
    const last = await start(undefined);
    const middle = await start(last.origin, ...sets);
    const first = await start(middle.origin, ...sets);
    await sendOneOfEachKind(first);
    await waitFor('all to arrive', async () => (await last.stats()).events === KINDS);
    const [here, there, behind] = [await first.payloads(), await middle.payloads(), await last.payloads()];
    expect(here).toHaveLength(KINDS);
    expect(byMessage(there)).toEqual(byMessage(here));
    expect(byMessage(behind)).toEqual(byMessage(here));
    expect(behind.map(({ extra }) => extra?.['faultline'])).toEqual(behind.map(() => ({ hops: 2 })));
    const issuesOf = async (link: Link) =>
      (await link.issues())
        .map((issue) => UNCHANGED.map((key) => issue[key]))
        .sort((one, other) => String(one[0]).localeCompare(String(other[0])));
    expect(await issuesOf(middle)).toEqual(await issuesOf(first));
    expect(await issuesOf(last)).toEqual(await issuesOf(first));
  });
});

describe('two Faultlines that send to each other', () => {
  it('stop after a bounded number of events, and log why', async () => {
    const back = await forwarder();
    const there = await start(back.origin);
    const here = await start(there.origin);
    back.to = here.origin;
    const events = Array.from({ length: 20 }, (_, index) => ({ ...NATIVE, error_name: 'E', message: `m ${index}` }));
    await post(here.eventsUrl, JSON.stringify(events));
    const rejected = await waitFor('the loop to end', async () => {
      const { receivers } = await here.stats();
      return receivers['otlp']?.reasons?.['OTLP_TOO_MANY_HOPS'] === 20 && receivers['otlp'];
    });
    expect(rejected).toMatchObject({ stored: 40, rejected: 20 });
    await waitFor('nothing to be under way', async () => (await there.stats()).exporters?.['otlp_http']?.waiting === 0);
    expect([(await here.stats()).events, (await there.stats()).events]).toEqual([60, 60]);
    expect((await there.stats()).exporters?.['otlp_http']).toMatchObject({ sent: 40, lost: 20 });
    expect(here.logged.filter(({ code }) => code === 'OTLP_TOO_MANY_HOPS')).toHaveLength(1);
  });
});

describe('events with a weight', () => {
  it.each([true, false])(
    'count by their weight at the next Faultline only if it accepts sampled counts: %s',
    async (accepts) => {
      const there = await start(undefined, `receivers.otlp.accept_sampled_counts=${accepts}`);
      const here = await start(
        there.origin,
        'processors.sample.keep_first=5',
        'processors.sample.keep_one_in=50',
        'processors.sample.summary_interval=100ms',
        'service.pipelines.events.processors=[sample]',
      );
      const events = Array.from({ length: 200 }, (_, index) => ({ ...NATIVE, error_name: 'E', message: `m ${index}` }));
      await post(here.eventsUrl, JSON.stringify(events));
      const known = await waitFor('all to be counted', async () => {
        const [issue] = await here.issues();
        return issue?.count === 200 && issue;
      });
      expect(known.sampled).toBeGreaterThan(100);
      const stored = (await here.stats()).events;
      await waitFor('all to arrive', async () => (await there.stats()).events === stored);
      const counts = accepts ? { count: 200, sampled: known.sampled } : { count: stored, sampled: 0 };
      expect(await there.issues()).toMatchObject([counts]);
    },
  );
});
