import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCollectorProcess } from './collector-process.js';
import { startPeerProcess } from './peer-process.js';
import { median, type Row } from './row.js';
import { ingestRows } from './rows/ingest-rows.js';
import { readRows } from './rows/read-rows.js';
import { printTable } from './table.js';

const PAGE = 'test/bench/README.md';

/** Milliseconds that an empty Node program takes, start to end. */
function nodeStartMs(): number {
  return median(
    Array.from({ length: 7 }, () => {
      const began = performance.now();
      spawnSync(process.execPath, ['-e', '0']);
      return performance.now() - began;
    }),
  );
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-bench-'));
  const peer = await startPeerProcess();
  const rows: Row[] = [];
  try {
    const collector = await startCollectorProcess(join(folder, 'ingest'));
    rows.push(...(await ingestRows(collector, peer)));
    await collector.stop();
    rows.push(...(await readRows(join(folder, 'read'), peer, nodeStartMs())));
  } finally {
    await peer.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  const table = printTable(rows);
  process.stdout.write(table);
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(/(<!-- table -->\n).*(<!-- \/table -->)/s, (_, open, close) => `${open}${table}${close}`),
  );
  const results = { node: process.version, cores: cpus().length, rows };
  writeFileSync('test/bench/results.json', `${JSON.stringify(results, null, 2)}\n`);
}

await main();
