// Runs chaos rounds against the built collector: `node test/system/chaos/run.js --kind kill|faults|pulled|writers --rounds N --seed S [--from R]
// [--workers W] [--without FEATURE,…] [--verbose]`. Exits with 1 if a promise was broken. A failure prints the seed and the round, and keeps the folder of that round.
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
/** The longest block of the event loop that is allowed. */
const LONG_BLOCK_MS = 50;
const text = (fallback) => ({ type: 'string', default: fallback });
const { values } = parseArgs({
  options: {
    kind: text('kill'),
    rounds: text('8'),
    seed: text('1'),
    from: text('0'),
    // Two at a time, because rounds mostly wait.
    workers: text('2'),
    // Features of folders in rounds of `kill`, to narrow a failure down: hasRepetitions, isFleet, …
    without: text(''),
    verbose: { type: 'boolean', default: false },
  },
});
const [rounds, seed, from, workers] = [values.rounds, values.seed, values.from, values.workers].map(Number);
const without = new Set(values.without.split(','));
const { isTTY } = process.stdout;
/** Erases the line of the progress. */
const CLEAR = isTTY ? '\r\u001B[K' : '';
const say = (line) => process.stdout.write(`${CLEAR}${line}\n`);
const { run, roundsPerFolder } = KINDS[values.kind];
const began = Date.now();
const end = from + rounds;
let next = from - (from % roundsPerFolder);
let failed = 0;
let done = 0;
let longBlocks = 0;
let longest = { block_ms: 0, round: undefined };

function countBlocks(round, blocks) {
  for (const block of blocks) {
    if (block.block_ms > LONG_BLOCK_MS) longBlocks += 1;
    if (block.block_ms > longest.block_ms) longest = { ...block, round };
  }
}

function report({ round, problems, collector, sentence, blocks = [] }) {
  done += 1;
  countBlocks(round, blocks);
  const block = Math.max(0, ...blocks.map((one) => one.block_ms));
  if (values.verbose) say(`round ${round}: ${sentence}, longest block ${block} ms`);
  if (isTTY) process.stdout.write(`${CLEAR}${done} of ${rounds} rounds, ${failed} failed`);
  if (problems.length === 0) return;
  failed += 1;
  const folders = collector && `${collector.directory} and ${collector.logs}`;
  say(`FAIL --kind ${values.kind} --seed ${seed} --from ${round}, ${folders}: ${sentence}`);
  for (const check of new Set(problems.map((problem) => problem.check))) {
    const ofCheck = problems.filter((problem) => problem.check === check);
    for (const { where, what } of ofCheck.slice(0, 3)) say(`     ${check}: ${where}: ${what}`);
    if (ofCheck.length > 3) say(`     ${check}: ${ofCheck.length - 3} more`);
  }
}

async function worker() {
  while (next < end) {
    const first = next;
    next += roundsPerFolder;
    let collector;
    let hasFailed = false;
    try {
      for await (const result of run({ seed, without, from: first, to: Math.min(end, first + roundsPerFolder) })) {
        report(result);
        collector = result.collector;
        hasFailed ||= result.problems.length > 0;
      }
      if (!hasFailed) collector?.remove();
    } catch (error) {
      report({
        round: first,
        problems: [{ check: 'harness', where: 'in this or a later round', what: error.stack }],
        collector,
        sentence: 'the round threw',
      });
    }
  }
}
await Promise.all(Array.from({ length: workers }, worker));
const blocks =
  longest.round === undefined
    ? ''
    : `; longest block ${longest.block_ms} ms (${longest.cpu_ms} ms of CPU) in round ${longest.round}, ${longBlocks} over ${LONG_BLOCK_MS} ms`;
say(
  `${values.kind}, seed ${seed}: ${done} rounds, ${failed} failed, ${Math.round((Date.now() - began) / 1000)} s${blocks}`,
);
process.exitCode = failed === 0 ? 0 : 1;
