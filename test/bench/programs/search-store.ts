import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { FailureReader } from '../../../core/contract/reader.js';
import { openFolderReader } from '../../../core/storage/folder-reader.js';
import { percentile } from '../row.js';
import { word } from '../word.js';

/**
 * Searches a data folder in one process: `search-store <folder>`. Prints JSON: MB/s of a search for missing text and of
 * `Buffer.indexOf` in the same files; p95 in milliseconds of first pages of issue queries and of a pass over an array of that length.
 */
const [directory = ''] = process.argv.slice(2);

const BLOCK_BYTES = 1024 * 1024;
const ROUNDS = 4;

/** Queries for missing text, different in every round. */
function texts(round: number): string[] {
  return [
    `message:~"not ${word(round)} anywhere 7Q"`,
    `stack:~unheardof${word(round)}`,
    `"no such phrase ${word(round)}"`,
  ];
}

/** More than fifty kinds of issue queries, with different values in every round. */
function issueQueries(round: number): string[] {
  return [
    '',
    'level:error',
    'level:[critical, info]',
    `-level:error count:>${round}`,
    'env:staging',
    'environments:prod* -env:staging',
    `service:service-${word(round)}`,
    'service:service-* -service:*a',
    'app:shop level:warning',
    'type:exception',
    'type:log',
    'error_name:TypeError',
    'error_name:*Error level:info',
    `release:v2.${round}.0`,
    `release:>=2.${round}`,
    `release:2.${round}..2.${round + 3} count:>1`,
    `release:<2.${round + 1} OR release:>2.9`,
    '-release:*',
    'is:new',
    'is:spiking',
    'is:regressed',
    'is:open is:unassigned',
    'is:resolved',
    'is:merged',
    'is:[new, spiking]',
    '-is:new',
    'is:spiking OR is:regressed',
    'status:open level:error',
    'status:[resolved, ignored]',
    'assignee:anna',
    `assignee:* OR service:service-${word(round)}`,
    `-assignee:* count:>${round + 2}`,
    `count:>${round + 5}`,
    `count:${round}..${round + 9} level:error`,
    `NOT count:<${round + 8}`,
    `first_seen:<${round + 1}d last_seen:<9999d`,
    `first_seen:>${round + 1}h`,
    'last_seen:2026-01-01..2026-12-31 -env:staging',
    `last_seen:<${round + 1}h`,
    `culprit:~${word(900 + round)}`,
    `-culprit:~${word(900 + round)}`,
    `culprit:*${word(round)}* env:production`,
    word(2000 + round),
    `could not ${word(round)}`,
    `"could not ${word(round)}"`,
    `customer* ${word(round)}`,
    `message:~${word(3000 + round)}`,
    `level:[critical, info] message:~${word(3000 + round)}`,
    `title:UpstreamError* count:>${round}`,
    `title:~${word(500 + round)}`,
    `fingerprint:${round}*`,
    `issue_id:${round}*`,
    '(level:error OR is:new) -env:staging',
    `NOT (level:error OR release:v2.${round}.*)`,
    `count:>3 first_seen:<30d level:error -release:v2.${round}.0`,
    `env:production (culprit:~${word(round)} OR is:regressed) count:>1`,
  ];
}

async function scanRate(reader: FailureReader, query: string): Promise<number> {
  const began = performance.now();
  let page = await reader.searchEvents({ query });
  while (page.next_cursor !== null) page = await reader.searchEvents({ query, cursor: page.next_cursor });
  if (page.events.length > 0) throw new Error(`${query} was found`);
  return page.total.bytes / 1000 / (performance.now() - began);
}

function floorRate(): number {
  const needle = Buffer.from('no such phrase 7Q');
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  const began = performance.now();
  let bytes = 0;
  for (const name of readdirSync(join(directory, 'raw'), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('raw.ndjson')) continue;
    const file = openSync(join(directory, 'raw', name), 'r');
    for (let count = readSync(file, block); count > 0; count = readSync(file, block)) {
      if (block.subarray(0, count).includes(needle)) throw new Error('it was found');
      bytes += count;
    }
    closeSync(file);
  }
  return bytes / 1000 / (performance.now() - began);
}

function passMs(issues: number): number {
  const numbers = new Float64Array(issues).map((_, index) => index % 97);
  const began = performance.now();
  let above = 0;
  for (const number of numbers) if (number > 50) above += 1;
  const ms = performance.now() - began;
  if (above > issues) throw new Error('more than all');
  return ms;
}

const reader = await openFolderReader({ directory });
const { issues } = await reader.stats();
await reader.listIssues({ query: 'count:>1 a' });
const all: number[] = [];
const passes: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  for (const query of issueQueries(round)) {
    for (const sort of ['last_seen', 'count'] as const) {
      const began = performance.now();
      await reader.listIssues({ query, sort });
      all.push(performance.now() - began);
      passes.push(passMs(issues));
    }
  }
}
const rates: number[] = [];
const floors: number[] = [];
for (let round = 0; round < 3; round += 1) {
  floors.push(floorRate());
  for (const query of texts(round)) rates.push(await scanRate(reader, query));
}
await reader.close();
process.stdout.write(
  `${JSON.stringify({
    scan: percentile(rates, 0.5),
    scanFloor: percentile(floors, 0.5),
    pageMs: percentile(all, 0.95),
    passMs: percentile(passes, 0.95),
  })}\n`,
);
