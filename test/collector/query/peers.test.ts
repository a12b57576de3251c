import type {
  EventDetail,
  EventSearchPage,
  EventsSummary,
  IssueCounts,
  IssueDetail,
  IssuePage,
  Stats,
} from '../../../generated/reader-answers.js';
import { kindOfFailure } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { post } from '../post.js';
import { type RunningService, settingsFor, startService, stopServices } from '../running-service.js';

const TOKEN = 'token-of-the-gateways';
const UNKNOWN_EVENT = '019a3c5e-7d2f-7a10-8000-00004b1d2c3e';

interface Gateway extends RunningService {
  readonly directory: string;
  /** Of its reading endpoint. */
  readonly url: string;
  readonly name: string;
}

interface Sent {
  readonly event_id: string;
  readonly issue_id: string;
}

afterAll(removeTemporaryFolders);

async function start(...sets: string[]): Promise<Gateway> {
  return await startIn(await temporaryFolder(), ...sets);
}

async function startIn(directory: string, ...sets: string[]): Promise<Gateway> {
  const running = await startService(settingsFor(directory, ...sets));
  const url = running.apiUrl.replace('/api/v1', '');
  return { ...running, directory, url, name: new URL(url).host };
}

function peersOf(...others: Pick<Gateway, 'url'>[]): string {
  return `extensions.query.peers=[${others.map(({ url }) => url).join(', ')}]`;
}

async function send({ eventsUrl }: Gateway, ...kinds: number[]): Promise<Sent[]> {
  const payloads = kinds.map((kind) => kindOfFailure(kind, { timestamp: `2026-11-20T10:0${kind}:00Z` }));
  const { body } = await post(eventsUrl, JSON.stringify(payloads));
  return body.events ?? [];
}

interface Answer<Body> {
  readonly status: number;
  readonly incomplete: string | null;
  readonly body: Body;
}

async function read<Body = { code?: string }>(
  { apiUrl }: Gateway,
  path: string,
  init?: RequestInit,
): Promise<Answer<Body>> {
  const response = await fetch(`${apiUrl}${path}`, init);
  const incomplete = response.headers.get('faultline-incomplete');
  return { status: response.status, incomplete, body: (await response.json()) as Body };
}

async function act<Body = IssueDetail>(gateway: Gateway, issueId: string, request: object): Promise<Answer<Body>> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(request) };
  return await read<Body>(gateway, `/issues/${issueId}/actions`, init);
}

const kinds = ({ issues }: IssuePage): string[] => issues.map(({ error_name }) => error_name ?? '');

/** Issues 1 to 6, one event of 1, two of 2 and so on; 1 and 4 here, the others at two peers. */
async function threeGateways() {
  const [b, c] = [await start(), await start()];
  const view = await start(peersOf(b, c));
  const sent = new Map<number, Sent>();
  for (const kind of [1, 2, 3, 4, 5, 6]) {
    const owner = [view, b, c][(kind - 1) % 3] ?? view;
    const [first] = await send(owner, ...Array.from({ length: kind }, () => kind));
    if (first !== undefined) sent.set(kind, first);
  }
  const issueOf = (kind: number): string => sent.get(kind)?.issue_id ?? '';
  return { view, b, c, issueOf, sent };
}

