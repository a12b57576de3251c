import { originOf, settingsFor, startService, stopServices } from '../../collector/running-service.js';
import { closeBodyServers, openBodyServer } from '../../helpers/body-server.js';
import { killLeftoverProcesses, runFaultline } from '../../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

afterEach(closeBodyServers);
afterAll(async () => {
  killLeftoverProcesses();
  await stopServices();
  await removeTemporaryFolders();
});

const HOUR_MS = 3_600_000;
const nowMs = Date.now();
const time = (hoursAgo: number): string =>
  `${new Date(nowMs - hoursAgo * HOUR_MS).toISOString().slice(0, -1)}000000+00:00`;
const NONE = { users: 0, new_issues: 0, regressed_issues: 0, gone_issues: 0, commits: 0, deploys: [] };
const NO_DATES = { created_at: null, released_at: null, url: null };

function release(name: string, first_seen: string, crashFree: number | null = null) {
  const counts = { sessions: 10, errored: 0, crashed: 0, abnormal: 0, users: 0, crashed_users: 0 };
  const shares = { crash_free_sessions: crashFree, crash_free_users: null, environments: [], hours: [] };
  const health = crashFree === null ? null : { ...counts, ...shares };
  return { name, first_seen, last_seen: first_seen, events: 1, ...NONE, ...NO_DATES, health };
}

/** Answers like a collector: releases, numbers of matching issues by a part of the query, and events by release. */
async function openCollector(answers: {
  releases?: readonly object[];
  /** Releases of the list; default: all. */
  listed?: readonly object[];
  newIssues?: number;
  events?: Readonly<Record<string, number>>;
  /** Of the events of each release, in turn; default 1. */
  weights?: readonly number[];
}): Promise<{ url: string; queries: string[] }> {
  const queries: string[] = [];
  const { releases = [], listed = releases, newIssues = 0, events = {}, weights = [1] } = answers;
  const { url } = await openBodyServer((_, request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://faultline');
    const query = searchParams.get('query') ?? '';
    queries.push(query);
    const count = Object.entries(events).find(([name]) => query.startsWith(`release:${name} `))?.[1] ?? 0;
    const extent = { events: 0, commits: 0, bytes: 0 };
    const pages: Record<string, object> = {
      '/api/v1/releases': { releases: listed, total: releases.length },
      '/api/v1/issues': { issues: [], next_cursor: null, total: query.startsWith('new_in:') ? newIssues : 0 },
      '/api/v1/events': {
        events: Array.from({ length: count }, (_, index) => ({ ...EVENT, weight: weights[index % weights.length] })),
        next_cursor: null,
        scanned: extent,
        total: extent,
        is_complete: true,
      },
    };
    const named = releases.find((one) => pathname === `/api/v1/releases/${Object(one).name}`);
    const page = named === undefined ? pages[pathname] : { ...named, commit_list: [] };
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(page ?? {}));
  });
  return { url, queries };
}

const NULLS = { method: null, status_code: null, release: null, user_id: null, request_id: null, session_id: null };
const NAMES = { app: 'shop', service: 'api', env: 'test', error_name: 'E', message: 'm', route: '', level: 'error' };
const EVENT = {
  event_id: '01900000-0000-7000-8000-000000000000',
  issue_id: '00000000-0000-5000-8000-000000000000',
  timestamp: time(1),
  type: 'exception',
  ...NAMES,
  ...NULLS,
  trace_id: null,
  tags: {},
};

const PAIR = [release('2.0', time(2), 99.2), release('1.0', time(50))];

async function gate(url: string, args: readonly string[]) {
  const wait = args.includes('--for') ? [] : ['--for', '0s'];
  const all = ['gate', '--release', '2.0', '--url', url, ...wait, '--report=json', ...args];
  const { code, stdout, stderr } = await runFaultline(all);
  return { code, stderr, report: stdout === '' ? undefined : JSON.parse(stdout) };
}

