import { ISSUE_SORTS } from '../../../../core/contract/reader.js';
import { issueColumns } from '../../../../tui/format/issue/issue-columns.js';
import { NO_SHAPE } from '../../../../tui/format/issue/issue-list-shape.js';
import { emptyText } from '../../../../tui/screens/lists/empty-text.js';
import { listQuery } from '../../../../tui/state/issue-tabs.js';
import { initialState } from '../../../../tui/state/terminal-state.js';
import { issueOrder } from '../../../helpers/issue-order.js';
import { allowActions } from '../../allow-actions.js';
import { type ArrayReader, createArrayReader, sampleIssue, sampleIssueId, sampleTime } from '../../array-reader.js';
import {
  DOWN,
  ENTER,
  ESCAPE,
  issuesOf,
  listed,
  menuOf,
  promptOf,
  SHIFT_TAB,
  settle,
  started,
  typeKeys,
} from '../../type-keys.js';

const reading = (count: number): ArrayReader =>
  createArrayReader({ issues: Array.from({ length: count }, (_, number) => sampleIssue(number)) });
const wanted = (state: Parameters<typeof issuesOf>[0]) => issuesOf(state).wanted;

describe('the tabs', () => {
  const reader = createArrayReader({
    issues: [
      sampleIssue(0, { status: 'resolved' }),
      sampleIssue(1, { status: 'ignored' }),
      sampleIssue(2, { regressed: true, assignee: 'ada' }),
      sampleIssue(3, { is_new: true }),
      sampleIssue(4),
      sampleIssue(5, { spiking: true, status: 'ignored', assignee: 'ada' }),
    ],
  });

  it.each([
    ['1', [4, 3, 2]],
    ['2', [3, 2]],
    ['3', [2]],
    ['4', [5, 1]],
    ['5', [0]],
    ['6', [5, 4, 3, 2, 1, 0]],
    ['\t', [3, 2]],
    ['\t\t', [2]],
    [SHIFT_TAB, [5, 4, 3, 2, 1, 0]],
    [`${SHIFT_TAB}\t`, [4, 3, 2]],
    [`/mine${ENTER}`, [2]],
    [`2/mine -"mine"${ENTER}`, [2]],
    [`/is:ignored${ENTER}`, [5, 1]],
    [`/is:ignored${ENTER}5`, [5, 1]],
    [`2/status:resolved${ENTER}${ESCAPE}`, [3, 2]],
  ])('%j lists %j', async (keys, numbers) => {
    expect(listed(await settle(typeKeys(await started(reader, { userName: 'ada' }), keys), reader)).sort()).toEqual(
      numbers.toSorted(),
    );
  });

  it('count the issues that match the filter', async () => {
    const state = await started(reader, { userName: 'ada' });
    expect(issuesOf(state).counts).toMatchObject({ open: 3, review: 2, mine: 1, ignored: 2, resolved: 1, all: 6 });
    const filtered = await settle(typeKeys(state, `/Failure3${ENTER}`), reader);
    expect(issuesOf(filtered).counts).toMatchObject({ open: 1, review: 1, mine: 0, all: 1 });
  });

  it.each(['a OR b', 'x) OR (y', '"a OR b"', '-is:new', '(a b) OR c', 'title:"(x"'])(
    'apply in addition to %j',
    (query) => {
      expect(listQuery({ tab: 'open', query }, undefined)).toMatch(/^is:open|^x\)/);
    },
  );
});

describe('the order', () => {
  const issues = Array.from({ length: 12 }, (_, number) =>
    sampleIssue(number, {
      first_seen: sampleTime(-((number * 5) % 12)),
      count: (number * 7) % 12,
      users: (number * 11) % 12,
      level: ['info', 'error', 'fatal', 'warning'][number % 4] ?? '',
      regressed: number % 5 === 1,
      title: `${'zyx'[number % 3]} ${number}`,
      service: `s${number % 3}`,
      environments: number % 4 === 0 ? [] : [`e${number % 3}`],
      releases: [`v${(number * 3) % 7}`],
      trend: Array.from({ length: 24 }, (_, hour) => (hour * number) % 5),
    }),
  );

  it.each(ISSUE_SORTS.map((sort, place) => ({ sort, place })))(
    'is chosen from the menu: $sort',
    async ({ sort, place }) => {
      const reader = createArrayReader({ issues: [...issues] });
      const sorted = await settle(typeKeys(await started(reader), `s\u001b[H${DOWN.repeat(place)}${ENTER}`), reader);
      expect(wanted(sorted).sort).toBe(sort);
      const expected = [...issues].sort(issueOrder(sort)).map(({ issue_id }) => issue_id);
      expect(issuesOf(sorted).list.rows.map(({ issue_id }) => issue_id)).toEqual(expected);
      const { shape } = issuesOf(sorted);
      const marked = issueColumns({ width: 300, nowMs: 0, shape, hasStates: false, sort }).filter(({ heading }) =>
        heading.endsWith('▾'),
      );
      expect(marked).toHaveLength(1);
      const { key } = menuOf(typeKeys(sorted, 's')).items[place] ?? {};
      expect(wanted(typeKeys(sorted, `s${key}`)).sort).toBe(sort);
      expect(menuOf(typeKeys(sorted, 's')).selected).toBe(place);
    },
  );
});

