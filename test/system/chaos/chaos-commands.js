// Commands of the product that people run beside a collector, or between two runs of it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultline, pause } from './collector.js';
import { payloadOf } from './journal.js';

const isRunning = ({ child }) => child.exitCode === null && child.signalCode === null;

function writeEvents({ collector, journal, name, by, count, mostTimes }) {
  const events = Array.from({ length: count }, () => journal.add(by, payloadOf(journal.random), { mostTimes }).event);
  const file = join(collector.root, name);
  writeFileSync(file, events.map(({ payload }) => `${JSON.stringify(payload)}\n`).join(''));
  return { events, file };
}

function acknowledge(events) {
  for (const event of events) Object.assign(event, { isAcknowledged: true, acknowledgedMs: Date.now() });
}

/** Imports a file between two runs of the collector: kills the import and repeats it. Returns the problems. */
export async function importBetween({ collector, journal, random, round }) {
  const name = `import-${round}.ndjson`;
  const { events, file } = writeEvents({ collector, journal, name, by: 'import', count: 300, mostTimes: 1 });
  const run = () => faultline('import', '--data', collector.directory, '--id', `round-${round}`, file);
  const killed = run();
  await Promise.race([pause(300 + random.below(900)), killed.ended]);
  killed.kill('SIGKILL');
  await killed.ended;
  const { code, output } = await run().ended;
  acknowledge(events);
  return code === 0 ? [] : [{ check: 'import', where: file, what: `ended with ${code}: ${output}` }];
}

/** Imports a file into the folder of a running collector, which must be refused; it may succeed once the collector was killed. */
export async function importBeside({ collector, journal }) {
  const { child } = collector;
  const { events, file } = writeEvents({
    collector,
    journal,
    name: 'beside.ndjson',
    by: 'import',
    count: 20,
    mostTimes: 1,
  });
  const { code, output } = await faultline('import', '--data', collector.directory, file).ended;
  if (code === 0) acknowledge(events);
  const isRefused = code === 1 && output.includes('in use by process');
  if (isRunning({ child }) && !isRefused) journal.report('import beside', file, `ended with ${code}: ${output}`);
}

/** Sends a file by `faultline send`; a repetition after a kill may be stored twice. */
export async function sendFile({ collector, journal, life }) {
  const { events, file } = writeEvents({
    collector,
    journal,
    name: 'sent.ndjson',
    by: 'send',
    count: 20,
    mostTimes: 2,
  });
  const { code } = await faultline('send', '--url', collector.urls.ingest, '--file', file).ended;
  if (code !== 0) life.unanswered += 1;
  else if (!life.isSampling) for (const event of events) journal.acknowledge('events', event);
}

/** Records a release and a deploy by `faultline release`. */
export async function releaseByCommand({ collector, journal }) {
  const name = `release-${journal.random.uid()}`;
  const entry = { isAcknowledged: false, deploys: new Map(), commits: [] };
  journal.releases.set(name, entry);
  const run = async (...args) => (await faultline('release', ...args, '--url', collector.urls.query).ended).code === 0;
  entry.isAcknowledged = await run('new', name);
  if (!entry.isAcknowledged) return;
  const uid = journal.random.uid();
  const deploy = { isAcknowledged: false };
  entry.deploys.set(uid, deploy);
  deploy.isAcknowledged = await run('deploy', name, '--environment', 'production', '--name', uid);
}
