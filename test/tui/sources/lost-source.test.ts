import { Fault } from '../../../core/event/fault.js';
import { createMergedReader } from '../../../core/merged/merged-reader.js';
import { createSingleReader } from '../../../tui/readers/open-sources.js';
import { type ArrayReader, createArrayReader, sampleIssue, sampleIssueId, sampleRejected } from '../array-reader.js';
import { browse, endTerminals } from '../running-terminal.js';

afterEach(endTerminals);

/** `eu` has issues 1 and 2, `us` has 3, which is resolved, and 4. */
function twoSources() {
  const eu = createArrayReader({ issues: [1, 2].map((number) => sampleIssue(number)) });
  const us = createArrayReader({ issues: [sampleIssue(3, { status: 'resolved' }), sampleIssue(4)] });
  const named = (name: string, reader: ArrayReader) => ({ name, address: `http://${name}`, open: async () => reader });
  const clock = { nowMs: 0 };
  const reader = createMergedReader([named('eu', eu), named('us', us)], { nowMs: () => clock.nowMs });
  return { eu, us, reader };
}

const lost = new Fault('COLLECTOR_UNREACHABLE', 'No collector at http://us (connection refused).', { retryable: true });

describe('a lost source', () => {
  it('keeps its issues in lists, counts and filters', async () => {
    const { us, reader } = twoSources();
    await reader.stats();
    await reader.listIssues({ query: 'is:open' });
    us.fault = lost;
    const page = await reader.listIssues();
    expect(page.issues.map(({ issue_id }) => issue_id)).toEqual([1, 2, 3, 4].map(sampleIssueId));
    expect(page.total).toBe(4);
    expect((await reader.listIssues({ query: 'is:resolved' })).issues).toHaveLength(1);
    expect((await reader.listIssues({ query: 'Failure4' })).issues).toHaveLength(1);
    expect(await reader.countIssues()).toMatchObject({ all: 4, open: 3, resolved: 1 });
    expect((await reader.stats()).issues).toBe(4);
    await expect(reader.getIssue(sampleIssueId(4))).rejects.toThrow('us');
    us.fault = undefined;
  });

  it('fails a call if all sources are lost', async () => {
    const { eu, us, reader } = twoSources();
    await reader.listIssues();
    eu.fault = lost;
    us.fault = lost;
    await expect(reader.listIssues()).rejects.toMatchObject({ code: 'COLLECTOR_UNREACHABLE' });
  });

  it('has its rows marked, and actions on them refused with its name', async () => {
    const { us, reader } = twoSources();
    const { terminal } = browse(Object.assign(reader, { calls: [] }) as unknown as ArrayReader);
    await terminal.see('Failure4');
    us.fault = lost;
    const rows = await terminal.see(/~ error Failure4/);
    expect(rows.join('\n')).toContain('    error Failure2');
    expect(rows[0]).toContain('1 of 2 sources lost: S');
    expect(rows[1]).toContain('1[Open 3]');
    terminal.type('jj\r');
    await terminal.see('us is lost: its issues cannot be opened or changed');
  });
});

describe('one of several sources', () => {
  it('is read alone after Enter in Status, and with the others after another one', async () => {
    const { reader } = twoSources();
    const { terminal } = browse(Object.assign(reader, { calls: [] }) as unknown as ArrayReader);
    await terminal.see('Failure4');
    terminal.type('S');
    await terminal.see('ADDRESS');
    terminal.type('j\r');
    await terminal.see('Only us is read.');
    terminal.type('\u001b');
    await terminal.see('only us: S');
    await terminal.seeNo('Failure2');
    terminal.type('Sj\r');
    await terminal.see('All sources are read.');
  });
});

describe('rejected payloads of several sources', () => {
  it.each([1, 2, 50])('are listed once each, newest first, in pages of %d', async (limit) => {
    const { eu, us, reader } = twoSources();
    eu.rejected = [1, 2, 5].map((number) => sampleRejected(number));
    us.rejected = [0, 3, 4].map((number) => sampleRejected(number));
    const found: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await reader.listRejected({ limit, ...(cursor !== undefined && { cursor }) });
      found.push(...page.rejected.map(({ id, receiver }) => `${id} ${receiver}`));
      cursor = page.next_cursor;
    }
    const names = ['us/0', 'eu/1', 'eu/2', 'us/3', 'us/4', 'eu/5'];
    expect(found).toEqual(names.map((name) => `${name} ${name.slice(0, 2)}/events`));
  });
});

describe('a collector with peers', () => {
  it('has its lost peer in the title, and with the reason in Status', async () => {
    const gateway = createArrayReader({ issues: [sampleIssue(1)] });
    const lostPeer = { name: 'g2:4319', address: 'http://g2:4319', state: 'lost' as const };
    const peers = [{ ...lostPeer, since: '2026-11-21T00:00:00.000Z', reason: 'it does not respond' }];
    const withPeers = { ...gateway, stats: async () => ({ ...(await gateway.stats()), peers }) };
    const reader = createSingleReader({ name: 'g1', address: 'http://g1' }, withPeers);
    const { terminal } = browse(Object.assign(reader, { calls: [] }) as unknown as ArrayReader);
    await terminal.see('1 of 2 sources lost: S');
    terminal.type('S');
    const rows = await terminal.see('it does not respond');
    expect(rows.join('\n')).toMatch(/g1 +connected|g1 +read-only/);
    expect(rows.join('\n')).toMatch(/g2:4319 +lost .* http:\/\/g2:4319/);
    terminal.type('j\r');
    await terminal.see('2/2');
    await terminal.seeNo('Only');
  });
});