describe('a collector with peers', () => {
  let gateways: Awaited<ReturnType<typeof threeGateways>>;
  beforeAll(async () => {
    gateways = await threeGateways();
  });
  afterAll(stopServices);

  it('lists, counts and searches the issues of all of them', async () => {
    const { view, sent } = gateways;
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page: Answer<IssuePage> = await read(view, `/issues?sort=first_seen&limit=2${after}`);
      expect(page).toMatchObject({ status: 200, incomplete: null, body: { total: 6 } });
      found.push(...kinds(page.body));
      cursor = page.body.next_cursor;
    }
    expect(found).toEqual([6, 5, 4, 3, 2, 1].map((kind) => kindOfFailure(kind).error_name));
    const byCount = (await read<IssuePage>(view, '/issues?sort=count')).body;
    expect(byCount.issues.map(({ count }) => count)).toEqual([6, 5, 4, 3, 2, 1]);
    expect((await read<IssueCounts>(view, '/issues/counts')).body).toMatchObject({ all: 6, open: 6 });
    const events = (await read<EventSearchPage>(view, '/events?limit=500')).body;
    expect(events).toMatchObject({ total: { events: 21 }, is_complete: true });
    expect(events.events).toHaveLength(21);
    expect(new Set(events.events.map(({ issue_id }) => issue_id)).size).toBe(sent.size);
    const values = await read(view, '/issues/values?field=service');
    expect(values.body).toMatchObject({ values: [{ value: 'api', count: 6 }] });
  });

  it('returns issues and events of any of them by their ids', async () => {
    const { view, sent, issueOf } = gateways;
    for (const [kind, { event_id, issue_id }] of sent) {
      expect((await read<IssueDetail>(view, `/issues/${issue_id}`)).body.count).toBe(kind);
      expect((await read<EventDetail>(view, `/events/${event_id}`)).body.normalized.event_id).toBe(event_id);
      expect((await read<EventSearchPage>(view, `/issues/${issue_id}/events`)).body.events).toHaveLength(kind);
      const summary = (await read<EventsSummary>(view, `/issues/${issue_id}/summary`)).body;
      expect(summary).toMatchObject({ matched: kind, total: kind });
      expect(summary.histogram.counts.reduce((sum, count) => sum + count, 0)).toBe(kind);
    }
    const apart = await read(view, `/explain?a=${issueOf(2)}&b=${issueOf(3)}`);
    expect(apart).toMatchObject({ status: 422, body: { code: 'EXPLAIN_IN_DIFFERENT_SOURCES' } });
    expect((await read(view, `/explain?a=${issueOf(2)}&b=${issueOf(5)}`)).status).toBe(200);
    const unknown = await read(view, `/events/${UNKNOWN_EVENT}`);
    expect(unknown).toMatchObject({ status: 404, body: { code: 'EVENT_NOT_FOUND' } });
  });

  it('sums the statistics, and lists the state of each peer', async () => {
    const { view, b, c } = gateways;
    await read(view, '/issues');
    const { body } = await read<Stats>(view, '/stats');
    expect(body).toMatchObject({ issues: 6, events: 21 });
    expect(Object.keys(body.receivers)).toEqual(['local/events', `${b.name}/events`, `${c.name}/events`]);
    expect(body.receivers[`${c.name}/events`]).toMatchObject({ stored: 9 });
    expect(body.addresses).toMatchObject({ [`${b.name}/events`]: [b.eventsUrl], 'local/events': [view.eventsUrl] });
    const connected = { state: 'connected', since: null, reason: null };
    expect(body.peers).toEqual([b, c].map(({ name, url }) => ({ name, address: url, ...connected })));
  });

  it('acts on an issue where it is stored', async () => {
    const { view, b, issueOf } = gateways;
    expect(await act(view, issueOf(2), { action: 'resolve', actor: 'anna' })).toMatchObject({
      status: 200,
      body: { status: 'resolved', count: 2, state_by: 'anna' },
    });
    expect((await read<IssueDetail>(b, `/issues/${issueOf(2)}`)).body.status).toBe('resolved');
    expect((await act(view, issueOf(2), { action: 'undo' })).body.status).toBe('open');
    expect((await act(view, issueOf(2), { action: 'merge', issues: [issueOf(5)] })).body.count).toBe(7);
    expect((await act(view, issueOf(2), { action: 'undo' })).body.count).toBe(2);
    const apart = await act(view, issueOf(2), { action: 'merge', issues: [issueOf(3)] });
    expect(apart).toMatchObject({ status: 422, body: { code: 'ISSUES_IN_DIFFERENT_SOURCES' } });
    expect(await act(view, issueOf(2), { action: 'ignore', snooze: 'soon' })).toMatchObject({ status: 422 });
  });

  it('reads a call with the scope `local` from its own store', async () => {
    const { view } = gateways;
    const headers = { 'faultline-scope': 'local' };
    expect((await read<IssuePage>(view, '/issues', { headers })).body.total).toBe(2);
    expect(Object.keys((await read<Stats>(view, '/stats', { headers })).body.receivers)).toEqual(['events']);
  });

  it.each([
    ['nothing', ''],
    ['another list', '["000000000000",{"starts":[null,null,null],"shown":""}]'],
    ['no object', '["KEY",null]'],
    ['too few sources', '["KEY",{"starts":[null],"shown":""}]'],
    ['numbers', '["KEY",{"starts":[1,2,3],"shown":""}]'],
    ['a list of shown ones', '["KEY",{"starts":[null,null,null],"shown":[]}]'],
    ['cursors of other lists', '["KEY",{"starts":[START,START,START],"shown":""}]'],
  ])('refuses a made-up cursor: %s', async (_, text) => {
    const { view } = gateways;
    for (const path of ['/issues', '/events']) {
      const { next_cursor } = (await read<IssuePage>(view, `${path}?limit=1`)).body;
      const [key] = JSON.parse(Buffer.from(next_cursor ?? '', 'base64url').toString()) as [string];
      const start = path === '/issues' ? '"x"' : '{"after":"x"}';
      const made = text.replace('KEY', key).replaceAll('START', start);
      const cursor = Buffer.from(made).toString('base64url');
      const answer = await read(view, `${path}?limit=1&cursor=${cursor || 'x'}`);
      expect(answer).toMatchObject({ status: 400, body: { code: 'CURSOR_INVALID', parameter: 'cursor' } });
    }
  });
});

