import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Row } from './row.js';
import { printHeadlines, printTable } from './table.js';

const PAGE = 'test/bench/README.md';
const PROJECT_PAGE = 'README.md';
const RESULTS = 'test/bench/results.json';

/** Replaces the headline rows of the project's README. */
export function publishHeadlines(rows: readonly Row[]): void {
  replaceTable(PROJECT_PAGE, printHeadlines(rows.filter(({ isHeadline }) => isHeadline)));
}

/** Replaces the rows of the page and `results.json`. */
export function publish(rows: readonly Row[]): void {
  replaceTable(PAGE, printTable(rows));
  const results = { node: process.version, cores: cpus().length, rows };
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
}

function replaceTable(page: string, table: string): void {
  const text = readFileSync(page, 'utf8');
  writeFileSync(
    page,
    text.replace(/(<!-- table -->\n).*(<!-- \/table -->)/s, (_, open, close) => `${open}${table}${close}`),
  );
}
