// Rounds in which files are removed under a running collector. Later acknowledged events must be at their addresses.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { auditFolder, uidOf } from '../audit/audit-folder.js';
import { waitForQuietStats } from './check.js';
import { createCollector, createRandom, waitUntil } from './collector.js';
import { createJournal } from './journal.js';
import { startSenders } from './senders.js';

/** Files that the collector writes meanwhile may remain. */
const removeFolder = (folder) => spawnSync('rm', ['-rf', folder]);

/** Changes to a data folder; `raw` is a raw file with acknowledged events. */
const PULLS = {
  'rm -rf of the data folder': ({ directory }) => removeFolder(directory),
  'mv of the data folder': ({ directory }) => renameSync(directory, `${directory}.away`),
  'rm of raw.ndjson': ({ raw }) => rmSync(raw),
  'mv of raw.ndjson': ({ raw }) => renameSync(raw, `${raw}.1`),
  'truncate of raw.ndjson to nothing': ({ raw }) => truncateSync(raw, 0),
  'truncate of raw.ndjson to a half': ({ raw }) => truncateSync(raw, Math.floor(statSync(raw).size / 2)),
  'rm of commits.ndjson': ({ raw }) => rmSync(raw.replace('raw.ndjson', 'commits.ndjson')),
  'rm -r of a partition': ({ raw }) => removeFolder(dirname(raw)),
  'mv of a partition': ({ directory, raw }) => renameSync(dirname(raw), `${directory}.away`),
  'rm -r of raw': ({ directory }) => removeFolder(`${directory}/raw`),
};

/** Reports events whose raw line is missing at the acknowledged address, or another one. */
function misplaced(events, when) {
  const files = new Map();
  return events.flatMap(([uid, { address }]) => {
    const { path, line } = address;
    if (!files.has(path)) files.set(path, existsSync(path) ? readFileSync(path, 'utf8').split('\n') : undefined);
    const lines = files.get(path);
    if (uidOf(lines?.[line] ?? '') === uid) return [];
    const what =
      lines === undefined
        ? 'the file does not exist'
        : `the line is ${lines[line] === undefined ? 'missing' : 'another one'}`;
    return [{ check: `acknowledged after the pull, ${when}`, where: `${path}:${line}`, what }];
  });
}

async function pullOnce({ name, random, collector, journal }) {
  const life = { hasFaults: true };
  if ((await collector.start()) === undefined)
    return [{ check: 'start', where: collector.directory, what: (await collector.child.ended).output }];
  const senders = startSenders({ journal, urls: collector.urls, life });
  const acknowledged = () => [...journal.sent].filter(([, { address }]) => address !== undefined);
  await waitUntil(() => acknowledged().length > 100);
  const raw = random.pick(acknowledged())[1].address.path;
  const outputBefore = collector.child.output.length;
  try {
    PULLS[name]({ directory: collector.directory, raw });
    journal.epoch += 1;
    Object.assign(life.statuses, { before: life.statuses[200], 200: 0 });
    await waitUntil(() => life.statuses[200] > 100, 5_000);
  } finally {
    await senders.finish();
  }

  // Requests sent before the pull may have been committed before it, and repeated ones have the address of their first response.
  const after = () => acknowledged().filter(([, { address }]) => address.epoch === 1);
  const problems = misplaced(after(), 'while it runs');
  const logged = collector.child.output.slice(outputBefore);
  if (!/"level":[456]0/.test(logged))
    problems.push({ check: 'reported', where: name, what: 'no warning and no error in the log' });
  // Only the folder is checked, not the exit code.
  await collector.end(random.pick(['SIGTERM', 'SIGKILL']));

  if ((await collector.start()) === undefined)
    return [...problems, { check: 'start', where: name, what: (await collector.child.ended).output }];
  const { urls, directory } = collector;
  await waitForQuietStats(urls.api, 150);
  const audit = await auditFolder({ directory, apiUrl: urls.api, metricsUrl: urls.metrics });
  problems.push(...misplaced(after(), 'after a restart'), ...audit.problems);
  const times = new Map();
  for (const { payload } of audit.record.events)
    times.set(uidOf(payload.message), (times.get(uidOf(payload.message)) ?? 0) + 1);
  for (const [uid, { mostTimes }] of after())
    if (times.get(uid) > mostTimes)
      problems.push({ check: 'once', where: uid, what: `is stored ${times.get(uid)} times` });
  await collector.end('SIGTERM');
  return Object.assign(problems, { life });
}

/** Runs rounds `from` to `to`, each on a new folder; yields their results. */
export async function* pulledRounds({ seed, from, to }) {
  const names = Object.keys(PULLS);
  for (let round = from; round < to; round += 1) {
    const random = createRandom(seed * 1_000_003 + round);
    const collector = await createCollector();
    const journal = Object.assign(createJournal(createRandom(random.below(2 ** 32))), { epoch: 0 });
    const name = names[round % names.length];
    const problems = await pullOnce({ name, random, collector, journal }).catch((error) => {
      collector.child.kill('SIGKILL');
      throw error;
    });
    yield { round, problems, collector, sentence: `${name}, ${JSON.stringify(problems.life?.statuses)}` };
    if (problems.length === 0) collector.remove();
  }
}
