import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Cost, medianCost, TURNS } from './measure-load.js';

/** Measures a cost in an empty folder. */
type Measurement = (folder: string) => Promise<Cost>;

/** Runs each measurement in turn, each in an empty folder, and returns the medians of all turns. */
export async function inTurns<Name extends string>(
  folder: string,
  measurements: Readonly<Record<Name, Measurement | undefined>>,
): Promise<Record<Name, Cost>> {
  const costs = new Map<string, Cost[]>();
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const [name, measure] of Object.entries<Measurement | undefined>(measurements)) {
      if (measure === undefined) continue;
      const own = join(folder, 'turn');
      mkdirSync(own);
      costs.set(name, [...(costs.get(name) ?? []), await measure(own)]);
      rmSync(own, { recursive: true });
    }
  }
  const medians = [...costs].map(([name, measured]) => [name, medianCost(measured)]);
  return Object.fromEntries(medians) as Record<Name, Cost>;
}