describe('faultline gate', () => {
  it('passes a release without new issues, which is the rule if none is given', async () => {
    const { url, queries } = await openCollector({ releases: PAIR });
    expect(await gate(url, [])).toMatchObject({
      code: 0,
      report: { outcome: 'passed', rules: { 'max-new': { status: 'pass', observed: 0, threshold: 0 } } },
    });
    expect(queries).toContain('new_in:2.0');
  });

  it('ends early with 3 for too many new issues, and with 0 in a dry run', async () => {
    const { url } = await openCollector({ releases: PAIR, newIssues: 2 });
    const args = ['--for', '10m', '--max-new', '1'];
    const found = { outcome: 'breached', rules: { 'max-new': { status: 'fail', observed: 2, threshold: 1 } } };
    expect(await gate(url, args)).toMatchObject({ code: 3, report: found });
    expect(await gate(url, [...args, '--dry-run'])).toMatchObject({ code: 0, report: found });
  });

  it('compares events per hour over the same length, and sessions without a crash', async () => {
    const { url, queries } = await openCollector({ releases: PAIR, events: { '2.0': 9, '1.0': 4 } });
    expect(await gate(url, ['--max-rate', '2x', '--min-crash-free', '99.5'])).toMatchObject({
      code: 3,
      report: {
        rules: {
          'max-rate': { status: 'fail', observed: 2.25, threshold: 2 },
          'min-crash-free': { status: 'fail', observed: 99.2, threshold: 99.5 },
        },
      },
    });
    const ends = queries.flatMap((query) => /timestamp:>=(\S+) timestamp:<=(\S+)/.exec(query)?.slice(1) ?? []);
    const [from = '', to = '', otherFrom = '', otherTo = ''] = ends;
    expect(Date.parse(to) - Date.parse(from)).toBe(Date.parse(otherTo) - Date.parse(otherFrom));
    expect(await gate(url, ['--max-rate', '3'])).toMatchObject({ code: 0, report: { outcome: 'passed' } });
  });

  it('counts events by their weights', async () => {
    const { url } = await openCollector({ releases: PAIR, events: { '2.0': 9, '1.0': 4 }, weights: [0, 3] });
    expect(await gate(url, ['--max-rate', '2x'])).toMatchObject({
      report: { rules: { 'max-rate': { status: 'pass', observed: 2 } } },
    });
  });

  it('tells missing data, which is neither a pass nor a breach', async () => {
    const { url } = await openCollector({ releases: [release('2.0', time(2))] });
    expect(await gate(url, ['--max-rate', '2x', '--min-crash-free', '99'])).toMatchObject({
      code: 0,
      report: {
        outcome: 'no_data',
        rules: { 'max-rate': { status: 'no_data' }, 'min-crash-free': { status: 'no_data' } },
      },
    });
    const empty = await openCollector({});
    expect(await gate(empty.url, [])).toMatchObject({ code: 0, report: { outcome: 'no_data' } });
  });

  it('judges and compares releases that a list of the newest does not have', async () => {
    const listed = Array.from({ length: 500 }, (_, index) => release(`made-up ${index}`, time(1)));
    const { url } = await openCollector({ releases: PAIR, listed, newIssues: 1, events: { '2.0': 9, '1.0': 4 } });
    const args = ['--max-new', '0', '--max-rate', '2x', '--compare', '1.0'];
    expect(await gate(url, args)).toMatchObject({
      code: 3,
      report: { rules: { 'max-new': { status: 'fail' }, 'max-rate': { status: 'fail', observed: 2.25 } } },
    });
  });

  it('judges the sessions that SDKs sent: no data, a pass, a breach', async () => {
    const running = await startService(
      settingsFor(
        await temporaryFolder(),
        'service.pipelines.events.receivers=[events, sentry]',
        'receivers.sentry.endpoint=127.0.0.1:0',
      ),
    );
    const attrs = { release: '2.0', environment: 'production' };
    const started = new Date().toISOString();
    const send = async (type: 'session' | 'sessions', item: object) => {
      const envelope = ['{}', JSON.stringify({ type }), JSON.stringify({ attrs, ...item })].join('\n');
      const url = `${originOf(running, 'sentry')}/api/1/envelope/?sentry_key=abc`;
      expect((await fetch(url, { method: 'POST', body: envelope })).status).toBe(200);
    };
    const judged = async () => await gate(running.apiUrl.replace('/api/v1', ''), ['--min-crash-free', '99.5']);
    const rule = (status: string, observed: number | null) => ({
      report: { rules: { 'min-crash-free': { status, observed, threshold: 99.5 } } },
    });
    expect(await judged()).toMatchObject({ code: 0, ...rule('no_data', null) });
    await send('sessions', { aggregates: [{ started, exited: 398, errored: 1 }] });
    await send('session', { sid: 's1', init: true, started, status: 'ok', errors: 0 });
    expect(await judged()).toMatchObject({ code: 0, ...rule('pass', 100) });
    await send('session', { sid: 's1', init: false, started, status: 'crashed', errors: 1 });
    expect(await judged()).toMatchObject({ code: 0, ...rule('pass', 99.75) });
    await send('sessions', { aggregates: [{ started, crashed: 3 }] });
    expect(await judged()).toMatchObject({ code: 3, ...rule('fail', 99) });
  });

  it('exits with 70 if the collector cannot be reached, after it tried again', async () => {
    expect(await gate('http://127.0.0.1:9', [])).toMatchObject({
      code: 70,
      report: { outcome: 'broken', rules: { faultline: { status: 'broken' } } },
    });
  });

  it.each([
    ['--max-rate', 'fast'],
    ['--for', 'soon'],
    ['--query', 'level:'],
  ])('exits with 2 for %s %s', async (...args) => {
    const { url } = await openCollector({ releases: PAIR });
    expect(await gate(url, args)).toMatchObject({ code: 2, report: undefined });
  });
});
