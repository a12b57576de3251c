import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FailureReader } from '../../../core/contract/reader.js';
import type { Fault } from '../../../core/event/fault.js';
import { createHttpReader } from '../../../core/http-reader/http-reader.js';
import { createArrayReader, sampleEvent, sampleEventId, sampleIssue, sampleIssueId } from '../../tui/array-reader.js';

/** Responses by path with parameters. */
type Responses = Record<string, { status?: number; body: unknown; type?: string }>;

const open: { server: Server; reader: FailureReader }[] = [];

/** Starts a real server with fixed responses, and a reader of it. */
async function serve(responses: Responses, timeoutMs?: number) {
  const requested: string[] = [];
  const sockets = new Set<unknown>();
  const server = createServer((request, response) => {
    requested.push(request.url ?? '');
    sockets.add(request.socket);
    const answer = responses[(request.url ?? '').replace('/api/v1', '')];
    if (answer === undefined) {
      response.writeHead(404, { 'content-type': 'application/problem+json' });
      response.end(JSON.stringify({ code: 'EVENT_NOT_FOUND', detail: 'no such event' }));
      return;
    }
    if (answer.body === 'never') return;
    response.writeHead(answer.status ?? 200, { 'content-type': answer.type ?? 'application/json' });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const reader = createHttpReader({ url, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  open.push({ server, reader });
  return { reader, requested, sockets, url, server };
}

afterEach(async () => {
  for (const { server, reader } of open.splice(0)) {
    await reader.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'no fault',
    (error: Fault) => error.code,
  );

describe('the HTTP reader', () => {
  it('returns what a reader in the same process returns', async () => {
    const event = sampleEvent(1, 1, { tags: JSON.parse('{"__proto__":"a tag like any other"}') });
    const near = createArrayReader({ issues: [sampleIssue(1), sampleIssue(2)], events: [event] });
    const [issueId, eventId] = [sampleIssueId(1), sampleEventId(1)];
    const { reader } = await serve({
      '/issues': { body: await near.listIssues() },
      [`/issues/${issueId}`]: { body: await near.getIssue(issueId) },
      [`/issues/${issueId}/events`]: { body: await near.listEvents(issueId) },
      '/issues?sort=level': { body: await near.listIssues() },
      '/issues/counts?query=a': { body: await near.countIssues() },
      [`/issues/${issueId}/summary?buckets=3`]: { body: await near.summarizeEvents(issueId, { buckets: 3 }) },
      [`/events/${eventId}`]: { body: event },
      '/stats': { body: await near.stats() },
      '/access': { body: { actions: true } },
    });
    expect(await reader.listIssues()).toEqual(await near.listIssues());
    expect(await reader.getIssue(issueId)).toEqual(await near.getIssue(issueId));
    expect(await reader.listEvents(issueId)).toEqual(await near.listEvents(issueId));
    expect(await reader.getEvent(eventId)).toEqual(event);
    expect(await reader.stats()).toEqual(await near.stats());
    expect(await reader.listIssues({ sort: 'level' })).toEqual(await near.listIssues());
    expect(await reader.countIssues({ query: 'a' })).toEqual(await near.countIssues());
    expect(await reader.summarizeEvents(issueId, { buckets: 3 })).toEqual(
      await near.summarizeEvents(issueId, { buckets: 3 }),
    );
    expect(await reader.summarizeEvents(sampleIssueId(2))).toBeUndefined();
    expect(await reader.access()).toEqual({ actions: true });
  });

  it.each([403, 404])('treats status %i as read-only access', async (status) => {
    const { reader } = await serve({ '/access': { status, body: { code: 'PATH_NOT_FOUND' } } });
    expect(await reader.access()).toEqual({ actions: false });
  });

  it('does not treat a stopping collector or a missing token as read-only access', async () => {
    const { reader } = await serve({ '/access': { status: 503, body: { code: 'STORE_CLOSING' } } });
    expect(await codeOf(reader.access())).toBe('STORE_CLOSING');
    const { reader: locked } = await serve({ '/access': { status: 401, body: { code: 'TOKEN_MISSING' } } });
    expect(await codeOf(locked.access())).toBe('TOKEN_MISSING');
  });

  it('sends its options as parameters, without empty ones', async () => {
    const page = { issues: [], next_cursor: null, total: 0 };
    const { reader, requested } = await serve({
      '/issues?query=level%3Aerror+%22a%26b%22&sort=count&limit=7&cursor=x%2By': { body: page },
      '/issues?sort=last_seen': { body: page },
    });
    await reader.listIssues({ query: 'level:error "a&b"', sort: 'count', limit: 7, cursor: 'x+y' });
    await reader.listIssues({ query: '', sort: 'last_seen' });
    expect(requested).toHaveLength(2);
  });

  it('reuses its connection', async () => {
    const { reader, sockets } = await serve({ '/issues': { body: { issues: [], next_cursor: null, total: 0 } } });
    for (let call = 0; call < 5; call += 1) await reader.listIssues();
    expect(sockets.size).toBe(1);
  });

  it('reconnects if the collector closed an idle connection', async () => {
    const { reader, server } = await serve({ '/issues': { body: { issues: [], next_cursor: null, total: 0 } } });
    await reader.listIssues();
    server.closeIdleConnections();
    expect((await reader.listIssues()).total).toBe(0);
  });

  it('returns undefined for what the collector does not have', async () => {
    const { reader } = await serve({});
    expect(await reader.getIssue(sampleIssueId(1))).toBeUndefined();
    expect(await reader.listEvents(sampleIssueId(1))).toBeUndefined();
    expect(await reader.getEvent(sampleEventId(1))).toBeUndefined();
  });

  it('throws the fault that the collector names', async () => {
    const problem = { code: 'QUERY_INVALID', detail: 'column 3: what?' };
    const { reader } = await serve({
      '/issues?query=x': { status: 400, body: problem, type: 'application/problem+json' },
      '/stats': { status: 503, body: { code: 'STORE_CLOSING' } },
    });
    await expect(reader.listIssues({ query: 'x' })).rejects.toMatchObject({
      code: 'QUERY_INVALID',
      message: 'column 3: what?',
    });
    await expect(reader.stats()).rejects.toMatchObject({ code: 'STORE_CLOSING', retryable: true });
  });

  it('throws a retryable fault if no collector responds', async () => {
    const { server, url } = await serve({});
    await new Promise((resolve) => server.close(resolve));
    const reader = createHttpReader({ url });
    await expect(reader.stats()).rejects.toMatchObject({ code: 'COLLECTOR_UNREACHABLE', retryable: true });
    await expect(reader.stats()).rejects.toThrow(url);
  });

  it('times out if the collector sends nothing', async () => {
    const { reader } = await serve({ '/stats': { body: 'never' } }, 30);
    expect(await codeOf(reader.stats())).toBe('COLLECTOR_UNREACHABLE');
  });

  it.each<[string, Responses[string]]>([
    ['a page of another program', { body: '<html>', type: 'text/html' }],
    ['an empty body', { body: '' }],
    ['a redirect', { status: 302, body: '' }],
    ['an error without a problem document', { status: 500, body: 'oops' }],
    ['an unknown path', { status: 404, body: { code: 'PATH_NOT_FOUND' } }],
    ['a list instead of a page', { body: [] }],
    [
      'an issue without a title',
      { body: { issues: [{ ...sampleIssue(1), title: undefined }], next_cursor: null, total: 1 } },
    ],
    ['an invalid id', { body: { issues: [{ ...sampleIssue(1), issue_id: '../x' }], next_cursor: null, total: 1 } }],
    [
      'a count that is a string',
      { body: { issues: [{ ...sampleIssue(1), count: 'many' }], next_cursor: null, total: 1 } },
    ],
    ['an unknown status', { body: { issues: [{ ...sampleIssue(1), status: 'lost' }], next_cursor: null, total: 1 } }],
  ])('rejects %s', async (_what, response) => {
    const { reader } = await serve({ '/issues': response });
    expect(await codeOf(reader.listIssues())).toBe('COLLECTOR_ANSWER_INVALID');
  });

  it('accepts unknown members, and numbers and lists out of their documented range', async () => {
    const issue = { ...sampleIssue(1), count: -1, trend: [1], mood: 'good' };
    const page = { issues: [issue], next_cursor: null, total: 1, weather: {} };
    const { reader } = await serve({ '/issues': { body: page } });
    expect(await reader.listIssues()).toEqual(page);
  });

  it('accepts statistics without a count of sampled events', async () => {
    const { sampled: _sampled, ...stats } = await createArrayReader({ issues: [], events: [] }).stats();
    const { reader } = await serve({ '/stats': { body: stats } });
    expect(await reader.stats()).toEqual(stats);
  });

  it('lists the allowed values of a field', async () => {
    const body = { issues: [{ ...sampleIssue(1), status: 'lost' }], next_cursor: null, total: 1 };
    const { reader } = await serve({ '/issues': { body } });
    await expect(reader.listIssues()).rejects.toThrow(
      '/issues/0/status must be equal to one of the allowed values: open, resolved, ignored',
    );
  });

  it('names the invalid field', async () => {
    const event = sampleEvent(1, 1);
    const broken = { ...event, raw: { ...event.raw, payload: { ...event.raw.payload, tags: { a: 1 } } } };
    const { reader } = await serve({ [`/events/${event.event_id}`]: { body: broken } });
    await expect(reader.getEvent(event.event_id)).rejects.toThrow('/raw/payload/tags/a must be string');
  });

  it.each(['', 'localhost:4319', 'ftp://localhost', 'nonsense'])('rejects the address %j', (url) => {
    expect(() => createHttpReader({ url })).toThrow(expect.objectContaining({ code: 'URL_INVALID' }));
  });

  it('fails calls after close', async () => {
    const { reader } = await serve({ '/stats': { body: 'never' } });
    const running = codeOf(reader.stats());
    await reader.close();
    await reader.close();
    expect(await running).toBe('COLLECTOR_UNREACHABLE');
    expect(await codeOf(reader.stats())).toBe('READER_CLOSED');
  });
});
