import { topScreen } from '../../../../tui/state/terminal-state.js';
import { type ArrayReader, createArrayReader, sampleIssue, sampleRelease } from '../../array-reader.js';
import { ESCAPE, issuesOf, listed, settle, started, typeKeys } from '../../type-keys.js';

const at = (hour: number): string => `2026-11-20T${String(hour).padStart(2, '0')}:00:00.000000000+00:00`;

/** Issue 0 came back in `2 "x"`, issue 1 is new in it, issue 2 is gone since it. */
function reading(): ArrayReader {
  const issues = [
    sampleIssue(0, { releases: ['1', '2 "x"'], regressed_in: '2 "x"' }),
    sampleIssue(1, { releases: ['2 "x"'], status: 'resolved' }),
    sampleIssue(2, { releases: ['1'] }),
  ];
  const reader = createArrayReader({ issues });
  reader.releases = [
    sampleRelease({ name: '2 "x"', first_seen: at(11), events: 3 }),
    sampleRelease({ name: 'never used', first_seen: null, events: 0 }),
    sampleRelease({ name: '1', first_seen: at(8), events: 10 }),
  ];
  return reader;
}

async function typed(keys: readonly string[], reader = reading()) {
  let state = await started(reader);
  for (const key of keys) state = await settle(typeKeys(state, key), reader);
  return state;
}

function releasesIn(state: Awaited<ReturnType<typeof typed>>) {
  const screen = topScreen(state);
  if (screen.kind !== 'releases') throw new Error(`the screen is ${screen.kind}`);
  return screen;
}

describe('a release leads to', () => {
  it.each([
    ['\r', 'the issues that are new in it, whatever their state', [1]],
    ['b', 'the issues that came back in it', [0]],
    ['d', 'the issues of the release before that it does not have', [2]],
  ])('%j %s', async (key, _what, issues) => {
    const state = await typed(['W', key]);
    expect([listed(state), issuesOf(state).wanted.tab]).toEqual([issues, 'all']);
  });

  it('nothing before the first one', async () => {
    const state = await typed(['W', 'G', 'd']);
    expect([topScreen(state).kind, state.notice?.text]).toEqual(['releases', expect.stringContaining('before it')]);
  });
});

it('reads the first releases, and the others near the end of the list', async () => {
  const reader = reading();
  reader.releases = Array.from({ length: 700 }, (_, index) =>
    sampleRelease({ name: `v${index}`, first_seen: at(9), events: 1 }),
  );
  const first = releasesIn(await typed(['W'], reader));
  expect([first.list.rows.length, first.total]).toEqual([50, 700]);
  const all = await typed(['W', 'G', 'G'], reader);
  expect(releasesIn(all).list).toMatchObject({ selectedId: 'v499', nextCursor: null });
  expect(topScreen(await settle(typeKeys(all, ESCAPE), reader)).kind).toBe('issues');
});
