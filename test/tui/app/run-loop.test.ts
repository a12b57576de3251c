import { Fault } from '../../../core/event/fault.js';
import { Browser } from '../../../tui/app/run-loop.js';
import { createEffectContext } from '../../../tui/commands/create-effect-context.js';
import { topScreen } from '../../../tui/state/terminal-state.js';
import type { KeyInput } from '../../../tui/terminal/key-parser.js';
import { waitFor } from '../../helpers/wait-for.js';
import { type ArrayReader, createArrayReader, sampleEvent, sampleIssue, sampleIssueId } from '../array-reader.js';

const ENTER: KeyInput = { kind: 'key', key: 'enter' };
const END: KeyInput = { kind: 'character', character: 'G' };
const DOWN: KeyInput = { kind: 'character', character: 'j' };
const UNREACHABLE = new Fault('COLLECTOR_UNREACHABLE', 'nobody answers', { retryable: true });

const running: Browser[] = [];

/** A browser with its own clock. */
function start(reader: ArrayReader) {
  const clock = { ms: 1_000_000 };
  const browser = new Browser({
    outside: createEffectContext({ reader, env: {} }),
    size: { columns: 80, rows: 24 },
    nowMs: () => clock.ms,
    pollIntervalMs: 1,
  });
  running.push(browser);
  return { browser, clock };
}

afterEach(() => {
  for (const browser of running.splice(0)) browser.close();
});

const issuesOf = (browser: Browser) => {
  const top = topScreen(browser.state());
  if (top.kind !== 'issues') throw new Error(`on ${top.kind}`);
  return top;
};
const loaded = (browser: Browser, count: number) =>
  waitFor(`${count} issues`, () => issuesOf(browser).list.rows.length === count);

