import { EventEmitter } from 'node:events';
import { Fault } from '../../../core/event/fault.js';
import { type EventId, toEventId } from '../../../core/event/ids.js';
import type { EventDetail } from '../../../generated/reader-answers.js';
import { runEvents } from '../../../tui/commands/events.js';
import { outputs } from '../../helpers/outputs.js';
import { waitFor } from '../../helpers/wait-for.js';
import { createArrayReader, sampleEvent, sampleIssue, sampleIssueId } from '../array-reader.js';

/** Starts a watch; `lines` are the documents that it printed. */
function watching(run: (call: object) => Promise<number>) {
  const to = outputs();
  const signals = new EventEmitter();
  const ended = run({ ...to, signals, intervalMs: 1, json: false, env: {}, limit: 50, isWatch: true });
  const lines = () =>
    to
      .out()
      .split('\n')
      .slice(0, -1)
      .map((line): Record<string, unknown> => JSON.parse(line));
  return { to, signals, ended, lines };
}

/** Waits for two more polls: the second one began after this call. */
async function polledTwice(reader: { readonly calls: readonly string[] }): Promise<void> {
  const before = reader.calls.length;
  await waitFor('two polls', () => reader.calls.length >= before + 2);
}

/** An event whose id starts with its receipt time, as in the store. */
function eventAt(ms: number, message: string): EventDetail {
  const time = ms.toString(16).padStart(12, '0');
  const id = toEventId(`${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`);
  if (id === undefined) throw new Error('no id');
  const event = sampleEvent(1, 1, { message });
  return { ...event, event_id: id, normalized: { ...event.normalized, event_id: id } };
}
const START = Date.parse('2026-11-20T10:00:00Z');
const FIRST = eventAt(START, 'first');
const SECOND = eventAt(START + 1, 'second');

/** The array reader ignores event queries: later polls return everything. */
function readerOf(events: EventDetail[]) {
  const reader = createArrayReader({ issues: [sampleIssue(1)], events });
  const { searchEvents } = reader;
  reader.searchEvents = ({ query, ...options } = {}) =>
    searchEvents(query === undefined || query.startsWith('received_at:') ? options : { query, ...options });
  return reader;
}

