// A second collector on the folder of one that runs, each in a process namespace of its own: it has to be refused.
import { spawnSync } from 'node:child_process';
import { checkRunning } from './check.js';
import { createPlace, createRandom } from './collector.js';
import { createJournal, startSenders } from './senders.js';

const NAMESPACE = ['unshare', '-pf', '--mount-proc', '--kill-child'];

export async function* writerRounds({ seed, from, to }) {
  if (spawnSync(NAMESPACE[0], [...NAMESPACE.slice(1), 'true']).status !== 0) {
    process.stdout.write('SKIPPED: process namespaces need the right to unshare\n');
    return;
  }
  for (let round = from; round < to; round += 1) {
    const random = createRandom(seed * 1_000_003 + round);
    const [first, second] = [await createPlace(), await createPlace()];
    second.directory = first.directory;
    const journal = createJournal(createRandom(random.below(2 ** 32)));
    const life = {};
    const firstBehind = round % 2 === 0 ? [] : NAMESPACE;
    const problems = [];
    await first.start({ behind: firstBehind });
    const senders = startSenders({ journal, urls: first.urls, life });
    const taken = await second.start({ behind: NAMESPACE });
    if (taken !== undefined) {
      problems.push({
        check: 'two writers',
        where: first.directory,
        what: `the second one takes events, the first ${firstBehind.length > 0 ? 'in another namespace' : 'outside'}`,
      });
      taken.kill('SIGKILL');
    }
    const { code, output } = await second.child.ended;
    if (taken === undefined && !(code === 1 && output.includes('The data folder is written by process')))
      problems.push({ check: 'refusal', where: first.directory, what: `ended with ${code}: ${output}` });
    await senders.finish();
    problems.push(...(await checkRunning({ place: first, journal, life })).problems);
    await first.end('SIGKILL');
    yield {
      round,
      problems,
      place: first,
      sentence: `first ${firstBehind.length > 0 ? 'in a namespace' : 'outside'}, second in a namespace`,
    };
    second.remove();
    if (problems.length === 0) first.remove();
  }
}