describe('the browser', () => {
  it('reads the first page at once and then polls for new issues', async () => {
    const reader = createArrayReader({ issues: [sampleIssue(1)] });
    const { browser } = start(reader);
    expect(reader.calls).toContain('listIssues');
    await loaded(browser, 1);
    reader.issues.push(sampleIssue(2));
    await loaded(browser, 2);
    expect(issuesOf(browser).list.selectedId).toBe(sampleIssueId(2));
    expect(browser.state().stats?.issues).toBe(2);
  });

  it('loads only the visible part of ten thousand issues, and more at the end', async () => {
    const reader = createArrayReader({ issues: Array.from({ length: 10_000 }, (_, n) => sampleIssue(n)) });
    const { browser } = start(reader);
    await loaded(browser, 100);
    browser.press(END);
    await loaded(browser, 200);
    browser.press(END);
    await loaded(browser, 300);
    expect(issuesOf(browser).total).toBe(10_000);
  });

  it('updates visible rows far down in the list', async () => {
    const reader = createArrayReader({ issues: Array.from({ length: 500 }, (_, n) => sampleIssue(n)) });
    const { browser } = start(reader);
    await loaded(browser, 100);
    browser.press(END);
    await loaded(browser, 200);
    browser.press(END);
    await loaded(browser, 300);
    const id = issuesOf(browser).list.selectedId;
    reader.issues = reader.issues.map((issue) => (issue.issue_id === id ? { ...issue, count: 77 } : issue));
    await waitFor('the new count', () =>
      issuesOf(browser).list.rows.some((issue) => issue.issue_id === id && issue.count === 77),
    );
  });

  it('keeps its rows while the collector does not respond, waits longer each time, and continues when it is back', async () => {
    const reader = createArrayReader({ issues: [sampleIssue(1)] });
    const { browser, clock } = start(reader);
    await loaded(browser, 1);
    const lostConnection = () => {
      const { connection } = browser.state();
      return connection.kind === 'lost' ? connection : undefined;
    };
    reader.fault = UNREACHABLE;
    const waits: number[] = [];
    for (let failures = 1; failures <= 6; failures += 1) {
      const connection = await waitFor(
        `failure ${failures}`,
        () => lostConnection()?.failures === failures && lostConnection(),
      );
      waits.push(connection.retryAtMs - clock.ms);
      expect(connection).toMatchObject({ sinceMs: 1_000_000, reason: 'nobody answers' });
      clock.ms = connection.retryAtMs;
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    expect(issuesOf(browser).list.rows).toHaveLength(1);
    reader.fault = undefined;
    reader.issues.push(sampleIssue(2));
    clock.ms += 10_000;
    await loaded(browser, 2);
    expect(browser.state().connection.kind).toBe('connected');
  });

  it('polls a collector that requires a token every 30 seconds', async () => {
    const reader = createArrayReader();
    reader.fault = new Fault('TOKEN_MISSING', 'wants a token');
    const { browser, clock } = start(reader);
    for (let failures = 1; failures <= 3; failures += 1) {
      const connection = await waitFor(`failure ${failures}`, () => {
        const now = browser.state().connection;
        return now.kind === 'lost' && now.failures === failures && now;
      });
      expect(connection).toMatchObject({ isUnauthorized: true, retryAtMs: clock.ms + 30_000 });
      clock.ms = connection.retryAtMs;
    }
    reader.fault = undefined;
    clock.ms += 30_000;
    await waitFor('the collector', () => browser.state().connection.kind === 'connected');
  });

  it('sends no requests while it waits for the next retry, for any keys', async () => {
    const reader = createArrayReader({ issues: [sampleIssue(1)] });
    const { browser } = start(reader);
    await loaded(browser, 1);
    reader.fault = UNREACHABLE;
    await waitFor('the loss', () => browser.state().connection.kind === 'lost');
    const calls = reader.calls.length;
    browser.press(ENTER);
    browser.press(DOWN);
    await new Promise((resolve) => setImmediate(resolve));
    expect(reader.calls).toHaveLength(calls);
    expect(topScreen(browser.state())).toMatchObject({ kind: 'issue', reading: 'loading' });
  });

  it('reads what the open screen needs as soon as the collector is back', async () => {
    const reader = createArrayReader({ issues: [sampleIssue(1)], events: [sampleEvent(1, 1)] });
    const { browser, clock } = start(reader);
    await loaded(browser, 1);
    browser.press(ENTER);
    await waitFor(
      'the events',
      () => topScreen(browser.state()).kind === 'issue' && reader.calls.includes('listEvents'),
    );
    await waitFor('the rows', () => {
      const top = topScreen(browser.state());
      return top.kind === 'issue' && top.reading === 'loaded';
    });
    reader.fault = UNREACHABLE;
    browser.press(ENTER);
    await waitFor('the loss', () => browser.state().connection.kind === 'lost');
    reader.fault = undefined;
    clock.ms += 60_000;
    await waitFor('the event', () => {
      const top = topScreen(browser.state());
      return top.kind === 'event' && top.pager !== undefined;
    });
  });

  it('shows that an issue or an event does not exist any more', async () => {
    const reader = createArrayReader({ issues: [sampleIssue(1)], events: [sampleEvent(1, 1)] });
    const { browser } = start(reader);
    await loaded(browser, 1);
    browser.press(ENTER);
    await waitFor('the rows', () => {
      const top = topScreen(browser.state());
      return top.kind === 'issue' && top.reading === 'loaded';
    });
    reader.events = [];
    browser.press(ENTER);
    await waitFor('the event to be gone', () => {
      const top = topScreen(browser.state());
      return top.kind === 'event' && top.isGone;
    });
    reader.issues = [];
    browser.press({ kind: 'key', key: 'escape' });
    await waitFor('the issue to be gone', () => {
      const top = topScreen(browser.state());
      return top.kind === 'issue' && top.reading === 'gone';
    });
  });

  it('reloads a list whose cursor became invalid', async () => {
    const reader = createArrayReader({ issues: Array.from({ length: 300 }, (_, n) => sampleIssue(n)) });
    const { listIssues } = reader;
    let refusals = 0;
    reader.listIssues = async (options) => {
      if (options?.cursor !== undefined && refusals === 0) {
        refusals += 1;
        throw new Fault('CURSOR_INVALID', 'the index was rebuilt');
      }
      return await listIssues(options);
    };
    const { browser } = start(reader);
    await loaded(browser, 100);
    browser.press(END);
    await loaded(browser, 200);
    expect(refusals).toBe(1);
    expect(browser.state().connection.kind).toBe('connected');
  });

  it('changes nothing after it is closed', async () => {
    const reader = createArrayReader({ issues: [sampleIssue(1)] });
    const { browser } = start(reader);
    await loaded(browser, 1);
    browser.close();
    const state = browser.state();
    browser.press(ENTER);
    browser.resize({ columns: 1, rows: 1 });
    expect(browser.state()).toBe(state);
  });
});
