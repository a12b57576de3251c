import { pino } from 'pino';
import { createQueryExtension } from '../../../collector/extensions/query-extension.js';
import { RegroupJobs } from '../../../collector/query/regroup-jobs.js';
import { Ledger } from '../../../collector/telemetry/ledger.js';
import { Fault } from '../../../core/event/fault.js';
import { QueryFault } from '../../../core/query/query-fault.js';
import { OPEN_QUERY } from '../../helpers/endpoint-settings.js';
import { createServers, type ServedComponents, serveComponents } from '../serve-components.js';
import { createMemoryReader, type MemoryReader } from './memory-reader.js';

const ID = '0bd5e65c-2829-5c2d-aac6-88a4f91592cf';

let extension: ReturnType<typeof createQueryExtension>;
let served: ServedComponents;
let reader: MemoryReader;

beforeEach(async () => {
  reader = createMemoryReader();
  const servers = createServers({ logger: pino({ level: 'silent' }) });
  const notAsked = () => {
    throw new Error('not asked here');
  };
  const regroupings = new RegroupJobs({ store: notAsked, logger: pino({ level: 'silent' }) });
  const serviceStats = () => ({ endpoints: { events: 'http://localhost:4318/v1/events' } });
  const unasked = { actions: notAsked, releases: notAsked, changes: notAsked, regroupings, serviceStats };
  const sources = { ...unasked, reader: () => reader, ledger: new Ledger() };
  extension = createQueryExtension('query', OPEN_QUERY, { servers, authenticatorOf: () => undefined, ...sources });
  served = await serveComponents(servers, { query: extension });
});
afterEach(() => served.stop());

interface Problem {
  code?: string;
  detail?: string;
  parameter?: string;
  column?: number;
}

async function ask(path: string, init?: RequestInit): Promise<{ status: number; headers: Headers; body: Problem }> {
  const response = await fetch(`${extension.url}/api/v1${path}`, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}

describe('a list', () => {
  it('passes the given parameters to the reader, and no others', async () => {
    await ask('/issues');
    await ask('/issues?query=level%3Aerror%20a%2Bb+c&sort=count&limit=500&cursor=abc');
    await ask(`/issues/${ID.toUpperCase()}/events?limit=1&query=`);
    await ask('/issues?sort=level');
    await ask('/issues/counts?query=a');
    await ask(`/issues/${ID}/summary?query=a&from=2026-11-21T10:00:00Z&to=2026-11-21T11:00:00%2B00:00&buckets=240`);
    expect(reader.calls).toEqual([
      ['listIssues', {}],
      ['listIssues', { query: 'level:error a+b c', sort: 'count', limit: 500, cursor: 'abc' }],
      ['listEvents', ID, { limit: 1, query: '' }],
      ['listIssues', { sort: 'level' }],
      ['countIssues', { query: 'a' }],
      [
        'summarizeEvents',
        ID,
        { query: 'a', from: '2026-11-21T10:00:00Z', to: '2026-11-21T11:00:00+00:00', buckets: 240 },
      ],
    ]);
  });

  it.each([
    ['limit', '/issues?limit=abc'],
    ['group', '/issues?group=level'],
    ['sort', '/issues/counts?sort=count'],
    ['from', `/issues/${ID}/summary?from=soon`],
    ['to', `/issues/${ID}/summary?to=`],
    ['buckets', `/issues/${ID}/summary?buckets=241`],
    ['buckets', `/issues/${ID}/summary?buckets=0`],
    ['query', '/access?query=a'],
    ['limit', '/issues?limit=0'],
    ['limit', '/issues?limit=501'],
    ['limit', '/issues?limit=-1'],
    ['limit', '/issues?limit=1e2'],
    ['limit', '/issues?limit='],
    ['limit', '/issues?limit=99999999999999999999'],
    ['limit', '/issues?limit=1&limit=2'],
    ['query', '/issues?query=a&query=b'],
    ['sort', '/issues?sort=name'],
    ['sort', `/issues/${ID}/events?sort=count`],
    ['issue_id', '/issues/not-a-uuid'],
    ['issue_id', `/issues/${ID}x/events`],
    ['event_id', '/events/1'],
    ['limt', '/issues?limt=1'],
    ['__proto__', '/issues?__proto__=1'],
    ['toString', '/issues?toString=1'],
    ['x', `/issues/${ID}?x=1`],
    ['x', '/stats?x=1'],
    ['x', '/openapi.json?x=1'],
  ])('with a bad %s is refused with 400, which names it: %s', async (parameter, path) => {
    const { status, headers, body } = await ask(path);
    expect(status).toBe(400);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(body.code).toMatch(/^PARAMETER_(INVALID|UNKNOWN)$/);
    expect(body.parameter).toBe(parameter);
    expect(body.detail).toContain(parameter);
    expect(reader.calls).toEqual([]);
  });

  it('suggests the parameter that was probably meant', async () => {
    expect((await ask('/issues?limt=1')).body.detail).toContain('did you mean limit?');
  });

  it('is refused with 400 if the query or the cursor is invalid', async () => {
    reader.fault = new QueryFault(4, 'a word is missing');
    expect(await ask('/issues?query=a+and')).toMatchObject({
      status: 400,
      body: { code: 'QUERY_INVALID', parameter: 'query', column: 5 },
    });
    reader.fault = new Fault('CURSOR_INVALID', 'the cursor is not of this list');
    expect(await ask('/issues?cursor=x')).toMatchObject({
      status: 400,
      body: { code: 'CURSOR_INVALID', parameter: 'cursor' },
    });
  });
});

describe('a single resource', () => {
  it('gets 404 with its own code if it does not exist', async () => {
    expect(await ask(`/issues/${ID}`)).toMatchObject({ status: 404, body: { code: 'ISSUE_NOT_FOUND' } });
    expect(await ask(`/events/${ID}`)).toMatchObject({ status: 404, body: { code: 'EVENT_NOT_FOUND' } });
    expect(await ask('/nothing')).toMatchObject({ status: 404, body: { code: 'PATH_NOT_FOUND' } });
    expect(await ask('/issues/')).toMatchObject({ status: 404, body: { code: 'PATH_NOT_FOUND' } });
  });
});

describe('every response', () => {
  it.each(['/issues', `/issues/${ID}`, '/issues?limit=x', '/nothing', '/openapi.json'])(
    'forbids caching and sniffing: %s',
    async (path) => {
      const { headers } = await ask(path);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-powered-by')).toBeNull();
    },
  );

  it('to HEAD has no body', async () => {
    const whole = await ask('/issues');
    const head = await ask('/issues', { method: 'HEAD' });
    expect([head.status, head.body]).toEqual([200, {}]);
    expect(head.headers.get('content-length')).toBe(whole.headers.get('content-length'));
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('to %s is 405 with the allowed methods', async (method) => {
    const { status, headers, body } = await ask('/issues', { method });
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET, HEAD');
    expect(body.code).toBe('METHOD_NOT_ALLOWED');
  });

  it('is 503 with Retry-After while the store is not open', async () => {
    const { status, headers, body } = await ask('/stats');
    expect([status, headers.get('retry-after'), body.code]).toEqual([503, '1', 'READER_CLOSED']);
  });

  it('to an internal error is 500 without its message', async () => {
    reader.fault = new TypeError('secret');
    const { status, body } = await ask('/issues');
    expect([status, body.code]).toEqual([500, 'INTERNAL']);
    expect(body.detail).not.toContain('secret');
  });
});
