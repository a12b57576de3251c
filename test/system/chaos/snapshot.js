// Everything that the reading API says about issues, events and releases, to compare an index with one that was built again from the record.
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createCollector, faultline } from './collector.js';

/** Readers at a time. */
const READERS = 8;
const MAX_DIFFERENCES = 20;
/** Stands for what a snapshot lacks, which equals everything. */
const UNKNOWN = Symbol('unknown');

async function getJson(url) {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`${url} returned ${response.status}: ${await response.text()}`);
  return await response.json();
}

/** Reads all pages of a list. */
export async function listAll(url, key) {
  const found = [];
  for (let cursor = null; ; ) {
    const page = await getJson(`${url}?limit=500${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
    found.push(...page[key]);
    cursor = page.next_cursor;
    if (cursor === null) return found;
  }
}

/** Reads every issue with its summary, every event, and every release of a collector. */
export async function takeSnapshot(api) {
  const listed = await listAll(`${api}/issues`, 'issues');
  const issues = {};
  const ids = listed.map(({ issue_id: id }) => id);
  const read = async () => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      const [detail, summary] = [await getJson(`${api}/issues/${id}`), await getJson(`${api}/issues/${id}/summary`)];
      issues[id] = { detail, summary: wholeSummary(summary) };
    }
  };
  await Promise.all(Array.from({ length: READERS }, read));
  const events = await listAll(`${api}/events`, 'events');
  const { releases } = await getJson(`${api}/releases?limit=500`);
  const { events: count, issues: issueCount, raw_bytes: rawBytes, sampled, removed } = await getJson(`${api}/stats`);
  return {
    hour: new Date().getUTCHours(),
    listed: Object.fromEntries(listed.map((issue) => [issue.issue_id, issue])),
    issues,
    events: Object.fromEntries(events.map((event) => [event.event_id, event])),
    releases: Object.fromEntries(releases.map((release) => [release.name, release])),
    stats: { events: count, issues: issueCount, raw_bytes: rawBytes, sampled, removed },
  };
}

/** Facets and the histogram have all events only if these could be looked at in time. */
function wholeSummary({ looked_at: lookedAt, matched, total, facets, histogram }) {
  const whole = { total, histogram: histogram.is_complete ? histogram : UNKNOWN };
  return { ...whole, ...(lookedAt < total ? { matched: UNKNOWN, facets: UNKNOWN } : { matched, facets }) };
}

/** Yields the paths at which two values differ, with both values. */
function* differencesOf(one, other, path = []) {
  if (Object.is(one, other) || one === UNKNOWN || other === UNKNOWN) return;
  const areObjects = [one, other].every((value) => typeof value === 'object' && value !== null);
  if (!areObjects) {
    yield { path: path.join('.'), one: JSON.stringify(one), other: JSON.stringify(other) };
    return;
  }
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    yield* differencesOf(one[key], other[key], [...path, key]);
  }
}

/** Returns the first differences between two snapshots, as problems. `ignored` matches the paths of what may differ. */
export function compareSnapshots({ check, one, other, ignored = /^$/ }) {
  const problems = [];
  for (const { path, one: before, other: after } of differencesOf(one, other)) {
    if (ignored.test(path)) continue;
    if (problems.length === MAX_DIFFERENCES) break;
    problems.push({ check, where: path, what: `${before} became ${after}` });
  }
  return problems;
}

/** Copies the record of a folder without its index, rebuilds it, and returns a snapshot of a collector over the copy, or the problem. */
export async function snapshotOfRebuilt(directory) {
  const copy = await createCollector();
  try {
    mkdirSync(copy.directory);
    for (const name of readdirSync(directory)) {
      if (name !== 'index') cpSync(join(directory, name), join(copy.directory, name), { recursive: true });
    }
    const { code, output } = await faultline('rebuild', '--data', copy.directory).ended;
    if (code !== 0) return { problem: { check: 'rebuild', where: directory, what: `ended with ${code}: ${output}` } };
    if ((await copy.start()) === undefined)
      return { problem: { check: 'rebuild', where: directory, what: (await copy.child.ended).output } };
    return { snapshot: await takeSnapshot(copy.urls.api) };
  } finally {
    copy.child?.kill('SIGKILL');
    await copy.child?.ended;
    copy.remove();
  }
}
