import { type FilledStore, sizeOf } from '../filled-store.js';
import { type Row, row } from '../row.js';
import { runProgram } from '../run-program.js';

/** Rates of searches in a filled folder, without HTTP. */
export async function searchRows(store: FilledStore): Promise<Row[]> {
  const { scan, scanFloor, pageMs, passMs } = await runProgram('search-store', [store.directory]);
  return [
    row(
      `text search in raw lines, MB/s; ${sizeOf(store)}`,
      Number(scan),
      'one Buffer.indexOf through the same files, MB/s',
      Number(scanFloor),
      'higher',
      { of: 'figure', value: 300 },
    ),
    row(
      `issue query, 56 kinds in two orders, first page, p95 ms; ${sizeOf(store)}`,
      Number(pageMs),
      'one pass over as many numbers, p95 ms',
      Number(passMs),
      'lower',
      { of: 'figure', value: 50 },
    ),
  ];
}
