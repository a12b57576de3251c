import { type RunningSentry, startSentry } from './running-sentry.js';

let running: RunningSentry;
beforeEach(async () => {
  running = await startSentry();
});
afterEach(() => running.close());

const NOW = () => new Date().toISOString();
const ATTRS = { release: 'v1', environment: 'staging' };

async function send(type: 'session' | 'sessions', ...payloads: unknown[]) {
  const lines = payloads.flatMap((payload) => [JSON.stringify({ type }), JSON.stringify(payload)]);
  const { status } = await running.post(`{}\n${lines.join('\n')}\n`);
  expect(status).toBe(200);
  return running.sessions;
}

describe('sessions in envelopes', () => {
  it('are reported with status, user, release and environment', async () => {
    const base = { sid: 's', did: 'u1', init: true, started: NOW(), attrs: ATTRS };
    const reports = await send(
      'session',
      { ...base, status: 'exited', errors: 0 },
      { ...base, status: 'ok', errors: 3, attrs: { release: 'v1' } },
      { ...base, status: 'unhandled', did: null },
      { ...base, status: 'crashed', init: false },
    );
    expect(reports.map((one) => [one.environment, one.user, 'status' in one && one.status])).toEqual([
      ['staging', 'u1', 'ok'],
      ['production', 'u1', 'errored'],
      ['staging', null, 'errored'],
      ['staging', 'u1', 'crashed'],
    ]);
    expect(running.ledger.snapshot()['sentry']?.reasons).toEqual({ SENTRY_SESSION_COUNTED: 4 });
  });

  it('are reported as sums, and without invalid numbers', async () => {
    const aggregates = [
      { started: NOW(), exited: 5, errored: 2, unhandled: 1, crashed: 1 },
      { started: NOW(), exited: -1, crashed: 'many' },
      null,
    ];
    const reports = await send('sessions', { aggregates, attrs: ATTRS });
    expect(reports).toMatchObject([{ counts: { sessions: 9, errored: 3, crashed: 1, abnormal: 0 }, user: null }]);
  });

  it('count in the hour of their receipt when their start is not plausible', async () => {
    const before = Date.now();
    const base = { init: true, status: 'ok', attrs: ATTRS };
    const starts = ['1999-01-01T00:00:00Z', '2999-01-01T00:00:00Z', 'x', null];
    const reports = await send('session', ...starts.map((started, index) => ({ ...base, sid: `${index}`, started })));
    expect(reports.length).toBe(4);
    for (const { startedMs } of reports) expect(startedMs).toBeGreaterThanOrEqual(before);
  });

  it('are dropped and counted without a release, an id or a known form', async () => {
    const forms = [
      {},
      [],
      { sid: 's', attrs: {} },
      { sid: 7, attrs: ATTRS },
      { sid: 's', attrs: { release: 'v'.repeat(251) } },
    ];
    expect(await send('session', ...forms)).toEqual([]);
    expect(running.ledger.snapshot()['sentry']?.reasons).toEqual({ SENTRY_ITEM_DROPPED: 5 });
  });
});
