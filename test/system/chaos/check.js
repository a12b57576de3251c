// Waits until a collector is idle, then audits it and its folder.
import { auditFolder, compareLedger, removableBy, uidOf } from '../audit/audit-folder.js';
import { readRecord } from '../audit/read-record.js';
import { faultline, pause, waitUntil } from './collector.js';
import { compareSnapshots, snapshotOfRebuilt, takeSnapshot } from './snapshot.js';

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const ledgerSum = (stats, ...outcomes) =>
  sum(Object.values(stats.receivers).flatMap((ledger) => outcomes.map((outcome) => ledger[outcome])));

/** Returns the statistics when they did not change for a while. */
export async function waitForQuietStats(api, quietMs) {
  let last;
  let since = Date.now();
  const quiet = await waitUntil(async () => {
    const stats = await (await fetch(`${api}/stats`)).json();
    const { events, sampled, removed, receivers } = stats;
    const now = JSON.stringify([events, sampled, removed, receivers]);
    if (now !== last) since = Date.now();
    last = now;
    return Date.now() - since >= quietMs && stats;
  });
  if (quiet === undefined) throw new Error('the statistics do not stop changing');
  return quiet;
}

/** Returns whether retention may have removed an hour under any settings that the folder has had. */
function removable({ maxAges, maxSizes }) {
  const bounds = [...maxAges].flatMap((maxAgeMs) =>
    [...maxSizes].map((maxBytes) => removableBy({ maxAgeMs, maxBytes })),
  );
  return (hourMs) => bounds.some((isRemovable) => isRemovable(hourMs));
}

/** Checks the sums of the ledger repeatedly while a collector is under load. */
export async function watchLedger({ urls, life, problems }) {
  const report = (check, where, what) => problems.push({ check, where, what });
  while (!life.isStopped) {
    await compareLedger(urls.api, urls.metrics, report).catch(() => undefined);
    await pause(100);
  }
}

/** Audits a running collector without load; throws if its statistics do not stop changing. */
export async function checkRunning({ collector, journal, life, bounds = { maxAges: [0], maxSizes: [0] } }) {
  const { urls, directory } = collector;
  const fromLogs = [...journal.sent].filter(([, { by, isAcknowledged }]) => by === 'file_log' && isAcknowledged);
  await waitUntil(() => {
    const text = new Set(readRecord(directory).events.map(({ payload }) => uidOf(payload.message)));
    return fromLogs.every(([uid]) => text.has(uid));
  }, 30_000);
  const sampleOf = (events) => events.filter((_, index) => index >= events.length - 50 || journal.random.chance(0.05));
  const sources = {
    directory,
    apiUrl: urls.api,
    metricsUrl: urls.metrics,
    sent: journal.sent,
    actions: journal.actions,
  };
  const quietMs = life.isSampling ? 500 : 150;
  let stats = await waitForQuietStats(urls.api, quietMs);
  let audit;
  for (let tries = 0; tries < 5; tries += 1) {
    audit = await auditFolder({ ...sources, mayBeRemoved: removable(bounds), sampleOf });
    const before = stats;
    stats = await waitForQuietStats(urls.api, quietMs);
    // Otherwise retention ran or a sampling summary was stored during the audit.
    if (stats.events === before.events) break;
  }
  const { problems, weight, record } = audit;
  problems.push(...journal.problems.splice(0));
  const report = (check, where, what) => problems.push({ check, where, what });

  // A process stores as many events as the record grows by; with sampling, later summaries stand for events that were counted before.
  // An event that repeats an occurrence has no weight.
  const total = life.isSampling ? weight + stats.repeated : record.events.length;
  const counted = ledgerSum(stats, 'stored', ...(life.isSampling ? ['sampled'] : []));
  const base = total + (life.isSampling ? 0 : stats.removed.events) - counted;
  if (life.base !== undefined && life.base !== base && !(life.isSampling && stats.removed.events > 0)) {
    report('ledger', 'stats', `the record grew by ${counted + base - life.base}, the ledger counts ${counted}`);
  }
  life.base ??= base;
  if (life.unanswered === 0 && !life.isSampling && !life.hasRepetitions) {
    for (const [receiver, stored] of Object.entries(journal.life.stored)) {
      const { stored: counts } = stats.receivers[receiver];
      if (counts !== stored) report('ledger', receiver, `counts ${counts} stored, ${stored} were acknowledged`);
    }
  }
  return { problems, events: record.events.length };
}

/** Runs `faultline verify` on the folder. */
export async function checkVerify(directory) {
  const { code, output } = await faultline('verify', '--data', directory).ended;
  return code === 0 ? [] : [{ check: 'verify', where: directory, what: output }];
}

/** Waits until no regrouping runs. */
export async function untilIdle(api) {
  await waitUntil(async () => (await (await fetch(`${api}/regroup`)).json()).state !== 'running');
}

/** Compares every field that a collector without load shows with those of an index that is rebuilt from a copy of its record. */
export async function checkIndex({ collector, ignored }) {
  const { urls, directory } = collector;
  for (let tries = 0; tries < 3; tries += 1) {
    const one = await takeSnapshot(urls.api);
    if (one.stats.events === 0) return [];
    const { snapshot: other, problem } = await snapshotOfRebuilt(directory);
    if (problem !== undefined) return [problem];
    const after = await takeSnapshot(urls.api);
    // Otherwise messages that had waited arrived, retention removed hours, or an hour began.
    const isQuiet = compareSnapshots({ check: 'quiet', one, other: after }).length === 0;
    if (isQuiet) return compareSnapshots({ check: 'rebuilt', one, other, ignored });
  }
  return [{ check: 'rebuilt', where: directory, what: 'the collector does not stop changing' }];
}