describe('a watch', () => {
  const watch = (reader: ReturnType<typeof createArrayReader>, query?: string) =>
    watching((call) => runEvents({ ...(call as Parameters<typeof runEvents>[0]), reader, query }));

  it('reports once that the collector is gone, and continues when it is back', async () => {
    const reader = readerOf([FIRST]);
    const { to, lines, ended, signals } = watch(reader);
    await waitFor('the first list', () => lines().length === 1);
    reader.fault = new Fault('COLLECTOR_UNREACHABLE', 'No collector \u001b answers.', { retryable: true });
    await polledTwice(reader);
    reader.events = [FIRST, SECOND];
    reader.fault = undefined;
    await waitFor('the event of the meantime', () => lines().length === 2);
    signals.emit('SIGTERM');
    expect(await ended).toBe(143);
    expect(to.err()).toBe('No collector ␛ answers. Waiting for it.\nConnected again.\n');
  });

  it('ends if the first poll fails, and refuses one JSON document', async () => {
    const failing = createArrayReader();
    failing.fault = new Fault('COLLECTOR_UNREACHABLE', 'nobody');
    expect(await watch(failing).ended).toBe(1);
    expect(await watch(createArrayReader(), '(a').ended).toBe(2);
    const base = { ...outputs(), reader: createArrayReader(), limit: 50, env: {}, isWatch: true } as const;
    expect(await runEvents({ ...base, json: true })).toBe(2);
  });

  it('ends when the reader of its output exits', async () => {
    const reader = readerOf([FIRST]);
    const { to, ended, lines } = watch(reader);
    await waitFor('the first list', () => lines().length === 1);
    to.stdout._write = (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    reader.events = [FIRST, SECOND];
    expect(await ended).toBe(0);
  });

  it('ends on a signal while the collector hangs', async () => {
    const reader = readerOf([FIRST]);
    const { ended, lines, signals } = watch(reader);
    await waitFor('the first list', () => lines().length === 1);
    let isPolled = false;
    reader.searchEvents = () => {
      isPolled = true;
      return new Promise(() => undefined);
    };
    await waitFor('the poll that hangs', () => isPolled);
    signals.emit('SIGINT');
    expect(await ended).toBe(130);
  });

  it('prints a table with one row of headings on a terminal', async () => {
    const to = outputs(120);
    const signals = new EventEmitter();
    const reader = readerOf([FIRST]);
    const call = { ...to, signals, intervalMs: 1, json: false, env: { NO_COLOR: '1' }, limit: 50, isWatch: true };
    const ended = runEvents({ ...call, reader });
    await waitFor('the first list', () => to.out().includes('first'));
    reader.events = [FIRST, SECOND];
    await waitFor('the new one', () => to.out().includes('second'));
    signals.emit('SIGINT');
    await ended;
    expect(to.out().match(/MESSAGE|EVENT/g)).toHaveLength(1);
    expect(to.out().split('\n')).toHaveLength(4);
  });
});

describe('faultline events --watch', () => {
  it.each([undefined, sampleIssueId(1)])(
    'prints new events once and in order of arrival, of all issues or of one',
    async (issueId) => {
      const old = Array.from({ length: 60 }, (_, n) => eventAt(START + n, `old ${n}`));
      const reader = createArrayReader({ issues: [sampleIssue(1)], events: old });
      const queries: (string | undefined)[] = [];
      const { searchEvents, listEvents } = reader;
      // The query is recorded, and everything is returned.
      const recordQuery = <Options extends { query?: string | undefined }>({ query, ...rest }: Options) => {
        queries.push(query);
        return rest;
      };
      reader.searchEvents = (options = {}) => searchEvents(recordQuery(options));
      reader.listEvents = (id, options = {}) => listEvents(id, recordQuery(options));
      const { lines, ended, signals } = watching((call) =>
        runEvents({ ...(call as Parameters<typeof runEvents>[0]), reader, issueId, query: 'a OR b' }),
      );
      await waitFor('the first list', () => lines().length === 50);
      expect(lines()[0]).toMatchObject({ message: 'old 10' });
      const more = Array.from({ length: 1_200 }, (_, n) => eventAt(START + 100 + n, `new ${n}`));
      reader.events = [...old, ...more];
      await waitFor('the new ones', () => lines().length >= 1_250);
      await polledTwice(reader);
      signals.emit('SIGINT');
      expect(await ended).toBe(130);
      expect(
        lines()
          .slice(50)
          .map(({ message }) => message),
      ).toEqual(more.map(({ normalized }) => normalized.message));
      expect(queries).toContain('(a OR b) received_at:>=2026-11-20T09:59:50.059Z');
    },
  );

  it('starts with an empty store', async () => {
    const reader = createArrayReader({ issues: [sampleIssue(1)] });
    const { lines, ended, signals } = watching((call) =>
      runEvents({ ...(call as Parameters<typeof runEvents>[0]), reader }),
    );
    await polledTwice(reader);
    reader.events = [eventAt(START, 'first')];
    await waitFor('the first one', () => lines().length === 1);
    signals.emit('SIGINT');
    await ended;
    const ids: (EventId | undefined)[] = reader.events.map(({ event_id }) => event_id);
    expect(lines().map(({ event_id }) => event_id)).toEqual(ids);
  });

  it('ends if its issue is removed', async () => {
    const reader = createArrayReader({ issues: [sampleIssue(1)], events: [eventAt(START, 'x')] });
    const { to, lines, ended } = watching((call) =>
      runEvents({ ...(call as Parameters<typeof runEvents>[0]), reader, issueId: sampleIssueId(1) }),
    );
    await waitFor('the first list', () => lines().length === 1);
    reader.issues = [];
    expect(await ended).toBe(1);
    expect(to.err()).toContain(`No issue ${sampleIssueId(1)}.`);
  });
});
