import { createArrayReader, sampleIssue, sampleIssueId, sampleRelease } from '../../array-reader.js';
import { ESCAPE, issuesOf, listed, menuOf, settle, started, typeKeys } from '../../type-keys.js';

function reading() {
  const issues = [0, 1, 2].map((number) => sampleIssue(number));
  const reader = createArrayReader({ issues });
  reader.releases = [
    sampleRelease({ name: 'v2\u001b[31m', first_seen: '2026-11-20T11:00:00.000000000+00:00', events: 3 }),
    sampleRelease({ name: 'v1', first_seen: '2026-11-20T08:00:00.000000000+00:00', events: 10 }),
  ];
  reader.since = [
    { kind: 'new', id: sampleIssueId(2), rate: 3, rate_before: 0 },
    { kind: 'more', id: sampleIssueId(1), rate: 30, rate_before: 2 },
  ];
  return reader;
}

async function typed(keys: readonly string[], reader = reading()) {
  let state = await started(reader);
  for (const key of keys) state = await settle(typeKeys(state, key), reader);
  return state;
}

describe('what is new since a release', () => {
  it('is a choice of releases, a day, and the last visit', async () => {
    const labels = menuOf(await typed(['w'])).items.map(({ label }) => label.trim().replaceAll(/ +/g, ' '));
    expect(labels).toEqual([
      expect.stringMatching(/^v2.* 60m ago 3 events$/),
      expect.stringMatching(/^v1 4h ago 10 events$/),
      '1 day since 19 Nov 12:00 UTC',
    ]);
  });

  it('is a list by kind, and Escape leads back to the list as it was', async () => {
    const reader = reading();
    expect(listed(await typed(['w', '1'], reader))).toEqual([2]);
    const range = issuesOf(await typed(['w', '1'], reader)).wanted.since?.range;
    expect(range).toMatchObject({ before: '2026-11-20T08:00:00.000000000+00:00', previous: 'v1', events: 3 });
    expect(listed(await typed(['w', '1', '3'], reader))).toEqual([1]);
    expect(listed(await typed(['w', '1', '\t'], reader))).toEqual([]);
    const back = await typed(['6', 'w', '1', '3', ESCAPE], reader);
    expect([listed(back), issuesOf(back).wanted]).toEqual([[2, 1, 0], expect.objectContaining({ tab: 'all' })]);
  });

  it('says which keys work in the list of issues only', async () => {
    const state = await typed(['w', '1', '/']);
    expect([state.overlay, state.notice?.text]).toEqual([undefined, expect.stringContaining('Esc')]);
  });
});
