import type { EventDetail, EventPage, EventsSummary, IssuePage } from '../../generated/reader-answers.js';
import { missing } from '../helpers/missing.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { exceptionJson, logJson, logsBody, spanJson, tracesBody } from './receivers/otlp/bodies.js';
import { originOf, type RunningService, settingsFor, startService, stopServices } from './running-service.js';

afterEach(stopServices);
afterAll(removeTemporaryFolders);

const CALLS = 'com.acme.StockException: no stock\n\tat com.acme.Cart.add(Cart.java:12)\n';
const EXCEPTION = { 'exception.type': 'com.acme.StockException', 'exception.message': 'no stock' };
const REQUEST = { 'http.request.method': 'POST', 'http.route': '/throw/:id', 'http.response.status_code': 500 };

async function post(running: RunningService, path: string, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${originOf(running, 'otlp')}${path}`, { method: 'POST', headers, body });
  expect(response.status).toBe(200);
}

async function get<Answer>({ apiUrl }: RunningService, path: string): Promise<Answer> {
  const response = await fetch(`${apiUrl}${path}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}

describe('a failure in a request, of which the log record comes before the span', () => {
  it('is one event of one issue, with route, method and status code, however it is read', async () => {
    const directory = await temporaryFolder();
    const settings = settingsFor(
      directory,
      'service.pipelines.events.receivers=[otlp]',
      'receivers.otlp.protocols.http.endpoint=127.0.0.1:0',
      'receivers.otlp.protocols.grpc.endpoint=127.0.0.1:0',
    );
    const running = await startService(settings);
    const logged = { ...EXCEPTION, 'exception.stacktrace': CALLS };
    const onSpan = { ...EXCEPTION, 'exception.stacktrace': `${CALLS}\tat com.acme.Server.run(Server.java:3)\n` };
    await post(running, '/v1/logs', logsBody(logJson(logged)));
    await post(running, '/v1/traces', tracesBody(spanJson(REQUEST, { kind: 2, events: [exceptionJson(onSpan)] })));

    const { issues } = await get<IssuePage>(running, '/issues');
    expect(issues).toMatchObject([{ title: 'com.acme.StockException: no stock', count: 1, repeated: 1 }]);
    const { issue_id: id = missing() } = issues[0] ?? {};
    const seen = { route: '/throw/:id', method: 'POST', status_code: 500 };
    for (const query of ['', 'route:/throw/* status_code:500 method:POST', 'tags.otlp.signal:span_event']) {
      for (const path of [`/issues/${id}/events`, '/events']) {
        const { events } = await get<EventPage>(running, `${path}?query=${encodeURIComponent(query)}`);
        expect(events).toMatchObject([seen]);
      }
    }
    const { facets } = await get<EventsSummary>(running, `/issues/${id}/summary`);
    const valuesOf = (field: string) => facets.find((facet) => facet.field === field)?.values;
    expect([valuesOf('route'), valuesOf('status_code')]).toEqual([
      [{ value: '/throw/:id', count: 1 }],
      [{ value: '500', count: 1 }],
    ]);
    const [event = missing()] = (await get<EventPage>(running, `/issues/${id}/events`)).events;
    const detail = await get<EventDetail>(running, `/events/${event.event_id}`);
    expect([detail.normalized, detail.raw.payload]).toMatchObject([
      { ...seen, stack: CALLS },
      { route: '', method: null, status_code: null },
    ]);
    expect(detail.reports?.map(({ kind, raw }) => [kind, raw.line])).toEqual([
      ['log record', 0],
      ['span event', 1],
    ]);
    const [, other = missing()] = detail.reports ?? [];
    const { normalized, raw } = await get<EventDetail>(running, `/events/${other.event.event_id}`);
    expect([normalized, raw.payload]).toMatchObject([seen, seen]);
  });
});
