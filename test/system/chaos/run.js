// Runs chaos rounds against the built collector: `node test/system/chaos/run.js --kind kill|faults|pulled|writers --rounds N --seed S [--from R] [--verbose]`.
// Exits with 1 if a promise was broken. A failure prints the seed and the round, and keeps the folder of that round.
import { parseArgs } from 'node:util';
import { faultRounds } from './faults.js';
import { killRounds } from './kill.js';
import { pulledRounds } from './pulled.js';
import { writerRounds } from './writers.js';

/** The functions of the rounds, and how many rounds share a folder. */
const KINDS = {
  kill: { run: killRounds, roundsPerFolder: 5 },
  faults: { run: faultRounds, roundsPerFolder: 2 },
  pulled: { run: pulledRounds, roundsPerFolder: 1 },
  writers: { run: writerRounds, roundsPerFolder: 1 },
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
const { run, roundsPerFolder } = KINDS[values.kind];
const began = Date.now();
const end = from + rounds;
let next = from - (from % roundsPerFolder);
let failed = 0;
let done = 0;

function report({ round, problems, collector, sentence }) {
  done += 1;
  if (values.verbose) say(`round ${round}: ${sentence}`);
  if (problems.length === 0) return;
  failed += 1;
  say(`FAIL --kind ${values.kind} --seed ${seed} --from ${round}, ${collector?.directory}: ${sentence}`);
  for (const check of new Set(problems.map((problem) => problem.check))) {
    const ofCheck = problems.filter((problem) => problem.check === check);
    for (const { where, what } of ofCheck.slice(0, 3)) say(`     ${check}: ${where}: ${what}`);
    if (ofCheck.length > 3) say(`     ${check}: ${ofCheck.length - 3} more`);
  }
}

/** Two workers run at a time, because rounds mostly wait. */
async function worker() {
  while (next < end) {
    const first = next;
    next += roundsPerFolder;
    try {
      for await (const result of run({ seed, from: first, to: Math.min(end, first + roundsPerFolder) })) report(result);
    } catch (error) {
      report({
        round: first,
        problems: [{ check: 'harness', where: 'in this or a later round', what: error.stack }],
        sentence: 'the round threw',
      });
    }
  }
}
await Promise.all([worker(), worker()]);
say(`${values.kind}, seed ${seed}: ${done} rounds, ${failed} failed, ${Math.round((Date.now() - began) / 1000)} s`);
process.exitCode = failed === 0 ? 0 : 1;
