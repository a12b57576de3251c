// Starts a second collector on the folder of a running one, in another PID namespace: it must fail.
import { spawnSync } from 'node:child_process';
import { checkRunning } from './check.js';
import { createCollector, createRandom } from './collector.js';
import { createJournal } from './journal.js';
import { startSenders } from './senders.js';

const NAMESPACE = ['unshare', '-pf', '--mount-proc', '--kill-child'];

export async function* writerRounds({ seed, from, to }) {
  if (spawnSync(NAMESPACE[0], [...NAMESPACE.slice(1), 'true']).status !== 0) {
    process.stdout.write('SKIPPED: process namespaces need the right to unshare\n');
    return;
  }
  for (let round = from; round < to; round += 1) {
    const random = createRandom(seed * 1_000_003 + round);
    const [first, second] = [await createCollector(), await createCollector()];
    second.directory = first.directory;
    const journal = createJournal(createRandom(random.below(2 ** 32)));
    const life = {};
    const through = round % 2 === 0 ? [] : NAMESPACE;
    const problems = [];
    await first.start({ through });
    const senders = startSenders({ journal, urls: first.urls, life });
    const started = await second.start({ through: NAMESPACE });
    if (started !== undefined) {
      problems.push({
        check: 'two writers',
        where: first.directory,
        what: `the second accepts events, the first runs ${through.length > 0 ? 'in another namespace' : 'outside'}`,
      });
      started.kill('SIGKILL');
    }
    const { code, output } = await second.child.ended;
    if (started === undefined && !(code === 1 && output.includes('The data folder is in use by process')))
      problems.push({ check: 'refusal', where: first.directory, what: `ended with ${code}: ${output}` });
    await senders.finish();
    problems.push(...(await checkRunning({ collector: first, journal, life })).problems);
    await first.end('SIGKILL');
    yield {
      round,
      problems,
      collector: first,
      sentence: `first ${through.length > 0 ? 'in a namespace' : 'outside'}, second in a namespace`,
    };
    second.remove();
    if (problems.length === 0) first.remove();
  }
}
