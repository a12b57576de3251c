import { Fault } from '../../../../core/event/fault.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import { logicOf } from '../../../../tui/app/screen-table.js';
import { type IssueScreen, openIssue } from '../../../../tui/state/issue-state.js';
import { initialState, pushScreen, type TerminalState, topScreen } from '../../../../tui/state/terminal-state.js';
import {
  type ArrayReader,
  createArrayReader,
  sampleEvent,
  sampleEventId,
  sampleIssue,
  sampleIssueId,
  sampleTime,
} from '../../array-reader.js';
import { started, typeKeys, windowRows } from '../../type-keys.js';
import { poll, readMissing } from './read-missing.js';

const ENTER = '\r';
const ESCAPE = '\u001b';
const TAB = '\t';
/** Hours of the sample events, which are ten minutes apart. */
const EVENTS = 60;

function sampleReader(change: (number: number) => Partial<RawPayload> = () => ({})): ArrayReader {
  const events = Array.from({ length: EVENTS }, (_, number) => sampleEvent(1, number, change(number)));
  for (const [number, event] of events.entries()) event.normalized.timestamp = sampleTime(number * 600);
  const issue = sampleIssue(1, { count: EVENTS, last_seen: sampleTime((EVENTS - 1) * 600) });
  return createArrayReader({ issues: [issue], events });
}

async function opened(reader: ArrayReader, size = { columns: 80, rows: 24 }): Promise<TerminalState> {
  const start = initialState({ size, nowMs: Date.parse(sampleTime(EVENTS * 600)) });
  const issue = reader.issues[0] ?? sampleIssue(1);
  return poll(
    reader,
    pushScreen(start, (key) => openIssue(key, issue)),
  );
}

function issueOf(state: TerminalState): IssueScreen {
  const top = topScreen(state);
  if (top.kind !== 'issue') throw new Error(`the visible screen is ${top.kind}`);
  return top;
}

const idsOf = (state: TerminalState): readonly string[] => issueOf(state).list.rows.map(({ event_id }) => event_id);

describe('the time window of an issue', () => {
  const spanOf = (state: TerminalState): readonly [string, string | undefined, string | undefined] => {
    const { span, range } = issueOf(state);
    return [span, range?.from, range?.to];
  };

  it('is a day up to the latest event, and filters the events and the facets once it was changed', async () => {
    const reader = sampleReader();
    const before = await opened(reader);
    expect(issueOf(before).windowSummary?.source.range).toEqual({
      from: '2026-11-19T20:00:00.000Z',
      to: '2026-11-20T20:00:00.000Z',
    });
    expect(idsOf(before)).toHaveLength(EVENTS);
    const state = await readMissing(reader, typeKeys(before, '+'));
    expect(spanOf(state)).toEqual(['6h', '2026-11-20T14:00:00.000Z', '2026-11-20T20:00:00.000Z']);
    expect(idsOf(state)).toHaveLength(36);
    expect(windowRows(typeKeys(state, '2'))).toContainEqual(expect.stringMatching(/^ {2}36 of 60 events$/));
    const earlier = await readMissing(reader, typeKeys(state, '['));
    expect(spanOf(earlier)).toEqual(['6h', '2026-11-20T08:00:00.000Z', '2026-11-20T14:00:00.000Z']);
    expect(idsOf(earlier)).toHaveLength(24);
  });

  it('moves between the first event and now, and 0 shows all times', async () => {
    const state = await opened(sampleReader());
    expect(typeKeys(state, '+[[').notice?.text).toBe('No earlier events.');
    expect(spanOf(typeKeys(state, '+[]'))).toEqual(spanOf(typeKeys(state, '+')));
    expect(typeKeys(state, '+]]').notice?.text).toBe('No later events.');
    expect(typeKeys(state, '+++').notice?.text).toBe('This is the shortest time window.');
    expect(spanOf(typeKeys(state, '--'))[0]).toBe('30d');
    expect(spanOf(typeKeys(state, '---'))).toEqual(['all', undefined, undefined]);
    expect(typeKeys(state, '0-').notice?.text).toBe('All events are shown.');
    expect(spanOf(typeKeys(state, '+0'))).toEqual(['all', undefined, undefined]);
  });

  it('narrows a filter of alternatives as a whole', async () => {
    const reader = sampleReader();
    const state = typeKeys(await opened(reader), `/level:info OR level:error${ENTER}+`);
    expect(idsOf(await readMissing(reader, state))).toHaveLength(36);
  });

  it('is removed by Escape before the filter, and before the screen is left', async () => {
    const reader = sampleReader();
    let state = await readMissing(reader, typeKeys(await opened(reader), `/level:error${ENTER}+`));
    expect(issueOf(state)).toMatchObject({ query: 'level:error', span: '6h' });
    state = await readMissing(reader, typeKeys(state, ESCAPE));
    expect(issueOf(state)).toMatchObject({ query: 'level:error', range: undefined, span: '24h' });
    expect(idsOf(state)).toHaveLength(EVENTS);
    state = typeKeys(state, ESCAPE);
    expect(issueOf(state).query).toBe('');
    expect(topScreen(typeKeys(state, ESCAPE)).kind).toBe('issues');
  });
});

