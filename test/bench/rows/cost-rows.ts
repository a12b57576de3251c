import type { Cost } from '../peers/measure-load.js';
import { headlineRow, type Row } from '../row.js';

/** A target for a ratio. */
export function ratioBar(value: number): Row['bar'] {
  return { of: 'ratio', value };
}

/** Creates the rows of the CPU time and of the rate of a load. */
export function costRows(
  name: string,
  ours: Cost,
  beside: string,
  theirs: Cost,
  cpuBar: Row['bar'],
  rateBar: Row['bar'] = null,
): Row[] {
  return [
    headlineRow(`${name}, CPU-s per 100,000`, ours.cpuSeconds, beside, theirs.cpuSeconds, 'lower', cpuBar),
    headlineRow(`${name}, per second`, ours.perSecond, beside, theirs.perSecond, 'higher', rateBar),
  ];
}
