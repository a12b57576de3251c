// Rounds that end with SIGKILL under mixed load. Consecutive rounds share a folder.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32c, encodeName, eventIdOf } from '../audit/read-record.js';
import { checkRunning, checkVerify, watchLedger } from './check.js';
import { createCollector, createRandom, faultline, pause, waitUntil } from './collector.js';
import { createJournal, createLogWriter, payloadOf, startActing, startSenders } from './senders.js';

const SAMPLE = { sample: { keep_first: 3, keep_one_in: 5, interval: '1s', summary_interval: '200ms' } };
const RETENTIONS = [
  { max_age: '1h', max_size: '0' },
  { max_age: '0', max_size: '1KiB' },
];
const RULES = [{}, { version: 1 }, { rules: [{ query: 'route:/cart', fingerprint: ['{{ default }}', 'cart'] }] }];

/** Writes an old hour of events for retention, in the documented format. */
function writeOldHour({ collector, journal, random, hoursAgo }) {
  const micros = (Math.floor(Date.now() / 3.6e6) - hoursAgo) * 3.6e9 + 1_234_567;
  const receivedAt = new Date(micros / 1000)
    .toISOString()
    .replace(/\.\d+Z$/, `.${String(micros % 1e6).padStart(6, '0')}Z`);
  const absent = {
    level: null,
    method: null,
    release: null,
    request_id: null,
    session_id: null,
    stack: null,
    tags: {},
    timestamp: null,
    user_id: null,
  };
  const { app, service, env } = payloadOf(random);
  const folder = ['raw', ...[env, service, app].map(encodeName), ...receivedAt.slice(0, 13).split(/[-T]/)].join('/');
  const path = join(collector.directory, folder, 'raw.ndjson');
  const lines = Array.from({ length: 20 }, (_, line) => {
    const address = { eventId: eventIdOf(collector.directory, folder, micros, line), path, line };
    const { event } = journal.add(
      'old hour',
      { ...payloadOf(random), app, service, env },
      { isAcknowledged: true, address, after: '' },
    );
    const payload = { ...absent, ...event.payload };
    return `${JSON.stringify(Object.fromEntries(Object.entries(payload).sort(([one], [other]) => (one < other ? -1 : 1))))}\n`;
  });
  const bytes = Buffer.from(lines.join(''));
  const commit = {
    line: 0,
    lines: lines.length,
    offset: 0,
    bytes: bytes.length,
    received_at: receivedAt,
    crc32c: crc32c(bytes),
  };
  mkdirSync(join(collector.directory, folder), { recursive: true });
  writeFileSync(path, bytes);
  writeFileSync(join(collector.directory, folder, 'commits.ndjson'), `${JSON.stringify(commit)}\n`);
}

/** Imports a file between two runs of the collector: kills the import and repeats it. */
async function importBetween({ collector, journal, random, round }) {
  const events = Array.from({ length: 300 }, () => journal.add('import', payloadOf(random)).event);
  const file = join(collector.root, `import-${round}.ndjson`);
  writeFileSync(file, events.map(({ payload }) => `${JSON.stringify(payload)}\n`).join(''));
  const run = () => faultline('import', '--data', collector.directory, '--id', `round-${round}`, file);
  const killed = run();
  await Promise.race([pause(300 + random.below(900)), killed.ended]);
  killed.kill('SIGKILL');
  await killed.ended;
  const { code, output } = await run().ended;
  for (const event of events) Object.assign(event, { isAcknowledged: true, acknowledgedMs: Date.now() });
  return code === 0 ? [] : [{ check: 'import', where: file, what: `ended with ${code}: ${output}` }];
}

async function regroup({ random, urls }) {
  const [kind, body] = random.pick([...RULES.map((rules) => ['apply', rules]), ['roll_back', {}]]);
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  await fetch(`${urls.api}/regroup/${kind}`, request).catch(() => undefined);
}

async function reload({ random, collector, folder }) {
  collector.settings.checkpoint = random.pick(['100ms', '300ms', '5s']);
  if (folder.isSampling) collector.settings.processors = random.chance(0.5) ? SAMPLE : {};
  if (folder.hasOldHours) collector.settings.retention = random.pick(RETENTIONS);
  collector.writeConfig();
  collector.child.kill('SIGHUP');
}

