import { type Row, row } from '../row.js';
import { runStorm } from '../storm.js';

const EVENTS = Number(process.env['FAULTLINE_BENCH_EVENTS'] ?? 1_000_000);
const RARE = 1_000;
const KEEP_FIRST = 100;
const KEEP_ONE_IN = 100;
const SUMMARY_SECONDS = 10;
/** The storm without sampling is smaller by this factor. */
const UNSAMPLED_DIVISOR = 10;

const SETS = [
  `processors.sample={keep_first: ${KEEP_FIRST}, keep_one_in: ${KEEP_ONE_IN}, summary_interval: ${SUMMARY_SECONDS}s}`,
  'service.pipelines.events.processors=[sample]',
];

/** Returns the maximum number of stored events: the first and a share of the rest of the storm, the summaries, and all rare ones. */
function maxStored(seconds: number): number {
  const ofTheRest = Math.ceil((EVENTS - KEEP_FIRST) / KEEP_ONE_IN);
  return KEEP_FIRST + ofTheRest + Math.ceil(seconds / SUMMARY_SECONDS) + 1 + RARE;
}

/** A storm of one failure with rare ones through `sample`, and a smaller one without. Throws unless all counts are exact. */
export async function stormRows(folder: string): Promise<Row[]> {
  const sampled = await runStorm({ events: EVENTS, rare: RARE, sets: SETS }, folder);
  const bare = await runStorm(
    {
      events: EVENTS / UNSAMPLED_DIVISOR,
      rare: RARE / UNSAMPLED_DIVISOR,
      sets: ['service.pipelines.events.processors=[]'],
    },
    folder,
  );
  const [events, rare, unsampled] = [EVENTS, RARE, EVENTS / UNSAMPLED_DIVISOR].map((count) =>
    count.toLocaleString('en'),
  );
  const title = `storm of ${events} events of one failure beside ${rare} others, sample keeps ${KEEP_FIRST} and one in ${KEEP_ONE_IN}`;
  return [
    row(
      `${title}: events stored, all counts exact and all others stored`,
      sampled.stored,
      'events accepted',
      EVENTS + RARE,
      'lower',
      { of: 'figure', value: maxStored(sampled.seconds) },
    ),
    row(
      `${title}: MB on disk`,
      sampled.bytes / 1e6,
      `without sampling, measured at ${unsampled} events and scaled, MB`,
      (bare.bytes * UNSAMPLED_DIVISOR) / 1e6,
      'lower',
    ),
    row(
      `${title}: accepted, events/s`,
      sampled.acceptedPerSecond,
      `without sampling, ${unsampled} events, events/s`,
      bare.acceptedPerSecond,
      'higher',
    ),
  ];
}