describe('the columns', () => {
  it('are chosen when the list is read, not with every poll; owners follow', async () => {
    const reader = reading(60);
    const state = await started(reader);
    expect(issuesOf(state).shape).toEqual(NO_SHAPE);
    reader.issues = reader.issues.map((issue, at) =>
      at === 59 ? { ...issue, service: 'web', assignee: 'anna' } : issue,
    );
    const polled = await settle(state, reader);
    expect(issuesOf(polled).shape).toEqual({ ...NO_SHAPE, owner: 4 });
    expect(issuesOf(await settle(typeKeys(polled, '6'), reader)).shape.service).toBeGreaterThan(0);
  });
});

describe('marks', () => {
  it('are set by Space and by ranges, and removed before the filter is', async () => {
    const reader = reading(10);
    const filtered = await settle(typeKeys(await started(reader), `/Failure${ENTER}`), reader);
    const marked = typeKeys(filtered, ` jj V`);
    expect([...issuesOf(marked).marked]).toEqual([9, 6, 5].map(sampleIssueId));
    expect(issuesOf(typeKeys(marked, 'gV')).marked.size).toBe(5);
    expect(issuesOf(typeKeys(filtered, '  gj ')).marked.size).toBe(1);
    const unmarked = typeKeys(marked, ESCAPE);
    expect([issuesOf(unmarked).marked.size, wanted(unmarked).query]).toEqual([0, 'Failure']);
    expect(wanted(typeKeys(unmarked, ESCAPE)).query).toBe('');
    expect(typeKeys(typeKeys(unmarked, ESCAPE), ESCAPE).isOver).toBe(false);
  });

  it('are set on all that match, also on issues that are not loaded, and stay while the list is polled', async () => {
    const reader = reading(700);
    const state = await started(reader);
    expect(issuesOf(state).list.rows.length).toBeLessThan(500);
    const all = await settle(typeKeys(state, 'A'), reader);
    expect(issuesOf(all).marked.size).toBe(500);
    expect(issuesOf(await settle(all, reader)).marked.size).toBe(500);
    expect(issuesOf(typeKeys(await started(reading(3)), ' A')).marked.size).toBe(3);
    const none = await settle(typeKeys(await started(reader), `/nothing${ENTER}`), reader);
    expect(issuesOf(await settle(typeKeys(none, 'A'), reader)).marked.size).toBe(0);
  });

  it('are removed when another list is read', async () => {
    const state = typeKeys(await started(reading(3)), ' ');
    expect(issuesOf(typeKeys(state, '6')).marked.size).toBe(0);
  });
});

describe('filtering by a value', () => {
  const EVIL = ['say "hi" (now) OR later', 'a\\b', '-x', 'OR', 'x*y', 'a..b', 'service:api', '漢字 \u202e'];

  it.each(EVIL)('finds the issue of %j and excludes the others, and the reverse', async (service) => {
    const reader = createArrayReader({ issues: [sampleIssue(0, { service: 'other' }), sampleIssue(1, { service })] });
    const state = await started(reader);
    const only = await settle(typeKeys(state, '*s'), reader);
    expect([listed(only), only.notice]).toEqual([[1], undefined]);
    expect(listed(await settle(typeKeys(state, '!s'), reader))).toEqual([0]);
  });

  it.each(['Failure0 OR Failure1', 'Failure9 OR service:api', 'NOT service:api', 'is:open count:>0'])(
    'narrows the query %j',
    async (query) => {
      const reader = createArrayReader({ issues: [sampleIssue(0, { service: 'b' }), sampleIssue(1), sampleIssue(2)] });
      const filtered = await settle(typeKeys(await started(reader), `/${query}${ENTER}`), reader);
      if (filtered.overlay !== undefined) return;
      const [issue] = issuesOf(filtered).list.rows;
      if (issue === undefined) return;
      const before = listed(filtered);
      const only = await settle(typeKeys(filtered, '*s'), reader);
      expect(listed(only)).toEqual(before.filter((number) => (number === 0 ? 'b' : 'api') === issue?.service));
      const others = await settle(typeKeys(filtered, '!s'), reader);
      expect(listed(others)).toEqual(before.filter((number) => (number === 0 ? 'b' : 'api') !== issue?.service));
    },
  );

  it('shows a message if the list is empty', async () => {
    const state = await started(createArrayReader());
    expect(typeKeys(state, '*').notice?.text).toBe('The list is empty.');
  });
});

