// Rounds of trouble against the built collector: `node test/system/chaos/run.js --kind kill|faults|pulled|writers --rounds N --seed S [--from R] [--verbose]`.
// Exit code 1 where a promise was broken. A failure names the seed and the round; the folder of that round stays.
import { parseArgs } from 'node:util';
import { faultRounds } from './faults.js';
import { killRounds } from './kill.js';
import { pulledRounds } from './pulled.js';
import { writerRounds } from './writers.js';

/** What runs the rounds, and how many share a folder. */
const KINDS = {
  kill: { run: killRounds, together: 5 },
  faults: { run: faultRounds, together: 2 },
  pulled: { run: pulledRounds, together: 1 },
  writers: { run: writerRounds, together: 1 },
};
const text = (fallback) => ({ type: 'string', default: fallback });
const { values } = parseArgs({
  options: {
    kind: text('kill'),
    rounds: text('8'),
    seed: text('1'),
    from: text('0'),
    verbose: { type: 'boolean', default: false },
  },
});
const [rounds, seed, from] = [values.rounds, values.seed, values.from].map(Number);
const say = (line) => process.stdout.write(`${line}\n`);
const { run, together } = KINDS[values.kind];
const began = Date.now();
const end = from + rounds;
let next = from - (from % together);
let failed = 0;
let done = 0;

function tell({ round, problems, place, sentence }) {
  done += 1;
  if (values.verbose) say(`round ${round}: ${sentence}`);
  if (problems.length === 0) return;
  failed += 1;
  say(`FAIL --kind ${values.kind} --seed ${seed} --from ${round}, ${place?.directory}: ${sentence}`);
  for (const check of new Set(problems.map((problem) => problem.check))) {
    const alike = problems.filter((problem) => problem.check === check);
    for (const { where, what } of alike.slice(0, 3)) say(`     ${check}: ${where}: ${what}`);
    if (alike.length > 3) say(`     ${check}: ${alike.length - 3} more`);
  }
}

/** Two folders at a time: much of a round is waiting. */
async function worker() {
  while (next < end) {
    const first = next;
    next += together;
    try {
      for await (const result of run({ seed, from: first, to: Math.min(end, first + together) })) tell(result);
    } catch (error) {
      tell({
        round: first,
        problems: [{ check: 'harness', where: 'from this round on', what: error.stack }],
        sentence: 'did not end',
      });
    }
  }
}
await Promise.all([worker(), worker()]);
say(`${values.kind}, seed ${seed}: ${done} rounds, ${failed} failed, ${Math.round((Date.now() - began) / 1000)} s`);
process.exitCode = failed === 0 ? 0 : 1;
