import { appendFile, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { openEventStore } from '../../../../core/storage/event-store.js';
import { openFolderReader } from '../../../../core/storage/folder-reader.js';
import type { ReleaseLine } from '../../../../core/storage/releases/release-line.js';
import { openReleaseLog } from '../../../../core/storage/releases/release-log.js';
import { ReleaseStates } from '../../../../core/storage/releases/release-states.js';
import { NO_SESSIONS } from '../../../../core/storage/releases/session-counts.js';
import type { SessionReport } from '../../../../core/storage/releases/session-tally.js';
import { verifyFolder } from '../../../../core/storage/verify/verify-folder.js';
import type { ReleaseCommit } from '../../../../generated/reader-answers.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { unsyncedFiles } from '../../../helpers/unsynced-files.js';
import { failingFiles } from '../record/failing-files.js';
import { closeStores, createTestGrouper, storeUnderTest } from '../store-under-test.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

const AT = '2026-11-21T10:00:00.000000000+00:00';
const DEPLOY = { environment: 'production', name: null, url: null, started_at: null, finished_at: AT };
const HOUR_MS = 3_600_000;
const nowMs = () => TEN_O_CLOCK_MS;

function commit(id: string, changes: Partial<ReleaseCommit> = {}): ReleaseCommit {
  const author = { author_name: 'Ann', author_email: null };
  return { id, ...author, timestamp: AT, message: 'fix', repository: null, paths: ['a.ts'], ...changes };
}

function session(sid: string, changes: object = {}): SessionReport {
  const about = { release: 'v1', environment: 'production', user: `user of ${sid}`, startedMs: TEN_O_CLOCK_MS };
  return { ...about, sid, isFirst: true, status: 'ok', ...changes };
}

describe('releases of a store', () => {
  it('unite what calls, events and sessions say, also after a start from the log', async () => {
    const under = await storeUnderTest();
    await under.append({ release: 'v1' });
    await under.store.recordRelease({ kind: 'create', release: 'v2', url: 'https://example.org/v2' });
    await under.store.recordRelease({ kind: 'commits', release: 'v2', commits: [commit('c2'), commit('c1')] });
    await under.store.recordRelease({ kind: 'deploy', release: 'v2', deploy: DEPLOY });
    const v2 = await under.store.recordRelease({ kind: 'finalize', release: 'v2', releasedAt: AT });
    await under.store.countSessions([session('1')]);
    expect(v2).toMatchObject({ name: 'v2', first_seen: null, events: 0, created_at: AT, released_at: AT, commits: 2 });
    expect(v2).toMatchObject({ url: 'https://example.org/v2', deploys: [DEPLOY], health: null });

    const listed = await under.reader.listReleases();
    expect(listed.releases.map(({ name, events, health }) => [name, events, health?.sessions])).toEqual(
      expect.arrayContaining([
        ['v1', 1, 1],
        ['v2', 0, undefined],
      ]),
    );
    const detail = await under.reader.getRelease('v2');
    expect(detail?.commit_list.map(({ id }) => id)).toEqual(['c2', 'c1']);
    expect(await under.reader.getRelease('v3')).toBeUndefined();
    await closeStores();
    const again = await storeUnderTest(under.directory);
    expect(await again.reader.listReleases()).toEqual(listed);
    expect(await again.reader.getRelease('v2')).toEqual(detail);
  });

  it('count a session once, with its worst status, and its user', async () => {
    const { store, reader } = await storeUnderTest();
    await store.countSessions([session('1'), session('2'), session('3', { user: null })]);
    await store.countSessions([
      session('1', { isFirst: false, status: 'errored' }),
      session('2', { status: 'crashed' }),
    ]);
    await store.countSessions([session('1', { isFirst: false, status: 'abnormal' }), session('2', { status: 'ok' })]);
    await store.countSessions([
      {
        ...session(''),
        user: 'user of 1',
        counts: { sessions: 7, errored: 2, crashed: 1, abnormal: 0 },
      } as SessionReport,
      session('4', { environment: 'staging', user: 'user of 1' }),
    ]);
    const counts = { sessions: 11, errored: 2, crashed: 2, abnormal: 1, users: 2, crashed_users: 2 };
    const hour = { from: AT, sessions: 11, crashed: 2 };
    const health = (await reader.getRelease('v1'))?.health;
    expect(health).toMatchObject({ ...counts, crash_free_sessions: 81.81, crash_free_users: 0, hours: [hour] });
    expect(health?.environments.map(({ environment, sessions }) => [environment, sessions])).toEqual([
      ['production', 10],
      ['staging', 1],
    ]);
  });

  it('are followed by a reader of the folder', async () => {
    const { store, directory } = await storeUnderTest();
    const reader = await openFolderReader({ directory });
    expect((await reader.listReleases()).total).toBe(0);
    await store.recordRelease({ kind: 'create', release: 'v1' });
    expect((await reader.listReleases()).releases.map(({ name }) => name)).toEqual(['v1']);
    await reader.close();
  });

  it('keep the newest of too many deploys, hours, environments and releases', async () => {
    const { store, reader } = await storeUnderTest();
    for (let index = 0; index < 25; index += 1) {
      await store.recordRelease({ kind: 'deploy', release: 'v1', deploy: { ...DEPLOY, name: `${index}` } });
    }
    const hours = Array.from({ length: 60 }, (_, hour) => session(`${hour}`, { startedMs: hour * 3_600_000 }));
    await store.countSessions([
      ...hours,
      ...Array.from({ length: 40 }, (_, index) => session(`e${index}`, { environment: `env ${index}` })),
    ]);
    const v1 = await reader.getRelease('v1');
    expect(v1?.deploys.map(({ name }) => name)).toEqual(Array.from({ length: 20 }, (_, index) => `${24 - index}`));
    expect(v1?.health?.hours.length).toBe(48);
    expect(v1?.health).toMatchObject({ sessions: 100 });
    expect(v1?.health?.environments.length).toBe(32);
    await Promise.all(
      Array.from({ length: 1_001 }, (_, index) => store.recordRelease({ kind: 'create', release: `r${index}` })),
    );
    expect((await reader.listReleases()).total).toBe(1_000);
    expect(await reader.getRelease('v1')).toBeUndefined();
  });
});

describe('what senders name', () => {
  const names = Array.from({ length: 1_100 }, (_, index) => `made-up ${index}`);

  it('takes the place of no release that was recorded', async () => {
    const under = await storeUnderTest();
    await under.store.recordRelease({ kind: 'commits', release: 'real', commits: [commit('c1')] });
    await under.store.recordRelease({ kind: 'deploy', release: 'real', deploy: DEPLOY });
    const real = await under.store.recordRelease({ kind: 'finalize', release: 'real', releasedAt: AT });
    await under.store.countSessions(names.map((release) => session('1', { release })));
    expect((await under.reader.listReleases()).total).toBe(1_000);
    expect(await under.reader.getRelease('real')).toMatchObject({ ...real, deploys: [DEPLOY] });
    expect(await under.reader.getRelease('made-up 1099')).toBeDefined();
    expect(await under.reader.getRelease('made-up 100')).toBeUndefined();
    await closeStores();
    const again = await storeUnderTest(under.directory);
    expect(await again.reader.getRelease('real')).toMatchObject({ ...real, deploys: [DEPLOY] });
    expect((await again.reader.listReleases()).total).toBe(1_000);
  });

  it('takes the place of no recorded release with environments of other recorded ones either', async () => {
    const { store, reader } = await storeUnderTest();
    const recorded = names.slice(0, 80);
    await Promise.all(recorded.map((release) => store.recordRelease({ kind: 'create', release })));
    for (const release of recorded) {
      const environments = Array.from({ length: 32 }, (_, index) => `env ${index}`);
      await store.countSessions(environments.map((environment) => session(environment, { release, environment })));
    }
    expect((await reader.listReleases()).total).toBe(80);
    const sessions = await Promise.all(recorded.map(async (name) => (await reader.getRelease(name))?.health?.sessions));
    // The sessions of the oldest are forgotten.
    expect(sessions).toEqual([...Array(16).fill(undefined), ...Array(64).fill(32)]);
  });

  it('takes the place of no environment of a deploy', async () => {
    const under = await storeUnderTest();
    const flood = Array.from({ length: 40 }, (_, index) => session(`e${index}`, { environment: `env ${index}` }));
    await under.store.countSessions(flood);
    await under.store.recordRelease({ kind: 'deploy', release: 'v1', deploy: DEPLOY });
    await under.store.countSessions([session('1'), session('2')]);
    const health = (await under.reader.getRelease('v1'))?.health;
    const counts = Object.fromEntries(health?.environments.map((one) => [one.environment, one.sessions]) ?? []);
    expect(counts).toMatchObject({ production: 2, '(other)': 10, 'env 1': 1 });
    expect([health?.sessions, health?.environments.length, counts['env 0']]).toEqual([42, 32, undefined]);
    await closeStores();
    const again = await storeUnderTest(under.directory);
    expect((await again.reader.getRelease('v1'))?.health).toEqual(health);
  });

  it('is forgotten alike by a replay of the log, of its shortest form, and by what comes after both', () => {
    const at = { at: AT };
    const counts = { ...NO_SESSIONS, sessions: 1, hours: [[TEN_O_CLOCK_MS, 1, 0]] as const };
    interface Burst {
      kind: string;
      from: number;
      length: number;
      environment: number;
    }
    const burst: fc.Arbitrary<Burst> = fc.record({
      kind: fc.constantFrom('create', 'deploy', 'commits', 'sessions'),
      from: fc.nat(1_200),
      length: fc.nat(700),
      environment: fc.nat(40),
    });
    const lineOf = (kind: string, release: string, environment: string): ReleaseLine => {
      if (kind === 'create') return { ...at, kind, release };
      if (kind === 'deploy') return { ...at, kind, release, deploy: { ...DEPLOY, environment } };
      if (kind === 'commits') {
        const message = release.repeat(4_000);
        return { ...at, kind, release, commits: [commit('c1', { message })] };
      }
      return { ...at, kind: 'sessions', release, environment, ...counts };
    };
    const linesOf = (bursts: readonly Burst[]): ReleaseLine[] =>
      bursts.flatMap(({ kind, from, length, environment }) =>
        Array.from({ length }, (_, index) =>
          lineOf(kind, `r${(from + index) % 1_200}`, `env ${(environment + index) % 40}`),
        ),
      );
    fc.assert(
      fc.property(fc.array(burst, { maxLength: 8 }), fc.array(burst, { maxLength: 8 }), (first, later) => {
        const live = new ReleaseStates(linesOf(first));
        const replayed = new ReleaseStates(live.lines());
        expect([...replayed.all()]).toEqual([...live.all()]);
        for (const line of linesOf(later)) {
          live.apply(line);
          replayed.apply(line);
        }
        expect([...replayed.all()]).toEqual([...live.all()]);
        const all = [...live.all()];
        expect(all.length).toBeLessThanOrEqual(1_000);
      }),
      // A run takes 150 ms.
      { numRuns: 10 },
    );
  });
});

describe('the log of releases', () => {
  it('loses hours of sessions with the retention of events, not their sums', async () => {
    const directory = await temporaryFolder();
    let now = TEN_O_CLOCK_MS;
    const retention = { maxAgeMs: 24 * HOUR_MS, maxBytes: 0 };
    const options = { directory, durability: 'os', createGrouper: createTestGrouper, nowMs: () => now } as const;
    const store = await openEventStore({ ...options, retention });
    await store.countSessions([session('1'), session('2', { startedMs: TEN_O_CLOCK_MS - 20 * HOUR_MS })]);
    now += 10 * HOUR_MS;
    await store.retain();
    const kept = { sessions: 2, hours: [{ from: AT, sessions: 1, crashed: 0 }] };
    expect((await store.reader.getRelease('v1'))?.health).toMatchObject(kept);
    await store.close();
    const reader = await openFolderReader({ directory });
    expect((await reader.getRelease('v1'))?.health).toMatchObject(kept);
    await reader.close();
  });

  it('stores nothing of a refused write, and counts its sessions when they are sent again', async () => {
    const directory = await temporaryFolder();
    const files = failingFiles(unsyncedFiles);
    const log = await openReleaseLog({ directory, files, nowMs });
    files.arm({ code: 'ENOSPC', only: ['write', 'sync'], at: 0, times: 1_000 });
    await expect(log.count([session('1')])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    await expect(log.record({ kind: 'create', release: 'v1' })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(log.states.get('v1')).toBeUndefined();
    files.arm();
    await log.count([session('1')]);
    expect(log.states.get('v1')?.environments.get('production')).toMatchObject({ sessions: 1 });
    await log.close();
    await expect(log.count([session('2')])).rejects.toMatchObject({ code: 'STORE_CLOSING' });
    expect((await readFile(join(directory, 'releases.ndjson'), 'utf8')).trimEnd().split('\n').length).toBe(1);
  });

  it('is rewritten with the same content when it has grown', async () => {
    const directory = await temporaryFolder();
    const log = await openReleaseLog({ directory, files: unsyncedFiles, nowMs });
    const message = 'x'.repeat(200);
    const many = Array.from({ length: 500 }, (_, index) => commit(`${index}`, { message, paths: [message, message] }));
    await log.count([session('1', { status: 'crashed' })]);
    await log.record({ kind: 'deploy', release: 'v1', deploy: DEPLOY });
    for (let index = 0; index < 14; index += 1) await log.record({ kind: 'commits', release: 'v1', commits: many });
    await log.record({ kind: 'finalize', release: 'v1' });
    await log.close();
    expect((await stat(join(directory, 'releases.ndjson'))).size).toBeLessThan(2_000_000);
    const again = await openReleaseLog({ directory, files: unsyncedFiles, nowMs });
    expect([...again.states.all()]).toEqual([...log.states.all()]);
    await again.close();
  });

  it('skips a damaged line, cuts a torn one, and `verify` reports both', async () => {
    const under = await storeUnderTest();
    await under.store.recordRelease({ kind: 'create', release: 'v1' });
    await closeStores();
    const line = { kind: 'sessions', release: 'v2', at: AT, sessions: 'many' };
    await appendFile(join(under.directory, 'releases.ndjson'), `${JSON.stringify(line)}\n{"kind":`);
    const found: string[] = [];
    await verifyFolder({ directory: under.directory, onFinding: ({ code }) => found.push(code) });
    expect(found).toEqual(expect.arrayContaining(['RELEASE_LINE_INVALID', 'RELEASE_TORN']));
    const again = await storeUnderTest(under.directory);
    expect(again.faults).toEqual([expect.objectContaining({ code: 'RECORD_DAMAGED' })]);
    await again.store.recordRelease({ kind: 'create', release: 'v3' });
    expect((await again.reader.listReleases()).releases.map(({ name }) => name).sort()).toEqual(['v1', 'v3']);
  });
});