/** Creates the features of a folder, which are the same in all of its rounds. */
function createFolder({ random, collector, journal }) {
  const folder = {
    isSampling: random.chance(0.25),
    hasOldHours: random.chance(0.4),
    regroups: random.chance(0.4),
    reloads: random.chance(0.4),
  };
  collector.settings.durability = random.pick(['fsync', 'fsync', 'os']);
  if (folder.isSampling) collector.settings.processors = SAMPLE;
  if (folder.hasOldHours) {
    for (const hoursAgo of [3, 5, 6]) writeOldHour({ collector, journal, random, hoursAgo });
    collector.settings.retention = random.pick(RETENTIONS);
  }
  const bounds = folder.hasOldHours ? { maxAges: [0, 3.6e6], maxSizes: [0, 1024] } : { maxAges: [0], maxSizes: [0] };
  return { ...folder, bounds };
}

/** Runs the collector once: audits the folder, runs the load, and ends the collector. Returns the problems. */
async function liveOnce({ random, collector, journal, writer, folder, isFirst }) {
  const life = { isSampling: folder.isSampling };
  journal.life = { stored: {} };
  if ((await collector.start()) === undefined)
    return [{ check: 'start', where: collector.directory, what: (await collector.child.ended).output }];
  const check = () => checkRunning({ collector, journal, life, bounds: folder.bounds });
  const problems = (await check()).problems;
  const senders = startSenders({ journal, urls: collector.urls, life });
  if (!isFirst && random.chance(0.5)) writer.rename();
  if (!isFirst && random.chance(0.3)) writer.empty();
  const background = [
    writer.run(life),
    startActing({ journal, urls: collector.urls, life }),
    watchLedger({ urls: collector.urls, life, problems }),
  ];
  const spanMs = (folder.hasOldHours ? 500 : 200) + random.below(800);
  const accepted = 5 + random.below(80);
  const steps = [
    ...(folder.reloads ? [() => reload({ random, collector, folder })] : []),
    ...(folder.regroups ? [() => regroup({ random, urls: collector.urls })] : []),
  ];
  // A slow machine needs more time until some events are accepted.
  const killed = pause(spanMs).then(() => waitUntil(() => life.statuses[200] > accepted, 5_000));
  for (const step of steps) {
    if (random.chance(0.6)) await Promise.race([killed, pause(random.below(spanMs)).then(step)]);
  }
  await killed;
  const end = random.pick(['kill', 'kill', 'kill', 'kill', 'kill', 'quiet kill', 'stop', 'quiet stop']);
  if (end.startsWith('quiet')) {
    await Promise.all([senders.finish(), ...background]);
    problems.push(...(await check()).problems);
  }
  const ended = await collector.end(end.endsWith('stop') ? 'SIGTERM' : 'SIGKILL');
  await Promise.all([senders.finish(), ...background]);
  if (end.endsWith('stop') && ended.code !== 0)
    problems.push({
      check: 'stop',
      where: 'SIGTERM',
      what: `ended with ${ended.code ?? ended.signal}: ${ended.output.slice(-2000)}`,
    });
  life.end = end;
  return Object.assign(problems, { life });
}

/** Runs rounds `from` to `to` on one folder until one fails; yields their results. */
export async function* killRounds({ seed, from, to }) {
  const random = createRandom(seed * 1_000_003 + from);
  const collector = await createCollector();
  const journal = createJournal(createRandom(random.below(2 ** 32)));
  const folder = createFolder({ random, collector, journal });
  const { bounds, ...traits } = folder;
  const writer = createLogWriter({ journal, logs: collector.logs });
  for (let round = from; round < to; round += 1) {
    const problems = await liveOnce({ random, collector, journal, writer, folder, isFirst: round === from });
    if (random.chance(0.15)) problems.push(...(await importBetween({ collector, journal, random, round })));
    if (round === to - 1) {
      const life = { isSampling: folder.isSampling, unanswered: 1 };
      if ((await collector.start()) !== undefined)
        problems.push(...(await checkRunning({ collector, journal, life, bounds })).problems);
      problems.push(...(await checkVerify(collector.directory)));
    }
    const { end, statuses, unanswered } = problems.life ?? {};
    const sentence = `${end}, ${journal.sent.size} sent, ${JSON.stringify(statuses)}, ${unanswered} unanswered, ${JSON.stringify(traits)}`;
    yield { round, problems, collector, sentence };
    if (problems.length > 0) break;
    if (round === to - 1) collector.remove();
  }
  await collector.end('SIGKILL');
}
