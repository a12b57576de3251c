import { LONE_PROCESSORS, type LoneProcessor } from '../lone-processors.js';
import { type Row, row } from '../row.js';
import { runProgram } from '../run-program.js';

const BAR: Row['bar'] = { of: 'figure', value: 100_000 };
const FLOORS: Readonly<Record<LoneProcessor['floor'], { readonly beside: string; readonly bar: Row['bar'] }>> = {
  encoding: { beside: 'straight to the consumer, each event encoded, per second of CPU time', bar: BAR },
  // A processor that groups cannot be faster than grouping, which has its own target in the fingerprint rows.
  grouping: { beside: 'grouping alone, per second of CPU time', bar: null },
};

/** Rate of each processor in its own process, before a consumer without work. */
export async function processorRows(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, { title, floor }] of LONE_PROCESSORS) {
    const { perCpuSecond, perSecond, floor: floorPace } = await runProgram('lone-processor', [name]);
    const byClock = Math.round(Number(perSecond)).toLocaleString('en');
    const { beside, bar } = FLOORS[floor];
    rows.push(
      row(
        `processor ${title}, alone, events per second of CPU time; by the clock ${byClock}`,
        Number(perCpuSecond),
        beside,
        perCpuSecondOf(floorPace),
        'higher',
        bar,
      ),
    );
  }
  return rows;
}

function perCpuSecondOf(pace: unknown): number {
  return typeof pace === 'object' && pace !== null && 'perCpuSecond' in pace ? Number(pace.perCpuSecond) : Number.NaN;
}
