import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type FilledStore, sizeOf } from '../filled-store.js';
import { TURNS } from '../peers/measure-load.js';
import { hasRipgrep, RIPGREP } from '../peers/peer-tools.js';
import { headlineRow, median, type Row } from '../row.js';
import { runProgram } from '../run-program.js';

/** Searches for text that does not occur, by a reader that is open and by ripgrep over the same files. */
export async function ripgrepRows(store: FilledStore): Promise<Row[]> {
  if (!hasRipgrep()) return [];
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    ours.push(Number((await runProgram('search-text', [store.directory]))['ms']));
    theirs.push(ripgrepMs(store.directory, `no such phrase ${turn}`));
  }
  return [
    headlineRow(
      `text search, ms; ${sizeOf(store)}`,
      median(ours),
      'rg -F -i over the same files',
      median(theirs),
      'lower',
      { of: 'ratio', value: 2.5 },
    ),
  ];
}

function ripgrepMs(directory: string, text: string): number {
  const began = performance.now();
  const { status } = spawnSync(RIPGREP, ['-F', '-i', '-u', '-g', 'raw.ndjson', '-e', text, join(directory, 'raw')]);
  if (status !== 1) throw new Error(`rg ended with ${status} instead of 1 for missing text`);
  return performance.now() - began;
}