describe('the filter of an issue', () => {
  const routes = (number: number): Partial<RawPayload> => ({ route: number % 2 === 0 ? '/even' : '/odd' });

  it('is a query for events, rejected if it is invalid', async () => {
    const reader = sampleReader(routes);
    const state = typeKeys(await opened(reader), `/route:/odd nosuch:1${ENTER}`);
    expect(state.overlay).toMatchObject({ kind: 'prompt', problem: { column: 12 } });
    const filtered = await readMissing(reader, typeKeys(state, `\u0015route:/odd${ENTER}`));
    expect(idsOf(filtered)).toHaveLength(EVENTS / 2);
    expect(issueOf(filtered).summary?.summary.matched).toBe(EVENTS / 2);
  });

  it('adds a value of the selected event, or its exclusion', async () => {
    const reader = sampleReader(routes);
    const loaded = await opened(reader);
    const state = await readMissing(reader, typeKeys(loaded, '*o'));
    expect(issueOf(state).query).toBe('route:/odd');
    expect(idsOf(state)).toHaveLength(EVENTS / 2);
    const other = await readMissing(reader, typeKeys(loaded, '!o'));
    expect(issueOf(other).query).toBe('-route:/odd');
    expect(idsOf(other)).toHaveLength(EVENTS / 2);
    const both = typeKeys(typeKeys(loaded, `/level:error OR level:fatal${ENTER}`), '*o');
    expect(issueOf(both).query).toBe('(level:error OR level:fatal) route:/odd');
  });

  it('adds the value of a facet directly', async () => {
    const reader = sampleReader((number) => ({
      tags: { 'a "key"': number === 7 ? 'x *\\ "y"\n' : 'z' },
      release: null,
    }));
    const state = typeKeys(await opened(reader), '2');
    const last = typeKeys(state, 'G');
    const filtered = await readMissing(reader, typeKeys(last, ENTER));
    expect(issueOf(filtered).query).toBe('tags."a \\"key\\"":"x \\*\\\\ \\"y\\"\n"');
    expect(idsOf(filtered)).toEqual([sampleEventId(7)]);
    const others = await readMissing(reader, typeKeys(last, '!'));
    expect(idsOf(others)).toHaveLength(EVENTS - 1);
    expect(idsOf(await readMissing(reader, typeKeys(last, '*')))).toHaveLength(1);
  });

  it('can select events without a value', async () => {
    const reader = sampleReader((number) => ({ release: number < 10 ? null : 'v1' }));
    const state = typeKeys(await opened(reader), '2');
    // Only the release differs: its value, then the missing ones.
    const filtered = await readMissing(reader, typeKeys(state, `j${ENTER}`));
    expect(issueOf(filtered).query).toBe('-release:*');
    expect(idsOf(filtered)).toHaveLength(10);
  });

  it('scrolls through 5,000 values of a facet', async () => {
    const reader = sampleReader();
    const { summarizeEvents } = reader;
    const values = Array.from({ length: 5_000 }, (_, index) => ({ value: `v${index}`, count: 1 }));
    reader.summarizeEvents = async (issueId, options) => {
      const summary = await summarizeEvents(issueId, options);
      return summary && { ...summary, facets: [{ field: 'user_id', values, others: 0, without: 0 }] };
    };
    const state = typeKeys(typeKeys(await opened(reader), '2'), 'G');
    const rows = windowRows(state);
    expect(rows).toHaveLength(24);
    expect(rows.find((row) => row.startsWith('›'))).toMatch(/^› {3}v4999 /);
    expect(issueOf(typeKeys(state, ENTER)).query).toBe('user_id:v4999');
  });

  it('is reset with the reason if the collector rejects it', async () => {
    const reader = sampleReader();
    const state = typeKeys(await opened(reader), `/level:error${ENTER}+`);
    reader.fault = new Fault('QUERY_INVALID', 'Query, column 1: not here.');
    const refused = typeKeys(state, '');
    const reads = logicOf(topScreen(refused)).missing(refused);
    expect(reads.length).toBeGreaterThan(1);
    const after = reads.reduce(
      (now, { onFault: failed }) => failed?.(reader.fault ?? new Fault('X', ''))?.(now) ?? now,
      refused,
    );
    expect(issueOf(after)).toMatchObject({ query: '', range: undefined });
    expect(after.notice).toEqual({ text: 'Query, column 1: not here.', tone: 'error' });
  });

  it('ignores a response to a previous filter, and reads again', async () => {
    const reader = sampleReader(routes);
    const state = await opened(reader);
    const odd = typeKeys(state, `/route:/odd${ENTER}`);
    const late = logicOf(topScreen(odd)).missing(odd);
    const even = typeKeys(odd, `/\u0015route:/even${ENTER}`);
    let after = even;
    for (const read of late) after = (await read.perform(reader))(after);
    expect(idsOf(after)).toEqual(idsOf(state));
    expect(after).not.toBe(even);
    const settled = await readMissing(reader, after);
    expect(issueOf(settled).list.rows.every(({ route }) => route === '/even')).toBe(true);
  });
});