describe('a peer that is down', () => {
  afterEach(stopServices);

  it('is left out and named in every answer until it is back', async () => {
    const { view, b, c, issueOf, sent } = await threeGateways();
    expect((await read<IssuePage>(view, '/issues')).body.total).toBe(6);
    await read(view, '/stats');
    await c.service.shutdown();

    const page = await read<IssuePage>(view, '/issues?sort=first_seen');
    expect(page).toMatchObject({ status: 200, incomplete: c.name, body: { total: 4, next_cursor: null } });
    expect(kinds(page.body)).toEqual([5, 4, 2, 1].map((kind) => kindOfFailure(kind).error_name));
    expect(await read(view, '/issues/counts')).toMatchObject({ incomplete: c.name, body: { all: 4 } });
    const events = await read<EventSearchPage>(view, '/events?limit=500');
    expect(events).toMatchObject({ incomplete: c.name, body: { is_complete: false } });
    expect(events.body.events).toHaveLength(12);
    const stats = await read<Stats>(view, '/stats');
    expect(stats).toMatchObject({ incomplete: c.name, body: { issues: 4, events: 12 } });
    expect(stats.body.peers).toEqual([
      { name: b.name, address: b.url, state: 'connected', since: null, reason: null },
      {
        name: c.name,
        address: c.url,
        state: 'lost',
        since: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        reason: expect.stringContaining('connection refused'),
      },
    ]);
    expect(await read(view, `/issues/${issueOf(2)}`)).toMatchObject({ status: 200, body: { count: 2 } });
    const gone = await read(view, `/events/${sent.get(3)?.event_id}`);
    expect(gone).toMatchObject({ status: 503, body: { code: 'COLLECTOR_UNREACHABLE' } });
    expect(await act(view, issueOf(3), { action: 'resolve' })).toMatchObject({ status: 503 });
    expect(await act(view, issueOf(2), { action: 'resolve' })).toMatchObject({ status: 200, incomplete: c.name });

    await startIn(c.directory, `extensions.query.endpoint=localhost:${new URL(c.url).port}`);
    const whole = await waitFor('all issues', async () => {
      const answer = await read<IssuePage>(view, '/issues');
      return answer.incomplete === null && answer;
    });
    expect(whole.body.total).toBe(6);
    expect((await read<Stats>(view, '/stats')).body.peers?.map(({ state }) => state)).toEqual([
      'connected',
      'connected',
    ]);
  });

  it('does not prevent the start, and a collector alone answers with what it has', async () => {
    const view = await start(peersOf({ url: 'http://127.0.0.1:1' }));
    await send(view, 1);
    expect(await read(view, '/issues')).toMatchObject({ status: 200, body: { total: 1 } });
    expect((await read(view, '/issues')).incomplete).toContain('127.0.0.1');
  });
});

