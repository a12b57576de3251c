import { mergeReleaseDetails, mergeReleases } from '../../../core/merged/merge-answers.js';
import type { ReleaseSummary } from '../../../generated/reader-answers.js';

const at = (hour: string) => `2026-11-21T${hour}:00:00.000000000+00:00`;
const deploy = (hour: string) => ({
  environment: 'production',
  name: null,
  url: null,
  started_at: null,
  finished_at: at(hour),
});

function release(name: string, changes: Partial<ReleaseSummary>): ReleaseSummary {
  const issues = { new_issues: 0, regressed_issues: 0, gone_issues: 0 };
  const times = { first_seen: null, last_seen: null, created_at: null, released_at: null };
  return {
    name,
    events: 0,
    users: 0,
    ...issues,
    ...times,
    url: null,
    commits: 0,
    deploys: [],
    health: null,
    ...changes,
  };
}

function health(environment: string, sessions: number, crashed: number, hour: string) {
  const counts = { sessions, crashed, errored: 0, abnormal: 0, users: 0, crashed_users: 0 };
  const hours = [{ from: at(hour), sessions, crashed }];
  return {
    ...counts,
    crash_free_sessions: 0,
    crash_free_users: null,
    environments: [{ environment, ...counts }],
    hours,
  };
}

describe('releases of several sources', () => {
  it('are one by name, with the outermost times, all deploys and summed numbers', () => {
    const one = release('v1', {
      first_seen: at('10'),
      events: 3,
      deploys: [deploy('11')],
      health: health('a', 3, 1, '10'),
    });
    const other = release('v1', {
      ...{ first_seen: at('09'), created_at: at('08'), events: 4, url: 'u', deploys: [deploy('11'), deploy('12')] },
      health: health('b', 6, 0, '11'),
    });
    const merged = mergeReleases(
      [
        { releases: [one, release('v0', { created_at: at('07') })], total: 2 },
        { releases: [other], total: 1 },
      ],
      10,
    );
    expect(merged.total).toBe(2);
    expect(merged.releases.map(({ name }) => name)).toEqual(['v1', 'v0']);
    expect(merged.releases[0]).toMatchObject({ first_seen: at('09'), created_at: at('08'), events: 7, url: 'u' });
    expect(merged.releases[0]?.deploys).toEqual([deploy('12'), deploy('11')]);
    expect(merged.releases[0]?.health).toMatchObject({
      ...{ sessions: 9, crashed: 1, crash_free_sessions: 88.88, crash_free_users: null },
      environments: [{ environment: 'a' }, { environment: 'b' }],
      hours: [{ sessions: 3 }, { sessions: 6 }],
    });
  });

  it('have the commits of the source that knows most', () => {
    const commit = { author_name: null, author_email: null, timestamp: null, message: '', repository: null, paths: [] };
    const known = { ...release('v1', { commits: 1 }), commit_list: [{ id: 'a', ...commit }] };
    const merged = mergeReleaseDetails({ ...release('v1', {}), commit_list: [] }, known);
    expect([merged.commits, merged.commit_list]).toEqual([1, known.commit_list]);
  });
});
