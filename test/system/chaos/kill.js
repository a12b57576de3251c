// Rounds that end with SIGKILL under mixed load. A round sends to every receiver (`nats` with a `nats-server`), follows log files through rotation,
// triages, records releases and sessions, follows streams, regroups and accepts suggestions, and ends at any moment, also of a start, a stop, a
// checkpoint or a regrouping. Then everything acknowledged must be there once, at its address; streams must have told the state of every issue; and
// every field of the reading API must equal that of a copy whose index was rebuilt. Consecutive rounds share a folder, whose features follow from
// the seed; `--without hasRepetitions,isFleet` leaves some out.
import { existsSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { importBeside, importBetween, releaseByCommand, sendFile } from './chaos-commands.js';
import { checkIndex, checkRunning, checkVerify, untilIdle, watchLedger } from './check.js';
import { createCollector, createRandom, pause, waitUntil } from './collector.js';
import { createFleet } from './fleet.js';
import { createJournal } from './journal.js';
import { createLogWriter } from './log-writer.js';
import { writeOldHour } from './old-hours.js';
import { startSenders } from './senders.js';
import { compareSnapshots, takeSnapshot } from './snapshot.js';
import { createStreamReaders } from './stream-readers.js';
import { compareTriage, decide, regroup, startActing, startReleasing } from './triage.js';

const SAMPLE = { sample: { keep_first: 3, keep_one_in: 5, interval: '1s', summary_interval: '200ms' } };
const RETENTIONS = [
  { max_age: '1h', max_size: '0' },
  { max_age: '0', max_size: '1KiB' },
];
const WITHOUT_RETENTION = { maxAges: [0], maxSizes: [0] };
const WITH_RETENTION = { maxAges: [0, 3.6e6], maxSizes: [0, 1024] };
/** Releases also count events that retention removed, until the index is rebuilt. */
const COUNTS_OF_RELEASES = /^releases\./;
const NOTHING = /^$/;

/** Ways to end a collector under load, and after it when everything was checked. */
const ENDS = ['kill', 'kill', 'kill', 'kill', 'kill at a checkpoint', 'kill while stopping', 'kill while regrouping'];
const OTHER_ENDS = ['stop', 'quiet kill', 'quiet stop'];

async function reload({ random, collector, folder }) {
  collector.settings.checkpoint = random.pick(['100ms', '300ms', '5s']);
  if (folder.isSampling) collector.settings.processors = random.chance(0.5) ? SAMPLE : {};
  if (folder.hasOldHours) collector.settings.retention = random.pick(RETENTIONS);
  collector.writeConfig();
  collector.child.kill('SIGHUP');
}

/** Features of a folder, which are the same in all of its rounds, and the share of folders that have them. */
const FEATURES = {
  isSampling: 0.25,
  hasOldHours: 0.3,
  regroups: 0.5,
  reloads: 0.4,
  hasRepetitions: 0.4,
  isFleet: 0.4,
};

function createFolder({ random, collector, journal, without }) {
  const folder = {};
  for (const [name, share] of Object.entries(FEATURES)) folder[name] = random.chance(share) && !without.has(name);
  collector.settings.durability = random.pick(['fsync', 'fsync', 'os']);
  if (folder.isSampling) collector.settings.processors = SAMPLE;
  if (folder.hasOldHours) {
    for (const hoursAgo of [3, 5, 6]) writeOldHour({ collector, journal, random, hoursAgo });
    collector.settings.retention = random.pick(RETENTIONS);
  }
  return folder;
}

/** Starts the collector a few times and kills it at a random moment of its start. */
async function killStarts({ random, collector, startMs }) {
  const times = random.chance(0.3) ? 1 + random.below(2) : 0;
  for (let count = 0; count < times; count += 1) {
    collector.spawn();
    await pause(random.below(1.2 * startMs));
    await collector.end('SIGKILL');
  }
  return times;
}

/** Resolves when the index is being written, or after a second. */
async function untilCheckpoint(directory) {
  const index = join(directory, 'index');
  if (!existsSync(index)) return;
  const folders = readdirSync(index, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
  const paths = [index, ...folders.map(({ parentPath, path, name }) => join(parentPath ?? path, name))];
  const watchers = paths.map((path) => watch(path));
  const written = watchers.map((watcher) => new Promise((resolve) => watcher.once('change', resolve)));
  await Promise.race([...written, pause(1_000)]);
  for (const watcher of watchers) watcher.close();
}

/** Checks a collector without load against the journal, its streams and an index that is rebuilt from its record. */
async function check(session, life, { isLast = false } = {}) {
  const { collector, journal, folder, readers, fleet } = session;
  const { urls, directory } = collector;
  await untilIdle(urls.api);
  const problems = [];
  const report = (name, where, what) => problems.push({ check: name, where, what });
  if (isLast) await fleet?.drain({ isSampling: folder.isSampling, report });
  const bounds = folder.hasOldHours ? WITH_RETENTION : WITHOUT_RETENTION;
  problems.push(...(await checkRunning({ collector, journal, life, bounds })).problems);
  await compareTriage({ journal, urls, report });
  await readers.compare({ isExact: !folder.hasOldHours && !folder.hasRepetitions, report });
  const ignored = folder.hasOldHours ? COUNTS_OF_RELEASES : NOTHING;
  problems.push(...(await checkIndex({ collector, ignored })), ...(await checkVerify(directory)));
  return problems;
}

/** Steps of a round, each of which happens at a random moment or not at all. */
function stepsOf(session) {
  const { random, collector, journal, folder, life } = session;
  const { urls } = collector;
  return [
    ...(folder.reloads ? [[0.6, () => reload({ random, collector, folder })]] : []),
    ...(folder.regroups ? [[0.5, () => regroup({ random, urls })]] : []),
    ...(folder.regroups ? [[0.6, () => decide({ journal, urls })]] : []),
    [0.1, () => importBeside({ collector, journal, random })],
    [0.1, () => sendFile({ collector, journal, life })],
    [0.1, () => releaseByCommand({ collector, journal })],
  ];
}

/** Ends the collector in one of the ways of `ENDS`; resolves to how it ended. */
async function endBy(end, { random, collector }) {
  if (end === 'kill at a checkpoint') await untilCheckpoint(collector.directory);
  if (end === 'kill while regrouping') {
    await regroup({ random, urls: collector.urls });
    await pause(random.below(100));
  }
  if (end === 'kill while stopping') {
    collector.child.kill('SIGTERM');
    await pause(random.below(300));
  }
  return await collector.end(end.endsWith('stop') ? 'SIGTERM' : 'SIGKILL');
}

/** Runs the load until a random moment, and its steps. */
async function load(session, life) {
  const { random, folder } = session;
  const spanMs = (folder.hasOldHours ? 500 : 200) + random.below(800);
  const accepted = 5 + random.below(80);
  // A slow machine needs more time until some events are accepted.
  const enough = pause(spanMs).then(() => waitUntil(() => life.statuses[200] > accepted, 5_000));
  const running = [];
  for (const [share, step] of stepsOf({ ...session, life })) {
    if (!random.chance(share)) continue;
    const begun = pause(random.below(spanMs)).then(step);
    running.push(begun);
    await Promise.race([enough, begun]);
  }
  await enough;
  return running;
}

/** Runs the collector once: audits the folder, runs the load, and ends the collector. Returns the problems. */
async function liveOnce(session, { isFirst }) {
  const { random, collector, journal, writer, folder, readers, fleet } = session;
  const { urls } = collector;
  const life = { isSampling: folder.isSampling, hasRepetitions: folder.hasRepetitions };
  journal.life = { stored: {} };
  life.killedStarts = isFirst ? 0 : await killStarts(session);
  const startedAt = performance.now();
  if ((await collector.start()) === undefined)
    return [{ check: 'start', where: collector.directory, what: (await collector.child.ended).output }];
  session.startMs = performance.now() - startedAt;
  await readers.untilFollowing();
  const problems = await recoveredProblems(session);
  problems.push(...(await check(session, life)));

  const senders = startSenders({ journal, urls, life });
  if (!isFirst && random.chance(0.5)) writer.rename();
  if (!isFirst && random.chance(0.3)) writer.empty();
  const background = [
    writer.run(life),
    startActing({ journal, urls, life }),
    startReleasing({ journal, urls, life }),
    watchLedger({ urls, life, problems }),
    fleet?.run(life),
  ];
  const steps = await load(session, life);
  const ends = folder.regroups ? ENDS : ENDS.filter((end) => end !== 'kill while regrouping');
  const end = random.pick([...ends, ...OTHER_ENDS]);
  if (end.startsWith('quiet')) {
    await Promise.all([senders.finish(), ...background, ...steps]);
    problems.push(...(await check(session, life)));
    session.snapshot = await takeSnapshot(urls.api);
  }
  const ended = await endBy(end, session);
  await Promise.all([senders.finish(), ...background, ...steps]);
  if (end.endsWith('stop') && ended.code !== 0)
    problems.push({
      check: 'stop',
      where: 'SIGTERM',
      what: `ended with ${ended.code ?? ended.signal}: ${ended.output.slice(-2000)}`,
    });
  life.end = end;
  return Object.assign(problems, { life });
}

/** Compares the index with that of the process before, if that one was checked without load at its end. */
async function recoveredProblems(session) {
  const { snapshot: one, collector } = session;
  session.snapshot = undefined;
  if (one === undefined) return [];
  await untilIdle(collector.urls.api);
  const other = await takeSnapshot(collector.urls.api);
  // An import, or messages that waited, added events.
  const isSame = one.stats.events === other.stats.events && one.hour === other.hour;
  return isSame ? compareSnapshots({ check: 'recovered', one, other }) : [];
}

/** Runs rounds `from` to `to` on one folder until one fails; yields their results. */
export async function* killRounds({ seed, from, to, without }) {
  const random = createRandom(seed * 1_000_003 + from);
  const collector = await createCollector();
  const journal = createJournal(createRandom(random.below(2 ** 32)));
  const folder = createFolder({ random, collector, journal, without });
  const writer = createLogWriter({ journal, logs: collector.logs });
  const fleet = folder.isFleet ? await createFleet({ gateway: collector, journal }) : undefined;
  if (folder.isFleet && fleet === undefined) process.stdout.write('SKIPPED: the receiver nats needs nats-server\n');
  const readers = createStreamReaders(collector.urls.api);
  const session = { random, collector, journal, folder, writer, fleet, readers, startMs: 600 };
  for (let round = from; round < to; round += 1) {
    const beganAt = Date.now();
    const problems = await liveOnce(session, { isFirst: round === from });
    const { end, statuses, unanswered, killedStarts } = problems.life ?? {};
    if (random.chance(0.15)) problems.push(...(await importBetween({ collector, journal, random, round })));
    if (round === to - 1 && problems.length === 0) {
      const life = { isSampling: folder.isSampling, unanswered: 1 };
      if ((await collector.start()) === undefined)
        problems.push({ check: 'start', where: 'the end', what: (await collector.child.ended).output });
      else problems.push(...(await check(session, life, { isLast: true })));
    }
    const blocks = collector.blocks().filter(({ at }) => at >= beganAt);
    const traits = Object.keys(folder).filter((name) => folder[name]);
    const sentence = `${end} after ${killedStarts} killed starts, ${journal.sent.size} sent, ${JSON.stringify(statuses)}, ${unanswered} unanswered, ${traits.join(' ')}`;
    yield { round, problems, collector, sentence, blocks };
    if (problems.length > 0) break;
  }
  await Promise.all([readers.close(), fleet?.close(), collector.end('SIGKILL')]);
}
