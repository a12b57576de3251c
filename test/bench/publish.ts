import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Row } from './row.js';
import { printTable } from './table.js';

const PAGE = 'test/bench/README.md';
const RESULTS = 'test/bench/results.json';

/** Replaces the rows of the page and of `results.json`. */
export function publish(rows: readonly Row[]): void {
  const page = readFileSync(PAGE, 'utf8');
  const table = printTable(rows);
  writeFileSync(
    PAGE,
    page.replace(/(<!-- table -->\n).*(<!-- \/table -->)/s, (_, open, close) => `${open}${table}${close}`),
  );
  const results = { node: process.version, cores: cpus().length, rows };
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
}