describe('the panes of an issue', () => {
  it('are selected by numbers and Tab, and Enter opens their selection', async () => {
    const reader = sampleReader();
    reader.issues.push(sampleIssue(2, { service: 'worker', count: 3 }), sampleIssue(3, { service: 'cron' }));
    const state = await opened(reader);
    const panes = [TAB, TAB, TAB, TAB, TAB].map((_, index) => issueOf(typeKeys(state, TAB.repeat(index))).pane);
    expect(panes).toEqual(['events', 'facets', 'why', 'history', 'related']);
    expect(issueOf(typeKeys(state, '\u001b[Z')).pane).toBe('related');
    const related = await readMissing(reader, typeKeys(state, '5'));
    expect(windowRows(related).filter((row) => / (?:cron|worker)$/.test(row))).toEqual([
      expect.stringContaining('Failure3'),
      expect.stringContaining('Failure2'),
    ]);
    const next = typeKeys(related, `j${ENTER}`);
    expect(issueOf(next).issue.issue_id).toBe(sampleIssueId(2));
    expect(next.stack).toHaveLength(3);
    expect(issueOf(typeKeys(next, ESCAPE)).issue.issue_id).toBe(sampleIssueId(1));
  });

  it('open the selected event and come back to it', async () => {
    const reader = sampleReader();
    const state = typeKeys(await opened(reader), `jj${ENTER}`);
    expect(topScreen(state)).toMatchObject({ kind: 'event', eventId: sampleEventId(EVENTS - 3) });
    expect(issueOf(typeKeys(state, 'h')).list.selectedId).toBe(sampleEventId(EVENTS - 3));
  });

  it('ignore keys without an effect', async () => {
    const reader = createArrayReader({ issues: [sampleIssue(1, { count: 0, removed_events: 5 })] });
    const state = await opened(reader);
    expect(issueOf(state)).toMatchObject({ reading: 'loaded' });
    for (const pane of '12345') {
      const shown = await readMissing(reader, typeKeys(state, pane));
      expect(issueOf(typeKeys(shown, `jkGg${ENTER}*!`)).pane).toBe(issueOf(shown).pane);
    }
  });
});

describe('an issue that changes', () => {
  it('lets new events in', async () => {
    const reader = sampleReader();
    const state = await opened(reader);
    const event = sampleEvent(1, EVENTS);
    event.normalized.timestamp = sampleTime(EVENTS * 600 + EVENTS);
    reader.events.push(event);
    reader.issues = [sampleIssue(1, { count: reader.events.length, last_seen: event.normalized.timestamp })];
    expect(idsOf(await poll(reader, await poll(reader, state)))).toHaveLength(EVENTS + 1);
  });

  it('reads its histogram again soon after new events, and not before', async () => {
    const reader = sampleReader();
    const state = await opened(reader);
    const summaries = (): number => reader.calls.filter((call) => call === 'summarizeEvents').length;
    const before = summaries();
    await poll(reader, { ...state, nowMs: state.nowMs + 10_000 });
    expect(summaries()).toBe(before);
    reader.issues = [sampleIssue(1, { count: EVENTS + 1, last_seen: sampleTime((EVENTS - 1) * 600) })];
    const known = await poll(reader, { ...state, nowMs: state.nowMs + 1_000 });
    expect(summaries()).toBe(before);
    const read = await poll(reader, { ...known, nowMs: state.nowMs + 2_000 });
    expect(summaries()).toBe(before + 2);
    expect(issueOf(read).summary?.source.count).toBe(EVENTS + 1);
  });

  it('is shown as removed if the store no longer has it, and is not read any more', async () => {
    const reader = sampleReader();
    const state = await opened(reader);
    reader.issues = [];
    const gone = await poll(reader, state);
    expect(issueOf(gone).reading).toBe('gone');
    expect(logicOf(topScreen(gone)).missing(gone)).toEqual([]);
  });

  it('has as many bars as fit the window', async () => {
    const reader = sampleReader();
    expect(issueOf(await opened(reader)).windowSummary?.summary.histogram.counts).toHaveLength(48);
    const wide = await opened(reader, { columns: 160, rows: 60 });
    expect(issueOf(wide).windowSummary?.summary.histogram.counts).toHaveLength(144);
  });
});

describe('n and N', () => {
  it('show the next and previous issue of the list in the same tab, and select it there', async () => {
    const reader = sampleReader();
    reader.issues = [1, 2, 3].map((number) => sampleIssue(number));
    const list = await started(reader);
    const state = typeKeys(list, `j${ENTER}3n`);
    expect(issueOf(state)).toMatchObject({ pane: 'why', issue: { issue_id: sampleIssueId(1) } });
    expect(typeKeys(state, 'n').notice?.text).toBe('This is the last issue.');
    expect(issueOf(typeKeys(state, 'NN')).issue.issue_id).toBe(sampleIssueId(3));
    expect(typeKeys(state, 'NNN').notice?.text).toBe('This is the first issue.');
    expect(typeKeys(state, `N${ESCAPE}`).stack).toMatchObject([{ list: { selectedId: sampleIssueId(2) } }]);
  });
});