describe('peers of each other', () => {
  afterEach(stopServices);

  it('answer for each other without asking in circles, and do not count themselves twice', async () => {
    const [one, other] = [await start(), await start()];
    // Both have the same list, which includes each itself.
    for (const { service, directory } of [one, other])
      await service.reload(settingsFor(directory, peersOf(one, other)));
    await send(one, 1, 1);
    await send(other, 2);
    for (const [gateway, peer] of [
      [one, other],
      [other, one],
    ] as const) {
      expect((await read<IssuePage>(gateway, '/issues')).body.total).toBe(2);
      const stats = await read<Stats>(gateway, '/stats');
      expect(stats).toMatchObject({ incomplete: null, body: { issues: 2, events: 3 } });
      expect(stats.body.peers?.map(({ name }) => name)).toEqual([peer.name]);
    }
  });
});

describe('the token for peers', () => {
  afterEach(stopServices);

  it('is sent to them; a peer that refuses it is left out, and the caller is not asked for it', async () => {
    const guarded = await start(
      `extensions.bearertokenauth.token=${TOKEN}`,
      'service.extensions=[query, bearertokenauth]',
      'extensions.query.auth.authenticator=bearertokenauth',
    );
    const [sent] = await send(guarded, 1);
    const without = await start(peersOf({ url: guarded.apiUrl.replace('/api/v1', '') }));
    const view = await start(peersOf(guarded), 'extensions.query.peers_token=another-token-than-that');
    for (const gateway of [without, view]) {
      const page = await read<IssuePage>(gateway, '/issues');
      expect(page).toMatchObject({ status: 200, incomplete: guarded.name, body: { total: 0 } });
      expect((await read<Stats>(gateway, '/stats')).body.peers).toMatchObject([{ state: 'unauthorized' }]);
      const found = await read(gateway, `/issues/${sent?.issue_id}`);
      expect(found).toMatchObject({ status: 503, body: { code: 'COLLECTOR_UNREACHABLE' } });
    }
    await view.service.reload(
      settingsFor(
        view.directory,
        peersOf(guarded),
        `extensions.query.peers_token=${TOKEN}`,
        `extensions.query.endpoint=localhost:${new URL(view.url).port}`,
      ),
    );
    // The reload may close an idle connection that the next request uses.
    const found = await waitFor('a response', () => read(view, `/issues/${sent?.issue_id}`));
    expect(found).toMatchObject({ status: 200, incomplete: null });
    expect(await act(view, sent?.issue_id ?? '', { action: 'resolve' })).toMatchObject({
      body: { status: 'resolved' },
    });
  });

  it('needs the permission to act for actions', async () => {
    const guarded = await start(
      `extensions.bearertokenauth.token=${TOKEN}`,
      'extensions.bearertokenauth/acting.token=another-token-than-that',
      'service.extensions=[query, bearertokenauth, bearertokenauth/acting]',
      'extensions.query.auth.authenticator=bearertokenauth',
      'extensions.query.actions_auth.authenticator=bearertokenauth/acting',
    );
    const [sent] = await send(guarded, 1);
    const view = await start(peersOf(guarded), `extensions.query.peers_token=${TOKEN}`);
    expect(await read(view, '/issues')).toMatchObject({ incomplete: null, body: { total: 1 } });
    const refused = await act(view, sent?.issue_id ?? '', { action: 'resolve' });
    expect(refused).toMatchObject({ status: 403, body: { code: 'SOURCE_READ_ONLY' } });
  });
});
