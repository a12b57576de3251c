// Rounds on a failing disk: with a library between Node and libc (EIO, ENOSPC, EMFILE, EROFS, short writes), on a full file system, and with few
// file descriptors.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkRunning, checkVerify } from './check.js';
import { createCollector, createRandom, pause, waitUntil } from './collector.js';
import { createJournal } from './journal.js';
import { createLogWriter } from './log-writer.js';
import { startSenders } from './senders.js';
import { startActing } from './triage.js';

const CODES = ['EIO', 'EIO', 'EIO', 'ENOSPC', 'EMFILE', 'EROFS'];
/** Enough for the 64 open partitions of a store and a few connections, but not for all connections of a round. */
const DESCRIPTORS = 200;

/** Prepares the kinds of faults that this machine allows, and prints the others. */
function prepare() {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-faults-'));
  const attempt = (name, work) => {
    try {
      return work();
    } catch (error) {
      process.stdout.write(`SKIPPED: ${name}: ${error.message.split('\n')[0]}\n`);
      return undefined;
    }
  };
  const library = attempt('injected faults need gcc', () => {
    const built = join(folder, 'fault.so');
    execFileSync(
      'gcc',
      ['-shared', '-fPIC', '-O1', '-o', built, fileURLToPath(new URL('fault.c', import.meta.url)), '-ldl'],
      { stdio: 'pipe' },
    );
    return built;
  });
  const small = attempt('a full file system needs the right to mount', () => {
    const mounted = mkdtempSync(join(folder, 'small-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'faultline-chaos', mounted], { stdio: 'pipe' });
    return mounted;
  });
  const end = () => {
    if (small !== undefined) execFileSync('umount', ['-l', small]);
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, library, small, end };
}

/** Kinds of faults, with the options to start a collector and functions to turn the faults on and off. */
const WAYS = {
  injected({ library, folder, random, collector }) {
    const control = join(folder, 'switch');
    const env = {
      LD_PRELOAD: library,
      FAULT_ROOT: collector.root,
      FAULT_SWITCH: control,
      FAULT_SEED: String(1 + random.below(1e6)),
    };
    const code = random.pick(CODES);
    const on = () => writeFileSync(control, `${constants.errno[code]} ${random.pick([2, 10, 40])}`);
    return { name: code, start: { env }, on, off: () => rmSync(control, { force: true }) };
  },
  full({ small }) {
    const filler = join(small, 'filler');
    const on = () => {
      try {
        execFileSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k', 'status=none'], { stdio: 'pipe' });
      } catch {}
    };
    return { name: 'full', start: {}, on, off: () => rmSync(filler, { force: true }) };
  },
  descriptors({ collector }) {
    const sockets = [];
    const { hostname: host, port } = new URL(collector.urls.ingest);
    const on = () => {
      while (sockets.length < DESCRIPTORS) sockets.push(connect({ host, port }).on('error', () => undefined));
    };
    const off = () => {
      for (const socket of sockets.splice(0)) socket.destroy();
    };
    return {
      name: 'descriptors',
      start: { through: ['bash', '-c', `ulimit -n ${DESCRIPTORS}; exec "$@"`, 'bash'] },
      on,
      off,
    };
  },
};

async function liveOnce({ random, collector, journal, writer, way }) {
  const life = { hasFaults: true };
  journal.life = { stored: {} };
  const problems = [];
  const failed = (check, where, what) => problems.push({ check, where, what });
  if (way.name !== 'descriptors' && random.chance(0.3)) {
    way.on();
    // The start may fail, with exit code 1.
    if ((await collector.start(way.start)) === undefined) {
      const { code, signal, output } = await collector.child.ended;
      if (code !== 1) failed('start', way.name, `ended with ${code ?? signal}: ${output.slice(-2000)}`);
    }
    way.off();
  }
  const isRunning = collector.child?.exitCode === null && collector.child.signalCode === null;
  if (!isRunning && (await collector.start(way.start)) === undefined) {
    failed('start', 'without faults', (await collector.child.ended).output.slice(-2000));
    return Object.assign(problems, { life });
  }
  const senders = startSenders({ journal, urls: collector.urls, life });
  const background = [writer.run(life), startActing({ journal, urls: collector.urls, life })];
  for (let burst = random.below(3); burst >= 0; burst -= 1) {
    const accepted = (life.statuses[200] ?? 0) + random.below(20);
    await waitUntil(() => life.statuses[200] > accepted, 3_000);
    way.on();
    await pause(50 + random.below(300));
    if (burst > 0 || random.chance(0.7)) way.off();
  }
  const isKilled = random.chance(0.4);
  if (!isKilled) {
    way.off();
    // The store cuts refused lines before it accepts new events.
    const { 200: accepted = 0 } = life.statuses;
    if (!(await waitUntil(() => life.statuses[200] > accepted + 5)))
      failed('resumes', way.name, JSON.stringify(life.statuses));
  }
  if (collector.child.exitCode !== null || collector.child.signalCode !== null)
    failed('alive', way.name, `ended by itself: ${collector.child.output.slice(-2000)}`);
  if (isKilled) await collector.end('SIGKILL');
  await Promise.all([senders.finish(), ...background]);
  way.off();
  if (isKilled) return Object.assign(problems, { life });
  problems.push(...(await checkRunning({ collector, journal, life })).problems);
  const { code, signal, output } = await collector.end('SIGTERM');
  if (code !== 0) failed('stop', way.name, `ended with ${code ?? signal}: ${output.slice(-2000)}`);
  return Object.assign(problems, { life });
}

/** Runs rounds `from` to `to` on one folder until one fails; yields their results. */
export async function* faultRounds({ seed, from, to }) {
  const means = prepare();
  const random = createRandom(seed * 1_000_003 + from);
  const names = [
    ...(means.library ? ['injected', 'injected', 'injected'] : []),
    ...(means.small ? ['full'] : []),
    'descriptors',
  ];
  const name = names[from % names.length];
  const collector = await createCollector(name === 'full' ? { parent: means.small } : {});
  const journal = createJournal(createRandom(random.below(2 ** 32)));
  const writer = createLogWriter({ journal, logs: collector.logs });
  for (let round = from; round < to; round += 1) {
    const way = WAYS[name]({ ...means, random, collector });
    const problems = await liveOnce({ random, collector, journal, writer, way });
    const { life } = problems;
    // Audits the folder after a recovery without faults.
    if ((await collector.start()) === undefined)
      problems.push({ check: 'start', where: collector.directory, what: (await collector.child.ended).output });
    else problems.push(...(await checkRunning({ collector, journal, life: { unanswered: 1 } })).problems);
    await collector.end('SIGTERM');
    problems.push(...(await checkVerify(collector.directory)));
    yield {
      round,
      problems,
      collector,
      sentence: `${way.name}, ${journal.sent.size} sent, ${JSON.stringify(life.statuses)}`,
    };
    if (problems.length > 0) return;
  }
  collector.remove();
  means.end();
}