describe('saved views', () => {
  it('are saved, replaced, applied and forgotten', async () => {
    const reader = reading(12);
    const filtered = await settle(typeKeys(await started(reader), `/Failure1${ENTER}sc`), reader);
    const saved = typeKeys(filtered, `vsmine${ENTER}`);
    expect(saved.memory.views).toEqual([{ name: 'mine', query: 'Failure1', tab: 'open', sort: 'count' }]);
    const elsewhere = await settle(typeKeys(saved, `${ESCAPE}6sl`), reader);
    expect(promptOf(typeKeys(elsewhere, 'vsmine')).spec.hint?.(elsewhere, 'mine')).toBe('replaces the existing one');
    const applied = await settle(typeKeys(elsewhere, 'v1'), reader);
    expect([wanted(applied), listed(applied)]).toMatchObject([
      { query: 'Failure1', tab: 'open', sort: 'count' },
      [11, 10, 1],
    ]);
    expect(typeKeys(elsewhere, `vsmine${ENTER}`).memory.views).toMatchObject([{ name: 'mine', query: '', tab: 'all' }]);
    expect(typeKeys(applied, 'vd1').memory.views).toEqual([]);
  });

  it('need a name of at most 60 characters', async () => {
    const state = await started(reading(1));
    expect(promptOf(typeKeys(state, `vs${ENTER}`)).problem?.reason).toMatch(/name/);
    expect(promptOf(typeKeys(state, `vs${'x'.repeat(61)}${ENTER}`)).problem?.column).toBe(61);
  });

  it('of another version change nothing and show a message', async () => {
    const state = await started(reading(1));
    const views = [{ name: 'old', query: '', tab: 'gone', sort: 'count' }];
    const applied = typeKeys({ ...state, memory: { ...state.memory, views } }, 'v1');
    expect([wanted(applied), applied.notice?.tone]).toEqual([wanted(state), 'error']);
  });
});

describe('an empty list', () => {
  it('shows how to send the first event to the endpoint that listens', async () => {
    const reader = createArrayReader();
    reader.addresses = {
      events: ['http://127.0.0.1:4999/v1/events'],
      otlp: ['http://127.0.0.1:4320', 'grpc://127.0.0.1:1'],
    };
    const state = await started(reader);
    const text = emptyText(state, issuesOf(state)).join('\n');
    expect(text).toContain('faultline send --url http://127.0.0.1:4999');
    expect(text).toContain('  OpenTelemetry      http://127.0.0.1:4320, gRPC 127.0.0.1:1');
  });

  it('names its filter, and the issues that it excludes', async () => {
    const reader = allowActions(createArrayReader({ issues: [sampleIssue(0, { status: 'resolved' })] }));
    const state = await started(reader);
    expect(emptyText(state, issuesOf(state))).toEqual(['Nothing is open.', '', '1 issue is resolved (5).']);
    const ignored = await settle(typeKeys(state, '4'), reader);
    expect(emptyText(ignored, issuesOf(ignored))[0]).toBe('No issues in Ignored.');
    const filtered = await settle(typeKeys(state, `/nothing${ENTER}`), reader);
    expect(emptyText(filtered, issuesOf(filtered))).toEqual(['No issue in Open matches. Esc clears the filter.']);
    // Counts follow the list.
    const typed = await settle(await settle(typeKeys(state, '/nothing'), reader), reader);
    expect(emptyText(typed, issuesOf(typed))).toEqual(['No issue in Open matches. Esc cancels.']);
    const begun = await settle(await settle(typeKeys(state, '/Failure0'), reader), reader);
    expect(emptyText(begun, issuesOf(begun))).toEqual([
      'No issue in Open matches. 1 issue in Resolved does: Enter, then 5.',
    ]);
    const elsewhere = await settle(typeKeys(state, `/Failure0${ENTER}`), reader);
    expect(emptyText(elsewhere, issuesOf(elsewhere))).toEqual([
      'No issue in Open matches. 1 issue in Resolved does: press 5.',
    ]);
    const fresh = initialState({ size: { columns: 80, rows: 24 }, nowMs: 0 });
    expect(emptyText(fresh, issuesOf(fresh))).toEqual(['Loading…']);
  });
});

describe('the filter', () => {
  it('saves earlier queries', async () => {
    const state = await started(reading(2));
    const asked = typeKeys(typeKeys(state, `/service:api${ENTER}`), `/\u0015level:error${ENTER}`);
    expect(asked.memory.queries).toEqual(['service:api', 'level:error']);
    expect(promptOf(typeKeys(asked, '/\u001b[A\u001b[A')).draft).toBe('service:api');
  });

  it('rejects a query that leaves no room for the tab', async () => {
    const long = `/\u001b[200~${'x'.repeat(4_090)}\u001b[201~${ENTER}`;
    expect(promptOf(typeKeys(await started(reading(1)), long)).problem?.reason).toMatch(/longer than/);
  });
});
