import type {
  ReleaseDetail,
  ReleaseHealth,
  ReleaseSummary,
  Releases,
  Timestamp,
} from '../../generated/reader-answers.js';
import { MAX_HOURS } from '../storage/releases/release-states.js';
import { compareReleases, withShares } from '../storage/releases/summarize-release.js';
import { addNumbers } from './add-numbers.js';

const MAX_DEPLOYS = 20;

/** Unites releases of the same name. */
export function mergeReleases(all: readonly Releases[], limit: number): Releases {
  const byName = new Map<string, ReleaseSummary>();
  for (const release of all.flatMap(({ releases }) => releases)) {
    const other = byName.get(release.name);
    byName.set(release.name, other === undefined ? release : mergeSummaries(other, release));
  }
  const releases = [...byName.values()].sort(compareReleases);
  return { releases: releases.slice(0, limit), total: Math.max(releases.length, ...all.map(({ total }) => total)) };
}

/** Unites one release of several sources; the commits are those of the source with the most. */
export function mergeReleaseDetails(one: ReleaseDetail, other: ReleaseDetail): ReleaseDetail {
  const { commit_list } = one.commit_list.length >= other.commit_list.length ? one : other;
  return { ...mergeSummaries(one, other), commit_list };
}

/** Numbers are summed, also users and issues, although one of two sources then counts twice. */
function mergeSummaries(one: ReleaseSummary, other: ReleaseSummary): ReleaseSummary {
  const deploys = new Map([...one.deploys, ...other.deploys].map((deploy) => [JSON.stringify(deploy), deploy]));
  const atOf = ({ finished_at, started_at }: ReleaseSummary['deploys'][number]) => finished_at ?? started_at ?? '';
  return {
    ...addNumbers(one, other),
    first_seen: extreme(one.first_seen, other.first_seen, -1),
    last_seen: extreme(one.last_seen, other.last_seen, 1),
    created_at: extreme(one.created_at, other.created_at, -1),
    released_at: extreme(one.released_at, other.released_at, 1),
    url: one.url ?? other.url,
    commits: Math.max(one.commits, other.commits),
    deploys: [...deploys.values()].sort((a, b) => (atOf(a) > atOf(b) ? -1 : 1)).slice(0, MAX_DEPLOYS),
    health:
      one.health === null || other.health === null
        ? (one.health ?? other.health)
        : mergeHealth(one.health, other.health),
  };
}

/** The earlier (-1) or later (1) of two times; a missing one does not count. */
function extreme(one: Timestamp | null, other: Timestamp | null, direction: 1 | -1): Timestamp | null {
  if (one === null || other === null) return one ?? other;
  return one > other === direction > 0 ? one : other;
}

function mergeHealth(one: ReleaseHealth, other: ReleaseHealth): ReleaseHealth {
  return withShares({
    ...addNumbers(one, other),
    environments: united([...one.environments, ...other.environments], ({ environment }) => environment),
    hours: united([...one.hours, ...other.hours], ({ from }) => from).slice(-MAX_HOURS),
  });
}

/** Sums the rows of each key, in order of keys. */
function united<Row extends object>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
  const byKey = new Map<string, Row>();
  for (const row of rows) {
    const other = byKey.get(keyOf(row));
    byKey.set(keyOf(row), other === undefined ? row : addNumbers(other, row));
  }
  return [...byKey.values()].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}
